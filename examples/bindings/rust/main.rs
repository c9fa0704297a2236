//! main.rs: three names are taken.
use crivo::{Filter, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let taken = Filter::build(["ada", "grace", "alan"], Options { fp_rate: 0.01, ..Options::default() })?;
    println!("grace {}, mallory {}", taken.contains("grace"), taken.contains("mallory"));
    taken.save("names.crivo")?; // the file that SQLite, C++ and the tool read
    Ok(())
}
