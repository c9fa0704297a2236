//! Fills a filter, asks it, and hands it on as bytes.
use crivo::{Error, Filter, Options};

fn main() -> Result<(), Error> {
    let urls = ["https://example.org/a", "https://example.org/b"];
    let seen = Filter::build(urls, Options { fp_rate: 0.001, ..Options::default() })?;
    println!("{} {}", seen.contains("https://example.org/a"), seen.contains("https://example.org/c"));
    let blob = seen.to_blob()?; // the bytes that SQLite, C++ and the tool read
    let again = Filter::borrow(&blob)?;
    println!("{:?}", again.contains_many(["https://example.org/b", "https://example.org/d"])?);
    Ok(())
}
