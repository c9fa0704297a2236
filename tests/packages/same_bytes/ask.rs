//! Writes the blobs of all cases (same_bytes.py) through the binding for Rust:  ask FOLDER
use crivo::{integer_key, real_key, unsigned_key, Filter, Options, Sketch, SketchKeys, SketchOptions};
use std::{env, error::Error, fs, path::Path};

fn read_keys(name: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let data = fs::read(name)?;
    let mut rest = &data[..];
    let mut keys = Vec::new();
    while !rest.is_empty() {
        let end = 5 + u32::from_le_bytes(rest[1..5].try_into()?) as usize;
        let key = &rest[5..end];
        keys.push(match rest[0] {
            b'i' if key[0] == b'-' => integer_key(std::str::from_utf8(key)?.parse()?),
            b'i' => unsigned_key(std::str::from_utf8(key)?.parse()?),
            b'r' => real_key(f64::from_le_bytes(key.try_into()?)),
            _ => key.to_vec(),
        });
        rest = &rest[end..];
    }
    Ok(keys)
}

fn build(name: &str, options: Options) -> Result<Filter<'static>, Box<dyn Error>> {
    let keys = read_keys(name)?;
    let values = fs::read(format!("{name}.values"))?;
    let entries = keys.iter().zip(&values);
    Ok(match options.kind {
        "map" => Filter::build_map(entries.map(|(key, &value)| (key, value.into())), options)?,
        "exact" => {
            let (members, others): (Vec<_>, Vec<_>) = entries.partition(|(_, &value)| value % 2 == 1);
            let keys_of = |side: Vec<(_, _)>| side.into_iter().map(|(key, _)| key);
            Filter::build_exact(keys_of(members), keys_of(others), options)?
        }
        _ => Filter::build(&keys, options)?,
    })
}

fn blob_of(name: &str, options: Options) -> Result<Vec<u8>, Box<dyn Error>> {
    if options.kind != "sketch" {
        return Ok(build(name, options)?.to_blob()?);
    }
    let (symbols, seed) = (options.capacity, options.seed);
    let mut sketch = Sketch::new(SketchOptions { symbols, keys: SketchKeys::Hashes, first: 0, seed })?;
    sketch.add_many(read_keys(name)?)?;
    Ok(sketch.to_blob()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("usage: ask FOLDER, where the cases are")?;
    for line in fs::read_to_string("cases")?.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let options = Options {
            kind: fields[0],
            fp_rate: fields[1].parse()?,
            seed: fields[2].parse()?,
            capacity: fields[3].parse()?,
        };
        fs::write(Path::new(&folder).join(fields[5]), blob_of(fields[4], options)?)?;
    }
    Ok(())
}
