-- Makes one row of the report, for the filter named @name, which was built since the last start of the clock. A bound
-- parameter is read once per statement; SQLite would copy the value of a scalar subquery for each row.
REPLACE INTO clock VALUES ('made', julianday('now'));
CREATE TEMP VIEW IF NOT EXISTS measured AS
  SELECT f FROM filters WHERE name = (SELECT value FROM temp.sqlite_parameters WHERE key = '@name');
.parameter set @filter "(SELECT f FROM measured)"
REPLACE INTO clock VALUES ('ask', julianday('now'));
INSERT INTO report(name, raw_bytes, fill, codec, made_ms, found, wrong)
  SELECT @name,
         json_extract(bloom_info(@filter), '$.payload_bytes'),
         json_extract(bloom_info(@filter), '$.fill'),
         json_extract(bloom_info(@filter), '$.codec'),
         (SELECT 86400e3 * (made.at - begin.at) FROM clock AS made, clock AS begin
           WHERE made.name = 'made' AND begin.name = 'begin'),
         (SELECT count(*) FROM words WHERE bloom_contains(@filter, word)),
         (SELECT count(*) FROM misspelt WHERE bloom_contains(@filter, word));
UPDATE report SET asked_ms = 86400e3 * (julianday('now') - (SELECT at FROM clock WHERE name = 'ask'))
  WHERE name = @name;
