-- The statements that wrote 0.1.0.db, in the sqlite3 shell with the extension of version 0.1.0.
PRAGMA page_size=1024;
CREATE VIRTUAL TABLE t_blocked USING bloom(capacity=500);
CREATE VIRTUAL TABLE t_counting USING bloom(capacity=200, kind=counting);
CREATE VIRTUAL TABLE t_growing USING bloom(kind=growing, seed=7);
CREATE VIRTUAL TABLE t_scalable USING bloom(capacity=50, kind=scalable);
CREATE VIRTUAL TABLE t_spectral USING bloom(capacity=100, kind=spectral);
CREATE VIRTUAL TABLE t_window USING bloom(capacity=300, window='3 hours', panes=3, clock=manual);
CREATE TABLE account(email TEXT);
CREATE VIRTUAL TABLE t_source USING bloom(source='account.email', capacity=300, kind=counting);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300)
INSERT INTO account SELECT 'user'||i||'@example.org' FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<100)
INSERT INTO t_blocked(key) SELECT i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<100)
INSERT INTO t_counting(key) SELECT i FROM n;
DELETE FROM t_counting WHERE key=100;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<600)
INSERT INTO t_growing(key) SELECT i FROM n;
INSERT INTO t_growing(key) VALUES (7),(7);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300)
INSERT INTO t_scalable(key) SELECT i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60)
INSERT INTO t_spectral(key) SELECT i FROM n;
INSERT INTO t_spectral(key) VALUES (7),(7);

INSERT INTO t_window(op, arg) VALUES ('advance', 3600*500000);

INSERT INTO t_window(key) VALUES ('first');
INSERT INTO t_window(op, arg) VALUES ('advance', 3600*500002);
INSERT INTO t_window(key) VALUES ('third');
DELETE FROM account WHERE rowid > 250;
VACUUM;
