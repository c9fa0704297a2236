//! Builds, queries, reads and writes Crivo's filters through its C interface, crivo.h.
//!
//! `Drop` frees C's objects. A filter that borrows a blob has the blob's lifetime, so that the compiler rejects a
//! program that frees or changes the blob too early. The module needs no crate.

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

/// The declarations of crivo.h that this module uses.
mod c {
    use std::os::raw::{c_char, c_void};

    pub const BAD_ARGUMENT: i32 = 1;
    pub const FORM_AUTO: i32 = 0;
    pub const FORM_RAW: i32 = 1;
    pub const NUMBER_KEY_BYTES: usize = 32;

    #[repr(C)]
    pub struct Filter {
        _private: [u8; 0],
    }

    #[repr(C)]
    pub struct Error {
        pub status: i32,
        pub message: [c_char; 508],
    }

    #[repr(C)]
    pub struct Keys {
        pub bytes: *const c_void,
        pub bytes_size: u64,
        pub offsets: *const u64,
        pub width: u64,
        pub count: u64,
    }

    #[repr(C)]
    pub struct Options {
        pub size: usize,
        pub kind: *const c_char,
        pub capacity: u64,
        pub fp_rate: f64,
        pub bits_per_key: f64,
        pub seed: u64,
        pub max_bytes: u64,
        pub threads: u32,
        pub reserved: u32,
        pub progress: Option<extern "C" fn(f64, *mut c_void) -> i32>,
        pub progress_data: *mut c_void,
    }

    #[repr(C)]
    pub struct Sketch {
        _private: [u8; 0],
    }

    #[repr(C)]
    pub struct Difference {
        _private: [u8; 0],
    }

    #[repr(C)]
    pub struct SketchOptions {
        pub size: usize,
        pub keys: *const c_char,
        pub symbols: u64,
        pub first: u64,
        pub seed: u64,
        pub max_bytes: u64,
    }

    #[repr(C)]
    #[derive(Default)]
    pub struct SketchFacts {
        pub size: usize,
        pub symbols: u64,
        pub first: u64,
        pub seed: u64,
        pub keys: u64,
        pub key_type: u32,
        pub key_bytes: u32,
    }

    #[link(name = "crivo")]
    extern "C" {
        pub fn crivo_integer_key(value: i64, key: *mut c_char) -> usize;
        pub fn crivo_unsigned_key(value: u64, key: *mut c_char) -> usize;
        pub fn crivo_real_key(value: f64, key: *mut c_char) -> usize;
        pub fn crivo_build(
            options: *const Options,
            keys: *const Keys,
            filter: *mut *mut Filter,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_build_map(
            options: *const Options,
            keys: *const Keys,
            values: *const u64,
            map: *mut *mut Filter,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_build_exact(
            options: *const Options,
            members: *const Keys,
            others: *const Keys,
            filter: *mut *mut Filter,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_read(
            blob: *const c_void,
            size: u64,
            limits: *const c_void,
            filter: *mut *mut Filter,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_borrow(
            blob: *const c_void,
            size: u64,
            limits: *const c_void,
            filter: *mut *mut Filter,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_free(filter: *mut Filter);
        pub fn crivo_add(filter: *mut Filter, key: *const c_void, size: usize, error: *mut Error) -> i32;
        pub fn crivo_contains(filter: *const Filter, key: *const c_void, size: usize, error: *mut Error) -> i32;
        pub fn crivo_contains_keys(filter: *const Filter, keys: *const Keys, hits: *mut u8, error: *mut Error) -> i32;
        pub fn crivo_find(
            map: *const Filter,
            key: *const c_void,
            size: usize,
            value: *mut u64,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_find_keys(
            map: *const Filter,
            keys: *const Keys,
            values: *mut u64,
            found: *mut u8,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_save(filter: *const Filter, path: *const c_char, form: i32, level: i32, error: *mut Error) -> i32;
        pub fn crivo_open(
            path: *const c_char,
            limits: *const c_void,
            filter: *mut *mut Filter,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_blob_bound(filter: *const Filter) -> u64;
        pub fn crivo_write(
            filter: *const Filter,
            form: i32,
            level: i32,
            buffer: *mut c_void,
            size: u64,
            written: *mut u64,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_sketch_symbols(difference: u64) -> u64;
        pub fn crivo_sketch_create(options: *const SketchOptions, sketch: *mut *mut Sketch, error: *mut Error) -> i32;
        pub fn crivo_sketch_read(
            blob: *const c_void,
            size: u64,
            limits: *const c_void,
            sketch: *mut *mut Sketch,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_sketch_free(sketch: *mut Sketch);
        pub fn crivo_sketch_get_facts(sketch: *const Sketch, facts: *mut SketchFacts, error: *mut Error) -> i32;
        pub fn crivo_sketch_add(sketch: *mut Sketch, key: *const c_void, size: usize, error: *mut Error) -> i32;
        pub fn crivo_sketch_add_keys(sketch: *mut Sketch, keys: *const Keys, error: *mut Error) -> i32;
        pub fn crivo_sketch_add_numbers(sketch: *mut Sketch, numbers: *const u64, count: u64, error: *mut Error)
            -> i32;
        pub fn crivo_sketch_remove(sketch: *mut Sketch, key: *const c_void, size: usize, error: *mut Error) -> i32;
        pub fn crivo_sketch_remove_keys(sketch: *mut Sketch, keys: *const Keys, error: *mut Error) -> i32;
        pub fn crivo_sketch_remove_numbers(
            sketch: *mut Sketch,
            numbers: *const u64,
            count: u64,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_sketch_append(sketch: *mut Sketch, next: *const Sketch, error: *mut Error) -> i32;
        pub fn crivo_sketch_combine(sketch: *mut Sketch, other: *const Sketch, error: *mut Error) -> i32;
        pub fn crivo_sketch_bytes(sketch: *const Sketch) -> u64;
        pub fn crivo_sketch_write(sketch: *const Sketch, buffer: *mut c_void, size: u64, error: *mut Error) -> i32;
        pub fn crivo_find_difference(
            first: *const Sketch,
            second: *const Sketch,
            difference: *mut *mut Difference,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_difference_keys(
            difference: *const Difference,
            side: i32,
            keys: *mut Keys,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_difference_numbers(
            difference: *const Difference,
            side: i32,
            numbers: *mut *const u64,
            count: *mut u64,
            error: *mut Error,
        ) -> i32;
        pub fn crivo_difference_free(difference: *mut Difference);
    }
}

/// The reason why a call failed: one of crivo.h's statuses, and a message that names the field, the allowed values and
/// the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "crivo: {}", self.message)
    }
}

impl std::error::Error for Error {}

/// The options of a filter. 0 and "" stand for the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// "classic", "ribbon", "map:8" and so on. The default is "blocked", "map" or "exact", depending on the function.
    pub kind: &'a str,
    /// The number of keys; by default derived from the keys.
    pub capacity: u64,
    /// The false-positive rate at capacity: below 1, or up to 1 for map and exact. The default is 0.01, or 1 for exact.
    pub fp_rate: f64,
    /// The seed of the hash function.
    pub seed: u64,
}

/// A filter that owns its bytes (`Filter<'static>`), or reads them from a blob that outlives it.
pub struct Filter<'blob> {
    handle: NonNull<c::Filter>,
    blob: PhantomData<&'blob [u8]>,
}

// crivo.h: any number of threads may query a filter concurrently (&self); a change needs exclusive access (&mut self).
unsafe impl Send for Filter<'_> {}
unsafe impl Sync for Filter<'_> {}

impl Drop for Filter<'_> {
    fn drop(&mut self) {
        unsafe { c::crivo_free(self.handle.as_ptr()) }
    }
}

impl Filter<'static> {
    /// Makes a filter of these keys, of any kind except map and exact, which have their own functions.
    pub fn build<Key: AsRef<[u8]>>(keys: impl IntoIterator<Item = Key>, options: Options) -> Result<Self, Error> {
        let keys = Gathered::new(keys);
        Self::with(options, |wanted, filter, error| unsafe { c::crivo_build(wanted, &keys.view(), filter, error) })
    }

    /// Makes a map: a filter that stores a value for each key, at most 2^32 - 1, but not the keys. With an `fp_rate` of
    /// 1, the map cannot recognize absent keys, and is smallest. A key with two values is an error.
    pub fn build_map<Key: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (Key, u64)>,
        options: Options,
    ) -> Result<Self, Error> {
        let (keys, values): (Vec<Key>, Vec<u64>) = entries.into_iter().unzip();
        let keys = Gathered::new(keys);
        Self::with(options, |wanted, map, error| unsafe {
            c::crivo_build_map(wanted, &keys.view(), values.as_ptr(), map, error)
        })
    }

    /// Makes a filter that contains all members and none of the others, without error. It finds any other key with a
    /// probability of `fp_rate`. A key on both sides is an error.
    pub fn build_exact<Member: AsRef<[u8]>, Other: AsRef<[u8]>>(
        members: impl IntoIterator<Item = Member>,
        others: impl IntoIterator<Item = Other>,
        options: Options,
    ) -> Result<Self, Error> {
        let (members, others) = (Gathered::new(members), Gathered::new(others));
        Self::with(options, |wanted, filter, error| unsafe {
            c::crivo_build_exact(wanted, &members.view(), &others.view(), filter, error)
        })
    }

    /// Calls a function of C that makes a filter with these options.
    fn with(
        options: Options,
        make: impl FnOnce(*const c::Options, *mut *mut c::Filter, *mut c::Error) -> i32,
    ) -> Result<Self, Error> {
        let kind = c_string("kind", options.kind)?;
        let wanted = c::Options {
            size: std::mem::size_of::<c::Options>(),
            kind: if options.kind.is_empty() { ptr::null() } else { kind.as_ptr() },
            capacity: options.capacity,
            fp_rate: options.fp_rate,
            bits_per_key: 0.0,
            seed: options.seed,
            max_bytes: 0,
            threads: 0,
            reserved: 0,
            progress: None,
            progress_data: ptr::null_mut(),
        };
        made(|filter, error| make(&wanted, filter, error))
    }

    /// Opens a file of any form. The filter cannot be changed. If the file is damaged, `contains` returns true, and
    /// `contains_many` returns an error.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = c_string("path", path.as_ref().as_os_str().as_bytes())?;
        made(|filter, error| unsafe { c::crivo_open(name.as_ptr(), ptr::null(), filter, error) })
    }

    /// Makes a filter of a blob, which is copied.
    pub fn read(blob: &[u8]) -> Result<Self, Error> {
        let size = blob.len() as u64;
        made(|filter, error| unsafe { c::crivo_read(blob.as_ptr().cast(), size, ptr::null(), filter, error) })
    }
}

impl<'blob> Filter<'blob> {
    /// Opens a blob in place. The filter cannot be changed.
    pub fn borrow(blob: &'blob [u8]) -> Result<Self, Error> {
        let size = blob.len() as u64;
        made(|filter, error| unsafe { c::crivo_borrow(blob.as_ptr().cast(), size, ptr::null(), filter, error) })
    }

    pub fn add(&mut self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        let key = key.as_ref();
        done(|error| unsafe { c::crivo_add(self.handle.as_ptr(), key.as_ptr().cast(), key.len(), error) })
    }

    /// Returns false if the key is certainly absent. Returns true if the key is present, or for a false positive.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
        let key = key.as_ref();
        0 != unsafe { c::crivo_contains(self.handle.as_ptr(), key.as_ptr().cast(), key.len(), ptr::null_mut()) }
    }

    /// The same for many keys, with a single call of C.
    pub fn contains_many<Key: AsRef<[u8]>>(&self, keys: impl IntoIterator<Item = Key>) -> Result<Vec<bool>, Error> {
        let keys = Gathered::new(keys);
        let mut hits = vec![false; keys.offsets.len() - 1];
        // C writes 1 or 0 into each byte, which are Rust's true and false.
        let bytes: *mut u8 = hits.as_mut_ptr().cast();
        done(|error| unsafe { c::crivo_contains_keys(self.handle.as_ptr(), &keys.view(), bytes, error) })?;
        Ok(hits)
    }

    /// The value of a key in a map; None if the key is certainly absent. For a key that was never added, a false
    /// positive returns an arbitrary value.
    pub fn find(&self, key: impl AsRef<[u8]>) -> Result<Option<u64>, Error> {
        let key = key.as_ref();
        let (mut value, mut found) = (0, 0);
        done(|error| {
            let handle = self.handle.as_ptr();
            found = unsafe { c::crivo_find(handle, key.as_ptr().cast(), key.len(), &mut value, error) };
            -found.min(0) // an error is the negated status
        })?;
        Ok((found == 1).then(|| value))
    }

    /// The same for many keys, with a single call of C.
    pub fn find_many<Key: AsRef<[u8]>>(&self, keys: impl IntoIterator<Item = Key>) -> Result<Vec<Option<u64>>, Error> {
        let keys = Gathered::new(keys);
        let mut values = vec![0; keys.offsets.len() - 1];
        let mut found = vec![0; values.len()];
        let (numbers, hits) = (values.as_mut_ptr(), found.as_mut_ptr());
        done(|error| unsafe { c::crivo_find_keys(self.handle.as_ptr(), &keys.view(), numbers, hits, error) })?;
        Ok(values.iter().zip(found).map(|(&value, hit)| (hit == 1).then(|| value)).collect())
    }

    /// Writes the filter to a file, as `crivo build` does: replaces the file atomically, in a form that opens at once
    /// if the filter is large.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let name = c_string("path", path.as_ref().as_os_str().as_bytes())?;
        done(|error| unsafe { c::crivo_save(self.handle.as_ptr(), name.as_ptr(), c::FORM_AUTO, 0, error) })
    }

    /// The filter as a raw blob (docs/format.md): the same bytes for the same keys and options in every language.
    pub fn to_blob(&self) -> Result<Vec<u8>, Error> {
        let mut blob = vec![0; unsafe { c::crivo_blob_bound(self.handle.as_ptr()) } as usize];
        let (buffer, size) = (blob.as_mut_ptr().cast(), blob.len() as u64);
        let mut written = 0;
        done(|error| unsafe {
            c::crivo_write(self.handle.as_ptr(), c::FORM_RAW, 0, buffer, size, &mut written, error)
        })?;
        blob.truncate(written as usize);
        Ok(blob)
    }
}

/// What a sketch stores of a key, and returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SketchKeys {
    /// The 64-bit hashes of keys of any length.
    #[default]
    Hashes,
    /// Integers of 64 bits.
    Integers,
    /// Keys of this many bytes, at most 32.
    Bytes(u32),
}

/// The options of a sketch. Two sketches can be compared if `keys` and `seed` are equal, and `first` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SketchOptions {
    /// The length, at least 1; see `sketch_symbols`.
    pub symbols: u64,
    pub keys: SketchKeys,
    /// The number of the first symbol, to continue another sketch.
    pub first: u64,
    /// The seed of all hashes. If keys may be hostile, use a random number drawn after the keys are known.
    pub seed: u64,
}

/// The number of symbols that suffice for a difference of this many keys, in at least 997 of 1,000 cases.
pub fn sketch_symbols(difference: u64) -> u64 {
    unsafe { c::crivo_sketch_symbols(difference) }
}

/// A sketch of a set. Its size depends on the difference from the other set, not on the sets' sizes. A set must not
/// contain a key twice.
pub struct Sketch {
    handle: NonNull<c::Sketch>,
}

// As for a filter.
unsafe impl Send for Sketch {}
unsafe impl Sync for Sketch {}

impl Drop for Sketch {
    fn drop(&mut self) {
        unsafe { c::crivo_sketch_free(self.handle.as_ptr()) }
    }
}

/// The keys that only one of two sets has, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference<Key> {
    pub only_first: Vec<Key>,
    pub only_second: Vec<Key>,
}

impl Sketch {
    /// Makes the sketch of an empty set.
    pub fn new(options: SketchOptions) -> Result<Self, Error> {
        let keys = match options.keys {
            SketchKeys::Hashes => "hashes".to_owned(),
            SketchKeys::Integers => "integers".to_owned(),
            SketchKeys::Bytes(width) => format!("bytes:{width}"),
        };
        let keys = c_string("keys", keys)?;
        let wanted = c::SketchOptions {
            size: std::mem::size_of::<c::SketchOptions>(),
            keys: keys.as_ptr(),
            symbols: options.symbols,
            first: options.first,
            seed: options.seed,
            max_bytes: 0,
        };
        Ok(Sketch { handle: handle(|sketch, error| unsafe { c::crivo_sketch_create(&wanted, sketch, error) })? })
    }

    /// Makes a sketch of a blob.
    pub fn read(blob: &[u8]) -> Result<Self, Error> {
        let (bytes, size) = (blob.as_ptr().cast(), blob.len() as u64);
        let read = |sketch, error| unsafe { c::crivo_sketch_read(bytes, size, ptr::null(), sketch, error) };
        Ok(Sketch { handle: handle(read)? })
    }

    /// The options of the sketch, also of one that was read. A sketch with equal options can be compared with it.
    pub fn options(&self) -> Result<SketchOptions, Error> {
        let mut facts = c::SketchFacts { size: std::mem::size_of::<c::SketchFacts>(), ..Default::default() };
        done(|error| unsafe { c::crivo_sketch_get_facts(self.handle.as_ptr(), &mut facts, error) })?;
        let keys = match facts.key_type {
            0 => SketchKeys::Hashes,
            1 => SketchKeys::Bytes(facts.key_bytes),
            _ => SketchKeys::Integers,
        };
        Ok(SketchOptions { symbols: facts.symbols, keys, first: facts.first, seed: facts.seed })
    }

    /// Adds a key that is not in the set. It is an error if the key does not have the length of the sketch's keys, or
    /// if the sketch is of integers.
    pub fn add(&mut self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        let key = key.as_ref();
        done(|error| unsafe { c::crivo_sketch_add(self.handle.as_ptr(), key.as_ptr().cast(), key.len(), error) })
    }

    /// The same for many keys, with a single call of C. On an error, the keys before the failing one were added.
    pub fn add_many<Key: AsRef<[u8]>>(&mut self, keys: impl IntoIterator<Item = Key>) -> Result<(), Error> {
        let keys = Gathered::new(keys);
        done(|error| unsafe { c::crivo_sketch_add_keys(self.handle.as_ptr(), &keys.view(), error) })
    }

    /// Adds integers, as 64 bits, to a sketch of integers, or the hashes of keys to a sketch of hashes. It is an error
    /// if the sketch is of bytes.
    pub fn add_numbers(&mut self, numbers: &[u64]) -> Result<(), Error> {
        let (numbers, count) = (numbers.as_ptr(), numbers.len() as u64);
        done(|error| unsafe { c::crivo_sketch_add_numbers(self.handle.as_ptr(), numbers, count, error) })
    }

    /// Removes a key that is in the set.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        let key = key.as_ref();
        done(|error| unsafe { c::crivo_sketch_remove(self.handle.as_ptr(), key.as_ptr().cast(), key.len(), error) })
    }

    pub fn remove_many<Key: AsRef<[u8]>>(&mut self, keys: impl IntoIterator<Item = Key>) -> Result<(), Error> {
        let keys = Gathered::new(keys);
        done(|error| unsafe { c::crivo_sketch_remove_keys(self.handle.as_ptr(), &keys.view(), error) })
    }

    pub fn remove_numbers(&mut self, numbers: &[u64]) -> Result<(), Error> {
        let (numbers, count) = (numbers.as_ptr(), numbers.len() as u64);
        done(|error| unsafe { c::crivo_sketch_remove_numbers(self.handle.as_ptr(), numbers, count, error) })
    }

    /// Appends the next symbols of the same set. The option `first` of `next` must be `first` + `symbols` of this
    /// sketch.
    pub fn append(&mut self, next: &Sketch) -> Result<(), Error> {
        done(|error| unsafe { c::crivo_sketch_append(self.handle.as_ptr(), next.handle.as_ptr(), error) })
    }

    /// Adds all keys of another set, which must have no key in common with this one. The options must be equal.
    pub fn combine(&mut self, other: &Sketch) -> Result<(), Error> {
        done(|error| unsafe { c::crivo_sketch_combine(self.handle.as_ptr(), other.handle.as_ptr(), error) })
    }

    /// The sketch as a blob (docs/format.md), to send it to the other side. `read` reads it.
    pub fn to_blob(&self) -> Result<Vec<u8>, Error> {
        let mut blob = vec![0; unsafe { c::crivo_sketch_bytes(self.handle.as_ptr()) } as usize];
        let (buffer, size) = (blob.as_mut_ptr().cast(), blob.len() as u64);
        done(|error| unsafe { c::crivo_sketch_write(self.handle.as_ptr(), buffer, size, error) })?;
        Ok(blob)
    }

    /// The keys that only one of two sets has: integers in the order of i64, or hashes. None if the sketches have too
    /// few symbols: append more to both. It is an error if the options differ, if no two sets have these symbols, or if
    /// the sketches are of bytes.
    pub fn difference_numbers(&self, other: &Sketch) -> Result<Option<Difference<u64>>, Error> {
        self.difference(other, |difference, side| {
            let (mut numbers, mut count) = (ptr::null(), 0);
            done(|error| unsafe { c::crivo_difference_numbers(difference, side, &mut numbers, &mut count, error) })?;
            Ok(unsafe { copied(numbers, count) })
        })
    }

    /// The same for sketches of bytes. The integers or hashes of other sketches are returned as 8 bytes, little-endian.
    pub fn difference_keys(&self, other: &Sketch) -> Result<Option<Difference<Vec<u8>>>, Error> {
        self.difference(other, |difference, side| {
            let mut keys = c::Keys { bytes: ptr::null(), bytes_size: 0, offsets: ptr::null(), width: 0, count: 0 };
            done(|error| unsafe { c::crivo_difference_keys(difference, side, &mut keys, error) })?;
            let bytes: Vec<u8> = unsafe { copied(keys.bytes.cast(), keys.bytes_size) };
            Ok(bytes.chunks_exact(keys.width as usize).map(Vec::from).collect())
        })
    }

    fn difference<Key>(
        &self,
        other: &Sketch,
        keys_of: impl Fn(*const c::Difference, i32) -> Result<Vec<Key>, Error>,
    ) -> Result<Option<Difference<Key>>, Error> {
        let (first, second) = (self.handle.as_ptr(), other.handle.as_ptr());
        let mut found = ptr::null_mut();
        done(|error| unsafe { c::crivo_find_difference(first, second, &mut found, error) })?;
        if found.is_null() {
            return Ok(None);
        }
        let sides = keys_of(found, 0).and_then(|only_first| Ok((only_first, keys_of(found, 1)?)));
        unsafe { c::crivo_difference_free(found) };
        sides.map(|(only_first, only_second)| Some(Difference { only_first, only_second }))
    }
}

/// The key of an integer: its decimal digits, as in SQL.
pub fn integer_key(value: i64) -> Vec<u8> {
    number_key(|key| unsafe { c::crivo_integer_key(value, key) })
}

/// The key of an unsigned integer.
pub fn unsigned_key(value: u64) -> Vec<u8> {
    number_key(|key| unsafe { c::crivo_unsigned_key(value, key) })
}

/// The key of a real: if it equals an integer, the key of that integer; else its shortest decimal digits. As in SQL.
pub fn real_key(value: f64) -> Vec<u8> {
    number_key(|key| unsafe { c::crivo_real_key(value, key) })
}

fn number_key(write: impl FnOnce(*mut c_char) -> usize) -> Vec<u8> {
    let mut key: [c_char; c::NUMBER_KEY_BYTES] = [0; c::NUMBER_KEY_BYTES];
    let size = write(key.as_mut_ptr());
    key[..size].iter().map(|&each| each as u8).collect()
}

/// Keys, stored consecutively, as crivo_keys expects them.
struct Gathered {
    bytes: Vec<u8>,
    offsets: Vec<u64>,
}

impl Gathered {
    fn new<Key: AsRef<[u8]>>(keys: impl IntoIterator<Item = Key>) -> Self {
        let mut gathered = Gathered { bytes: Vec::new(), offsets: vec![0] };
        for key in keys {
            gathered.bytes.extend_from_slice(key.as_ref());
            gathered.offsets.push(gathered.bytes.len() as u64);
        }
        gathered
    }

    fn view(&self) -> c::Keys {
        c::Keys {
            bytes: self.bytes.as_ptr().cast(),
            bytes_size: self.bytes.len() as u64,
            offsets: self.offsets.as_ptr(),
            width: 0,
            count: self.offsets.len() as u64 - 1,
        }
    }
}

fn c_string(field: &str, text: impl AsRef<[u8]>) -> Result<CString, Error> {
    CString::new(text.as_ref()).map_err(|_| Error {
        status: c::BAD_ARGUMENT,
        message: format!("{field} must have no NUL, got {:?}", String::from_utf8_lossy(text.as_ref())),
    })
}

/// Converts the status of a call to a Result, with the call's message.
fn done(call: impl FnOnce(*mut c::Error) -> i32) -> Result<(), Error> {
    let mut error = c::Error { status: 0, message: [0; 508] };
    match call(&mut error) {
        0 => Ok(()),
        status => {
            let message = unsafe { CStr::from_ptr(error.message.as_ptr()) };
            Err(Error { status, message: message.to_string_lossy().into_owned() })
        }
    }
}

fn made<'blob>(call: impl FnOnce(*mut *mut c::Filter, *mut c::Error) -> i32) -> Result<Filter<'blob>, Error> {
    Ok(Filter { handle: handle(call)?, blob: PhantomData })
}

fn handle<Made>(call: impl FnOnce(*mut *mut Made, *mut c::Error) -> i32) -> Result<NonNull<Made>, Error> {
    let mut handle = ptr::null_mut();
    done(|error| call(&mut handle, error))?;
    Ok(NonNull::new(handle).expect("what was made"))
}

/// Copies an array that C returned, and that may be NULL if it is empty.
unsafe fn copied<Item: Clone>(items: *const Item, count: u64) -> Vec<Item> {
    if count == 0 {
        return Vec::new();
    }
    std::slice::from_raw_parts(items, count as usize).to_vec()
}

#[cfg(test)]
#[path = "crivo_test.rs"]
mod tests;
