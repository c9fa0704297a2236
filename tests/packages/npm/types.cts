// The types of the CommonJS entry, as a project without ES modules finds them.
import crivo = require("crivo");
import Database = require("better-sqlite3");

const path: string = crivo.getLoadablePath();
crivo.load(new Database(":memory:"));
// @ts-expect-error: a name is no database
crivo.load("seen.db");

export = path;
