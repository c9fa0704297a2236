// A Rust program with Crivo's filters: its database's OPTIONS file names the policy.
use rocksdb::{Cache, Env, Options, DB};

fn main() -> Result<(), rocksdb::Error> {
    let cache = Cache::new_lru_cache(8 << 20);
    let (options, families) = Options::load_latest("db", Env::new()?, false, cache)?;
    let db = DB::open_cf_descriptors(&options, "db", families)?;
    for i in 0..10000 {
        db.put(format!("key{i}"), "value")?;
    }
    db.flush()
}
