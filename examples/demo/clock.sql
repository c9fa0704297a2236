-- Starts the clock of the next step.
REPLACE INTO clock VALUES ('begin', julianday('now'));
