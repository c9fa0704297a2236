-- The tables of docs/benchmarks.md, as tests/bench/page shows them. There "RocksDB" is the release build, which the data
-- files name "RocksDB src".
CREATE VIEW filters_of_a_million_keys AS
SELECT replace(filter, 'RocksDB src', 'RocksDB') AS "", printf('%.2f', bits_per_key) AS "bits/key",
       printf('%.3f', 100 * rate) AS "rate %", printf('%.3f', overhead) AS size, printf('%.1f', build_ns) AS build,
       printf('%.1f', absent_ns) AS lookup, printf('%.1f', batch_absent_ns) AS batch
  FROM filters
 WHERE keys = '1000000'
   AND (filter GLOB 'RocksDB src * 10' OR filter = 'crivo blocked 10'
        OR filter GLOB 'crivo * 1%' AND filter NOT IN ('crivo blocked 1%', 'crivo range 1%'));

CREATE VIEW filters_of_all_machines AS
SELECT 'AMD' AS CPU, * FROM filters UNION ALL SELECT 'Intel', * FROM filters_intel;

CREATE VIEW ratios_to_rocksdb AS
SELECT o.CPU, '10^' || (length(o.keys) - 1) AS keys,
       printf('%.2f', o.build_ns / rb.build_ns) AS "blocked build",
       printf('%.2f', o.absent_ns / rb.absent_ns) AS "blocked lookup",
       printf('%.2f', o.batch_absent_ns / rb.batch_absent_ns) AS "blocked batch",
       printf('%.2f', r.build_ns / rr.build_ns) AS "ribbon build",
       printf('%.2f', r.absent_ns / rr.absent_ns) AS "ribbon lookup",
       printf('%.2f', r.batch_absent_ns / rr.batch_absent_ns) AS "ribbon batch",
       printf('%.2f', r.absent_ns / rb.absent_ns) AS "ribbon lookup to Bloom lookup"
  FROM filters_of_all_machines AS o JOIN filters_of_all_machines AS r USING (CPU, keys)
  JOIN filters_of_all_machines AS rb USING (CPU, keys) JOIN filters_of_all_machines AS rr USING (CPU, keys)
 WHERE o.filter = 'crivo blocked 10' AND r.filter = 'crivo ribbon 1%'
   AND rb.filter = 'RocksDB src Bloom 10' AND rr.filter = 'RocksDB src Ribbon 10'
 ORDER BY o.CPU, length(o.keys);

CREATE VIEW filter_blocks_of_policies AS
SELECT '10^' || (length(keys) - 1) AS keys, rocksdb_bloom_ns AS "RocksDB Bloom", crivo_bloom_ns AS "crivo.Bloom",
       bloom_ratio AS ratio, rocksdb_ribbon_ns AS "RocksDB Ribbon", crivo_ribbon_ns AS "crivo.Ribbon",
       ribbon_ratio AS "ratio "
  FROM filter_blocks;

CREATE VIEW policies_in_a_database AS
SELECT replace(filter, 'RocksDB src', 'RocksDB') AS policy, printf('%.1f', bits_per_key) AS "bits/key",
       printf('%.0f', maybe) AS "wasted block reads", printf('%.0f', reads) AS "disk reads", printf('%.2f', cpu_us) AS "Get, us",
       CASE section WHEN 'rate' THEN printf('%.2f', rewrite_cpu_ratio) ELSE '' END AS "rewrite"
  FROM rocksdb
 WHERE workload = 'get absent' AND filter NOT IN ('crivo.Bloom, 7 bits', 'crivo.Auto, 7 bits', 'crivo.Auto, budget 4.857');

CREATE VIEW inserts_in_a_transaction AS
SELECT what AS "", max(iif(capacity = '10000', one_commit_us, NULL)) AS "10^4",
       max(iif(capacity = '1000000', one_commit_us, NULL)) AS "10^6",
       max(iif(capacity = '100000000', one_commit_us, NULL)) AS "10^8",
       max(iif(capacity = '1000000', question_us, NULL)) AS "lookup, 10^6",
       max(iif(capacity = '100000000', question_us, NULL)) AS "lookup, 10^8"
  FROM inserts
 WHERE run = '1'
 GROUP BY what
 ORDER BY what GLOB 'table of bloom' DESC, what;
