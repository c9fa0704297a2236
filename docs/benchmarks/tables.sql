-- The tables of docs/benchmarks.md, as tests/bench/page shows them.
CREATE VIEW filters_of_a_million_keys AS
SELECT filter AS "", printf('%.2f', bits_per_key) AS "bits/key", printf('%.3f', 100 * rate) AS "rate %",
       printf('%.3f', overhead) AS over, printf('%.1f', build_ns) AS build, printf('%.1f', absent_ns) AS absent,
       printf('%.1f', batch_absent_ns) AS batch
  FROM filters
 WHERE keys = '1000000'
   AND (filter GLOB 'RocksDB src * 10' OR filter = 'crivo blocked 10'
        OR filter GLOB 'crivo * 1%' AND filter <> 'crivo blocked 1%');
