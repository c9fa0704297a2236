-- The SQLite part of the demo, for the sqlite3 shell with crivo.so. The files words, misspelt and asked are in the
-- current folder.
.mode list
.import words words
.import misspelt misspelt
.import asked asked

CREATE TABLE filters(name TEXT PRIMARY KEY, made_by TEXT, f BLOB);
CREATE TABLE report(name, raw_bytes, fill, codec, made_ms, found, wrong, asked_ms);
CREATE TABLE clock(name PRIMARY KEY, at);  -- the start of each step, as julianday

-- A single query makes a filter of a whole column. These three have the same rate: the default kind, the smallest one,
-- and one that is sized for the smallest blob.
.read clock.sql
INSERT INTO filters SELECT 'default', 'bloom_agg(word)', bloom_agg(word) FROM words;
.parameter set @name "'default'"
.read measure.sql
.read clock.sql
INSERT INTO filters
  SELECT 'ribbon', 'bloom_agg(word, NULL, 0.01, ''ribbon'')', bloom_agg(word, NULL, 0.01, 'ribbon') FROM words;
.parameter set @name "'ribbon'"
.read measure.sql
.read clock.sql
INSERT INTO filters
  SELECT 'words', 'bloom_agg(word, NULL, 0.01, ''compressed'')', bloom_agg(word, NULL, 0.01, 'compressed') FROM words;
.parameter set @name "'words'"
.read measure.sql

-- Only filters of equal size can be merged, so both get the total number of keys as their capacity.
.read clock.sql
INSERT INTO filters
  SELECT 'a to m', 'bloom_agg(word, 350000), WHERE word < ''n''', bloom_agg(word, 350000) FROM words WHERE word < 'n';
.parameter set @name "'a to m'"
.read measure.sql
.read clock.sql
INSERT INTO filters
  SELECT 'n to z', 'bloom_agg(word, 350000), WHERE word >= ''n''', bloom_agg(word, 350000) FROM words WHERE word >= 'n';
.parameter set @name "'n to z'"
.read measure.sql
.read clock.sql
INSERT INTO filters
  SELECT 'a to z', 'bloom_union(a to m, n to z)', bloom_union(a.f, z.f)
  FROM filters AS a, filters AS z WHERE a.name = 'a to m' AND z.name = 'n to z';
.parameter set @name "'a to z'"
.read measure.sql

SELECT format('SQLite %s: filters of a column, built by one query each, stored as blobs', sqlite_version());
SELECT '';
SELECT format('  %-8s %s', name, made_by) FROM filters ORDER BY rowid;
SELECT '';
SELECT format('  %-8s%12s%12s%10s%13s%10s%9s', '', 'raw bytes', 'blob bytes', 'words', 'misspelt', 'built in', 'ns per');
SELECT format('  %-8s%12s%12s%10s%13s%10s%9s', '', '', '', 'found', 'found', 'ms', 'query');
SELECT format('  %-8s%,12d%,12d%,10d%,7d%5.2f%%%10.0f%9.0f', name, raw_bytes, length(f), found, wrong,
              100.0 * wrong / (SELECT count(*) FROM misspelt), made_ms, 1e6 * asked_ms / (SELECT count(*) FROM asked))
  FROM report JOIN filters USING (name) ORDER BY report.rowid;
SELECT '';
-- By chance, a correct filter exceeds the printed percentage in one of a million runs.
SELECT format('  Promised: at most 1%% of the misspelt. Of %,d, chance can make it %.2f%%.', count(*),
              1 + 100 * 4.75 * sqrt(0.01 * 0.99 / count(*))) FROM misspelt;
SELECT '';
SELECT format('  Why are %,d raw bytes of ''%s'' only %,d bytes as a blob?', raw_bytes, name, length(f)) ||
       char(10) ||
       format('  %.2f%% of its bits are set, and a blob can store the gaps between them instead', 100 * fill) ||
       char(10) ||
       format('  (%s): %.2f bits per word, instead of %.2f for the bits themselves.', codec, 8.0 * length(f) / found,
              8.0 * raw_bytes / found)
  FROM report JOIN filters USING (name) WHERE name = 'words';
SELECT '';

-- For the other hosts: the blob as a file, and SQL's answer to each query.
.parameter set @filter "(SELECT f FROM filters WHERE name = 'words')"
.output /dev/null
SELECT writefile('words.crivo', @filter);
.output answers.sql
SELECT word FROM asked WHERE bloom_contains(@filter, word);
