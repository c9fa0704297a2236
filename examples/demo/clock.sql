-- What follows is timed from here.
REPLACE INTO clock VALUES ('begin', julianday('now'));
