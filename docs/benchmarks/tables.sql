-- The tables of docs/benchmarks.md, as tests/bench/page shows them.
CREATE VIEW filters_of_a_million_keys AS
SELECT filter AS "", printf('%.2f', bits_per_key) AS "bits/key", printf('%.3f', 100 * rate) AS "rate %",
       printf('%.3f', overhead) AS over, printf('%.1f', build_ns) AS build, printf('%.1f', absent_ns) AS absent,
       printf('%.1f', batch_absent_ns) AS batch
  FROM filters
 WHERE keys = '1000000'
   AND (filter GLOB 'RocksDB src * 10' OR filter = 'crivo blocked 10'
        OR filter GLOB 'crivo * 1%' AND filter <> 'crivo blocked 1%');

CREATE VIEW peers_of_a_million_keys AS
SELECT filter AS "", bits_per_key AS "bits/key", overhead AS over, build_1e6_ns AS build, absent_1e6_ns AS absent
  FROM peers
 WHERE filter GLOB '*XXH3*ribbon 2^-[78]' OR filter GLOB '*key as hash*ribbon 2^-8' OR filter GLOB '*blocked 10'
    OR filter GLOB 'BuRR*XXH3*' OR filter GLOB '*fuse8*' OR filter GLOB '*multiblock64*';

CREATE VIEW databases_of_one_rate AS
SELECT filter AS "", printf('%.2f', bits_per_key) AS "bits/key", printf('%.2f', rewrite_cpu_ratio) AS "rewrite",
       printf('%.2f', cpu_us) AS "get absent, µs", printf('%.1f', maybe) AS "looks in vain",
       printf('%.1f', reads) AS "disk reads"
  FROM rocksdb
 WHERE section = 'rate' AND workload = 'get absent';

CREATE VIEW questions_in_sql AS
SELECT what AS "a row", raw_us AS raw, compressed_us AS compressed
  FROM sql
 WHERE per = 'row' AND what GLOB 'bloom_contains*';

CREATE VIEW inserts_in_sql AS
SELECT capacity, what AS "", commit_each_us AS "commit each", one_commit_us AS "one commit",
       at_once_us AS "at once", wal_bytes AS "WAL", question_us AS question
  FROM inserts
 WHERE run = '1' AND capacity IN ('1000000', '100000000');
