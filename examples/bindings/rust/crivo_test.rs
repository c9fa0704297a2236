//! Tests of the binding.
use super::*;

fn built(keys: &[&str], options: Options) -> Filter<'static> {
    Filter::build(keys, options).unwrap()
}

fn failure<T>(result: Result<T, Error>) -> Error {
    result.err().expect("it must fail")
}

#[test]
fn numbers_are_the_keys_that_they_are_everywhere() {
    assert_eq!(integer_key(i64::MIN), b"-9223372036854775808");
    assert_eq!(unsigned_key(u64::MAX), b"18446744073709551615");
    assert_eq!([real_key(1e19), real_key(0.1)], [&b"10000000000000000000"[..], b"0.1"]);
    assert_eq!(real_key(-f64::NAN), real_key(f64::NAN));
}

#[test]
fn finds_every_key() {
    let mut keys: Vec<Vec<u8>> = (-500..500).map(integer_key).collect();
    keys.extend((0..=255).map(|byte| vec![0, byte, 255]));
    keys.push(Vec::new());
    for kind in ["", "classic", "ribbon", "cuckoo"] {
        let filter = Filter::build(&keys, Options { kind, ..Options::default() }).unwrap();
        assert_eq!(filter.contains_many(&keys).unwrap(), vec![true; keys.len()], "{}", kind);
        for key in [&b"-500"[..], b"499", b"\x00\x07\xff", b""] {
            assert!(filter.contains(key), "{} lost {:?}", kind, key);
        }
    }
}

#[test]
fn answers_no_for_absent_keys() {
    let filter = built(&["ann", "bob"], Options { fp_rate: 1e-9, ..Options::default() });
    assert_eq!(filter.contains_many(["ann", "eve", "", "bob"]).unwrap(), [true, false, false, true]);
    assert_eq!(filter.contains_many::<&str>([]).unwrap(), []);
    assert!(!filter.contains("eve") && !filter.contains(b""));
    assert!(!built(&[], Options::default()).contains("ann"));
}

#[test]
fn adds_to_a_capacity() {
    let mut filter = built(&[], Options { capacity: 1000, ..Options::default() });
    filter.add("eve").unwrap();
    filter.add(b"").unwrap();
    assert!(filter.contains("eve") && filter.contains(""));
}

#[test]
fn reads_what_it_wrote() {
    let blob = built(&["ann", "bob"], Options { kind: "ribbon", seed: 7, ..Options::default() }).to_blob().unwrap();
    let copied = Filter::read(&blob.clone()).unwrap(); // the clone is gone, and the filter has its own bytes
    let borrowed = Filter::borrow(&blob).unwrap();
    for filter in [&copied, &borrowed] {
        assert!(filter.contains("ann") && filter.contains("bob"));
        assert_eq!(filter.to_blob().unwrap(), blob);
    }
}

#[test]
fn saves_and_opens_a_file() {
    let path = std::env::temp_dir().join(format!("crivo_rs_{}", std::process::id()));
    let keys: Vec<String> = (0..100_000).map(|i| format!("key {i}")).collect();
    let filter = Filter::build(&keys, Options::default()).unwrap();
    filter.save(&path).unwrap();
    let opened = Filter::open(&path).unwrap();
    assert!(opened.contains_many(&keys).unwrap().iter().all(|&hit| hit));
    assert_eq!(opened.to_blob().unwrap(), filter.to_blob().unwrap());
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[6], 3, "it has checksums for its parts");
    bytes[64 + 5000] ^= 1;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let damaged = Filter::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(failure(damaged.contains_many(&keys)).status, 2);
    assert!(keys.iter().all(|key| damaged.contains(key)), "an error must be a maybe");
    assert_eq!(failure(Filter::open(&path)).status, 10);
}

#[test]
fn errors_say_what_is_wrong() {
    let blob = built(&["ann"], Options::default()).to_blob().unwrap();
    let mut bad = blob.clone();
    bad[70] ^= 1;
    let one = |options| failure(Filter::build(["ann"], options));
    for (error, status, text) in [
        (one(Options { fp_rate: 1.5, ..Options::default() }), 1, "fp_rate must lie in (0, 1), got 1.5"),
        (one(Options { kind: "sieve", ..Options::default() }), 1, "sieve"),
        (one(Options { kind: "rib\0bon", ..Options::default() }), 1, "kind must have no NUL"),
        (failure(Filter::read(b"")), 2, "got 0"),
        (failure(Filter::borrow(&bad)), 2, "checksum"),
        (failure(Filter::borrow(&blob).unwrap().add("bob")), 4, "read-only"),
    ] {
        assert!(error.status == status && error.to_string().contains(text), "{:?}", error);
    }
}

/// What the process has reserved, in pages.
fn address_space() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has this file");
    statm.split(' ').next().unwrap().parse().unwrap()
}

/// Two thousand filters of 1.2 MB each. The room of 1 GiB is for what threads reserve.
#[test]
fn frees_what_is_dropped() {
    let before = address_space();
    for _ in 0..2000 {
        drop(built(&[], Options { capacity: 1_000_000, ..Options::default() }));
    }
    assert!(address_space() < before + (1 << 30) / 4096);
}

#[test]
fn is_asked_by_many_threads() {
    let filter = built(&["ann", "bob"], Options::default());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!((0..1000).all(|_| filter.contains("ann"))));
        }
    });
}
