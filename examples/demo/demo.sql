-- The SQLite part of the demo, for the sqlite3 shell: crivo.so is loaded, and words, misspelt and asked are files here.
.mode list
.import words words
.import misspelt misspelt
.import asked asked

CREATE TABLE filters(name TEXT PRIMARY KEY, made_by TEXT, f BLOB);

-- A filter of a whole column is one query. This kind is sized for the smallest blob.
INSERT INTO filters
  SELECT 'words', 'bloom_agg(word, NULL, 0.01, ''compressed'')', bloom_agg(word, NULL, 0.01, 'compressed') FROM words;

-- Two filters that are to be merged must be of one size, so both are told how many keys there will be.
INSERT INTO filters SELECT 'a to m', 'bloom_agg(word, 350000)', bloom_agg(word, 350000) FROM words WHERE word < 'n';
INSERT INTO filters SELECT 'n to z', 'bloom_agg(word, 350000)', bloom_agg(word, 350000) FROM words WHERE word >= 'n';
INSERT INTO filters
  SELECT 'a to z', 'bloom_union(a to m, n to z)', bloom_union(a.f, z.f)
  FROM filters AS a, filters AS z WHERE a.name = 'a to m' AND z.name = 'n to z';

CREATE TABLE report(name, raw_bytes, blob_bytes, found, wrong);
.parameter set @name "'words'"
.read measure.sql
.parameter set @name "'a to m'"
.read measure.sql
.parameter set @name "'n to z'"
.read measure.sql
.parameter set @name "'a to z'"
.read measure.sql

SELECT format('SQLite %s: filters of a table, made by one query each, in a table of blobs', sqlite_version());
SELECT '';
SELECT format('  %-8s %-41s %11s %11s %12s %20s', '', 'made by', 'raw bytes', 'blob bytes', 'words found',
              'misspellings found');
SELECT format('  %-8s %-41s %,11d %,11d %,12d %,12d %6.2f%%', name, made_by, raw_bytes, blob_bytes, found, wrong,
              100.0 * wrong / (SELECT count(*) FROM misspelt))
  FROM report JOIN filters USING (name) ORDER BY report.rowid;
SELECT '';

-- For the other hosts: the blob as a file, and what SQL says to each question.
.parameter set @filter "(SELECT f FROM filters WHERE name = 'words')"
.output /dev/null
SELECT writefile('words.crivo', @filter);
.output answers.sql
SELECT word FROM asked WHERE bloom_contains(@filter, word);
