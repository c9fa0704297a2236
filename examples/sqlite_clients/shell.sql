-- The sqlite3 shell:  sqlite3 -cmd ".load /usr/local/lib/crivo/crivo.so" <shell.sql
CREATE TABLE visits(name TEXT);
INSERT INTO visits VALUES ('ann'), ('bob');
CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits;
UPDATE filters SET f = bloom_add(f, 'eve');
SELECT 'filter', bloom_contains((SELECT bloom_open(f) FROM filters), 'eve'),
                 bloom_contains((SELECT bloom_open(f) FROM filters), 'joe');

CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked);
INSERT INTO seen(key) VALUES ('eve');
SELECT 'table', EXISTS(SELECT 1 FROM seen WHERE key = 'eve'), EXISTS(SELECT 1 FROM seen WHERE key = 'joe');
