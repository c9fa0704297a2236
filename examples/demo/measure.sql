-- One row of the report: the filter called @name. A bound parameter is parsed once per statement, however many rows it is
-- asked for; a scalar subquery would be parsed for each.
.parameter set @filter "(SELECT f FROM filters WHERE name = (SELECT value FROM temp.sqlite_parameters WHERE key = '@name'))"
INSERT INTO report
  SELECT @name,
         json_extract(bloom_info(@filter), '$.raw_bytes'),
         length(@filter),
         (SELECT count(*) FROM words WHERE bloom_contains(@filter, word)),
         (SELECT count(*) FROM misspelt WHERE bloom_contains(@filter, word));
