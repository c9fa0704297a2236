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
    let copied = Filter::read(&blob.clone()).unwrap(); // the clone is dropped; the filter has its own bytes
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
fn maps_give_every_key_its_value() {
    let squares = (0..2000u64).map(|i| (unsigned_key(i), i * i));
    let entries: Vec<(Vec<u8>, u64)> = squares.chain([(Vec::new(), u32::MAX.into())]).collect();
    let map = Filter::build_map(entries.iter().cloned(), Options { seed: 7, ..Options::default() }).unwrap();
    let blob = map.to_blob().unwrap();
    for filter in [&map, &Filter::borrow(&blob).unwrap()] {
        let found = filter.find_many(entries.iter().map(|(key, _)| key)).unwrap();
        assert_eq!(found, entries.iter().map(|&(_, value)| Some(value)).collect::<Vec<_>>());
        assert_eq!([filter.find("31").unwrap(), filter.find("").unwrap()], [Some(961), Some(u32::MAX.into())]);
        assert!(filter.contains("31"), "a map is a filter of its keys, too");
    }
}

#[test]
fn maps_tell_absent_keys() {
    let rate = |fp_rate| Options { fp_rate, ..Options::default() };
    let ports = Filter::build_map([("ssh", 22), ("http", 80), ("https", 443)], rate(1e-9)).unwrap();
    assert_eq!([ports.find("http").unwrap(), ports.find("gopher").unwrap()], [Some(80), None]);
    assert_eq!(ports.find_many(["gopher", "https", ""]).unwrap(), [None, Some(443), None]);
    assert_eq!(ports.find_many::<&str>([]).unwrap(), []);
    assert_eq!(Filter::build_map::<&str>([], rate(0.0)).unwrap().find("ssh").unwrap(), None);
    let all = Filter::build_map([("ssh", 22)], Options { kind: "map:8", ..rate(1.0) }).unwrap();
    assert!(all.find("gopher").unwrap().expect("at a rate of 1 every key has some value") < 256);
}

#[test]
fn exact_filters_are_certain_of_both_sides() {
    let (members, others): (Vec<i64>, Vec<i64>) = (0..20_000).partition(|key| key % 10 == 0);
    let keys = |numbers: &[i64]| numbers.iter().copied().map(integer_key).collect::<Vec<_>>();
    let (members, others) = (keys(&members), keys(&others));
    let strangers = keys(&(-20_000..0).collect::<Vec<_>>());
    for (options, strangers_found) in [
        (Options::default(), 0..=20_000),
        (Options { kind: "exact", fp_rate: 0.01, seed: 7, ..Options::default() }, 100..=300), // 7 standard deviations
    ] {
        let filter = Filter::build_exact(&members, &others, options).unwrap();
        let count = |keys| filter.contains_many::<&Vec<u8>>(keys).unwrap().iter().filter(|&&hit| hit).count();
        assert_eq!([count(&members), count(&others)], [2000, 0]);
        let found = count(&strangers);
        assert!(strangers_found.contains(&found), "{found}");
    }
    let none: [&str; 0] = []; // one of the sides may be empty
    assert!(Filter::build_exact(["ann"], none, Options::default()).unwrap().contains("ann"));
    assert!(!Filter::build_exact(none, ["ann"], Options::default()).unwrap().contains("ann"));
}

#[test]
fn errors_say_what_is_wrong() {
    let blob = built(&["ann"], Options::default()).to_blob().unwrap();
    let mut bad = blob.clone();
    bad[70] ^= 1;
    let one = |options| failure(Filter::build(["ann"], options));
    let of_kind = |kind| Options { kind, ..Options::default() };
    let map = |kind, entries: &[(&str, u64)]| failure(Filter::build_map(entries.iter().copied(), of_kind(kind)));
    let exact = |kind| failure(Filter::build_exact(["ann", "bob"], ["bob"], of_kind(kind)));
    let ribbon = built(&["ann"], of_kind("ribbon"));
    for (error, status, text) in [
        (one(Options { fp_rate: 1.5, ..Options::default() }), 1, "fp_rate must be in (0, 1), got 1.5"),
        (one(of_kind("sieve")), 1, "sieve"),
        (one(of_kind("rib\0bon")), 1, "kind must have no NUL"),
        (one(of_kind("map")), 4, "kind must have keys without values, got map"),
        (map("", &[("ann", 1), ("ann", 2)]), 1, "value must be the same for each occurrence of a key"),
        (map("map:4", &[("ann", 16)]), 1, "value must be in [0, 15], got 16"),
        (map("", &[("ann", 1 << 32)]), 1, "value must be in [0, 4294967295], got 4294967296"),
        (map("ribbon", &[("ann", 1)]), 4, "kind must support values (map)"),
        (map("map\0", &[("ann", 1)]), 1, "kind must have no NUL"),
        (exact(""), 1, "key must be in only one set, got one in both"),
        (exact("ribbon"), 4, "kind must be exact, got ribbon"),
        (failure(ribbon.find("ann")), 4, "kind must support finding values (map), got ribbon"),
        (failure(ribbon.find_many(["ann"])), 4, "kind must support finding values (map), got ribbon"),
        (failure(Filter::read(b"")), 2, "got 0"),
        (failure(Filter::borrow(&bad)), 2, "checksum"),
        (failure(Filter::borrow(&blob).unwrap().add("bob")), 4, "read-only"),
    ] {
        assert!(error.status == status && error.to_string().contains(text), "{:?}", error);
    }
}

fn sketched(symbols: u64, keys: SketchKeys) -> Sketch {
    Sketch::new(SketchOptions { symbols, keys, ..SketchOptions::default() }).unwrap()
}

#[test]
fn sketches_give_the_keys_of_each_side() {
    let [mut first, mut second] = [(); 2].map(|_| sketched(60, SketchKeys::Bytes(3)));
    first.add_many(["cid", "bob", "ann", "\0\0\0", "fay"]).unwrap();
    first.remove("fay").unwrap();
    second.add("bob").unwrap();
    second.add_many(["dan", "eve", "gil"]).unwrap();
    second.remove_many(["gil", "eve"]).unwrap();
    let found = first.difference_keys(&second).unwrap().unwrap();
    assert_eq!(found.only_first, [b"\0\0\0", b"ann", b"cid"]);
    assert_eq!(found.only_second, [b"dan"]);
    let found = first.difference_keys(&first).unwrap().unwrap();
    assert!(found.only_first.is_empty() && found.only_second.is_empty());
}

#[test]
fn sketches_give_integers_in_their_order() {
    let minus_five = -5i64 as u64;
    let [mut first, mut second] = [(); 2].map(|_| sketched(60, SketchKeys::Integers));
    first.add_numbers(&[7, minus_five, 1 << 40, 1]).unwrap();
    second.add_numbers(&[7, 9, 4]).unwrap();
    second.remove_numbers(&[4]).unwrap();
    let found = first.difference_numbers(&second).unwrap().unwrap();
    assert_eq!(found, Difference { only_first: vec![minus_five, 1, 1 << 40], only_second: vec![9] });
    let found = second.difference_keys(&first).unwrap().unwrap();
    assert_eq!(found.only_first, [[9, 0, 0, 0, 0, 0, 0, 0]]);
    assert_eq!(found.only_second, [-5i64, 1, 1 << 40].map(i64::to_le_bytes));
}

/// The hashes are those of "" and "a" by XXH3-64.
#[test]
fn sketches_know_keys_by_their_hashes() {
    let (of_nothing, of_a) = (0x2d06800538d394c2, 0xe6c632b61e964e1f);
    let [mut first, mut second] = [(); 2].map(|_| sketched(60, SketchKeys::default()));
    first.add_many(["a", "b"]).unwrap();
    first.add("").unwrap();
    second.add("b").unwrap();
    second.add_many::<&str>([]).unwrap();
    let found = first.difference_numbers(&second).unwrap().unwrap();
    assert_eq!(found, Difference { only_first: vec![of_nothing, of_a], only_second: vec![] });
    second.add_numbers(&[of_a, of_nothing]).unwrap();
    second.add_numbers(&[]).unwrap();
    assert_eq!(first.to_blob().unwrap(), second.to_blob().unwrap(), "a key and its hash are the same");
}

#[test]
fn sketches_continue_where_they_are_too_short() {
    let numbers: Vec<u64> = (1..=50).collect();
    let enough = sketch_symbols(50);
    assert!((50..150).contains(&enough), "{enough}");
    let mut short = sketched(20, SketchKeys::Integers);
    short.add_numbers(&numbers).unwrap();
    let nobody = sketched(enough, SketchKeys::Integers);
    assert_eq!(short.difference_numbers(&nobody).unwrap(), None);
    let rest = SketchOptions { symbols: enough - 20, first: 20, ..short.options().unwrap() };
    let mut next = Sketch::new(rest).unwrap();
    next.add_numbers(&numbers).unwrap();
    short.append(&next).unwrap();
    let found = short.difference_numbers(&nobody).unwrap().unwrap();
    assert_eq!(found, Difference { only_first: numbers, only_second: vec![] });
}

#[test]
fn sketches_are_sent_and_put_together() {
    let options = SketchOptions { symbols: 50, seed: u64::MAX, ..SketchOptions::default() };
    let [mut whole, mut half] = [(); 2].map(|_| Sketch::new(options).unwrap());
    whole.add_many(["ann", "bob", "cid"]).unwrap();
    half.add_many(["ann", "cid"]).unwrap();
    let blob = whole.to_blob().unwrap();
    let theirs = Sketch::read(&blob.clone()).unwrap(); // the clone is dropped; the sketch has its own bytes
    let mut other = Sketch::new(theirs.options().unwrap()).unwrap();
    other.add("bob").unwrap();
    half.combine(&other).unwrap();
    assert_eq!([half.to_blob().unwrap(), theirs.to_blob().unwrap()], [&blob[..], &blob]);
    for keys in [SketchKeys::Hashes, SketchKeys::Integers, SketchKeys::Bytes(1), SketchKeys::Bytes(32)] {
        let options = SketchOptions { symbols: 3, keys, first: 9, seed: 1 << 63 };
        assert_eq!(Sketch::new(options).unwrap().options().unwrap(), options);
    }
}

#[test]
fn sketches_say_what_is_wrong() {
    let new = |symbols, first, keys| Sketch::new(SketchOptions { symbols, keys, first, seed: 0 });
    let (mut hashes, mut integers) = (sketched(5, SketchKeys::Hashes), sketched(5, SketchKeys::Integers));
    let mut bytes = sketched(5, SketchKeys::Bytes(3));
    let later = new(5, 7, SketchKeys::Hashes).unwrap();
    let sound = hashes.to_blob().unwrap();
    let mut bad = sound.clone();
    bad[80] ^= 1;
    for (error, status, text) in [
        (failure(new(0, 0, SketchKeys::Hashes)), 1, "symbols must be in [1, 4294967296], got 0"),
        (failure(new(1, 1 << 32, SketchKeys::Hashes)), 1, "first must be below 4294967296"),
        (failure(new(1, 0, SketchKeys::Bytes(33))), 1, "33"),
        (failure(integers.add("1")), 1, "key must be an integer"),
        (failure(integers.remove("1")), 1, "key must be an integer"),
        (failure(bytes.add_many(["ann", "eva", "hans"])), 1, "3 bytes of the sketch's keys, got 4"),
        (failure(bytes.remove_many(["ann", "eva", "hans"])), 1, "3 bytes of the sketch's keys, got 4"),
        (failure(bytes.add_numbers(&[1])), 1, "bytes"),
        (failure(bytes.remove_numbers(&[1])), 1, "bytes"),
        (failure(bytes.difference_numbers(&bytes)), 4, "keys must be hashes or integers, got byte strings"),
        (failure(hashes.difference_numbers(&integers)), 3, "keys must be the same in both sketches"),
        (failure(later.difference_keys(&later)), 1, "first must be 0"),
        (failure(hashes.append(&later)), 3, "first must be 5, the number after the last symbol, got 7"),
        (failure(hashes.combine(&later)), 3, "first must be the same in both sketches, got 0 and 7"),
        (failure(Sketch::read(b"")), 2, "blob size must"),
        (failure(Sketch::read(&bad)), 2, "checksum"),
        (failure(Filter::read(&sound)), 2, "kind must be that of a filter, got sketch"),
    ] {
        assert!(error.status == status && error.to_string().contains(text), "{:?}", error);
    }
    let empty = sketched(5, SketchKeys::Bytes(3)); // the keys before the failing one were added, then removed
    assert_eq!(bytes.to_blob().unwrap(), empty.to_blob().unwrap());
}

/// The size of the process's address space, in pages.
fn address_space() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has this file");
    statm.split(' ').next().unwrap().parse().unwrap()
}

/// Two thousand filters and sketches of 1.2 MB each. The tolerance of 1 GiB is for the memory that threads reserve.
#[test]
fn frees_what_is_dropped() {
    let before = address_space();
    for _ in 0..2000 {
        drop(built(&[], Options { capacity: 1_000_000, ..Options::default() }));
        drop(sketched(75_000, SketchKeys::Hashes));
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
