//! Must not compile: the blob is gone when the filter is asked.
fn main() {
    let filter = {
        let blob = vec![0u8; 64];
        crivo::Filter::borrow(&blob)
    };
    println!("{}", filter.unwrap().contains("ann"));
}
