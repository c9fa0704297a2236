// Sketches, from which the difference of two sets can be computed.

package crivo

// #include <crivo.h>
// #include <stdlib.h>
//
// static crivo_status change_keys(crivo_sketch* sketch, int add, const void* bytes, uint64_t bytes_size,
//                                 const uint64_t* offsets, uint64_t count, crivo_error* error) {
//   crivo_keys keys = {bytes, bytes_size, offsets, 0, count};
//   return add ? crivo_sketch_add_keys(sketch, &keys, error) : crivo_sketch_remove_keys(sketch, &keys, error);
// }
//
// static crivo_status change_numbers(crivo_sketch* sketch, int add, const uint64_t* numbers, uint64_t count,
//                                    crivo_error* error) {
//   return add ? crivo_sketch_add_numbers(sketch, numbers, count, error)
//              : crivo_sketch_remove_numbers(sketch, numbers, count, error);
// }
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// SketchOptions specify a sketch. Two sketches can be compared if Keys and Seed are equal, and First is 0.
type SketchOptions struct {
	Symbols uint64 // the length, at least 1; see SketchSymbols
	Keys    string // what is stored of a key: "hashes", the default; "integers", of 64 bits; "bytes:16"
	First   uint64 // the number of the first symbol, to continue another sketch
	Seed    uint64 // of all hashes; if keys may be hostile, a random number drawn after they are known
}

// SketchSymbols returns the number of symbols that suffice for a difference of this many keys, in at least 997 of 1,000
// cases.
func SketchSymbols(difference uint64) uint64 {
	return uint64(C.crivo_sketch_symbols(C.uint64_t(difference)))
}

// Sketch is a sketch of a set, in C's memory. Its size depends on the difference from the other set, not on the sets'
// sizes. A set must not contain a key twice. Concurrent use is as for Filter.
type Sketch struct {
	handle *C.crivo_sketch
}

// NewSketch makes the sketch of an empty set. Errors: BadArgument, with the field.
func NewSketch(options SketchOptions) (*Sketch, error) {
	var wanted C.crivo_sketch_options
	wanted.size = C.sizeof_crivo_sketch_options
	wanted.symbols, wanted.first = C.uint64_t(options.Symbols), C.uint64_t(options.First)
	wanted.seed = C.uint64_t(options.Seed)
	if options.Keys != "" {
		keys, err := cString("keys", options.Keys)
		if err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(keys))
		wanted.keys = keys
	}
	var handle *C.crivo_sketch
	var detail C.crivo_error
	if err := failure(C.crivo_sketch_create(&wanted, &handle, &detail), &detail); err != nil {
		return nil, err
	}
	return ownedSketch(handle), nil
}

// ReadSketch makes a sketch of a blob. Errors: Corrupt, with the reason; TooLarge.
func ReadSketch(blob []byte) (*Sketch, error) {
	var handle *C.crivo_sketch
	var detail C.crivo_error
	lent := notEmpty(blob)
	status := C.crivo_sketch_read(unsafe.Pointer(&lent[0]), C.uint64_t(len(blob)), nil, &handle, &detail)
	if err := failure(status, &detail); err != nil {
		return nil, err
	}
	return ownedSketch(handle), nil
}

func ownedSketch(handle *C.crivo_sketch) *Sketch {
	sketch := &Sketch{handle}
	runtime.SetFinalizer(sketch, (*Sketch).Close)
	return sketch
}

// Close frees the memory. All other functions of a closed sketch return an error.
func (s *Sketch) Close() {
	C.crivo_sketch_free(s.handle)
	s.handle = nil
	runtime.SetFinalizer(s, nil)
}

// Options returns the options of the sketch, also of one that was read. A sketch with equal options can be compared
// with it.
func (s *Sketch) Options() (SketchOptions, error) {
	var detail C.crivo_error
	facts := C.crivo_sketch_facts{size: C.sizeof_crivo_sketch_facts}
	status := C.crivo_sketch_get_facts(s.handle, &facts, &detail)
	runtime.KeepAlive(s)
	if err := failure(status, &detail); err != nil {
		return SketchOptions{}, err
	}
	keys := [...]string{"hashes", fmt.Sprint("bytes:", facts.key_bytes), "integers"}[facts.key_type]
	return SketchOptions{uint64(facts.symbols), keys, uint64(facts.first), uint64(facts.seed)}, nil
}

// Add adds a key that is not in the set. Errors: BadArgument for a key of another length than the sketch's, and for a
// sketch of integers.
func (s *Sketch) Add(key []byte) error {
	var detail C.crivo_error
	lent := notEmpty(key)
	status := C.crivo_sketch_add(s.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), &detail)
	runtime.KeepAlive(s)
	return failure(status, &detail)
}

// AddMany adds many keys, with a single call of C. On an error, the keys before the failing one were added.
func (s *Sketch) AddMany(keys Keys) error { return s.changeKeys(1, keys) }

// AddNumbers adds integers, as 64 bits, to a sketch of integers, or the hashes of keys to a sketch of hashes. Errors:
// BadArgument for a sketch of bytes.
func (s *Sketch) AddNumbers(numbers ...uint64) error { return s.changeNumbers(1, numbers) }

// Remove removes a key that is in the set. Errors: as Add.
func (s *Sketch) Remove(key []byte) error {
	var detail C.crivo_error
	lent := notEmpty(key)
	status := C.crivo_sketch_remove(s.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), &detail)
	runtime.KeepAlive(s)
	return failure(status, &detail)
}

// RemoveMany removes many keys, with a single call of C.
func (s *Sketch) RemoveMany(keys Keys) error { return s.changeKeys(0, keys) }

// RemoveNumbers removes integers, or the hashes of keys.
func (s *Sketch) RemoveNumbers(numbers ...uint64) error { return s.changeNumbers(0, numbers) }

func (s *Sketch) changeKeys(add C.int, keys Keys) error {
	var detail C.crivo_error
	bytes, offsets := lendable(keys)
	status := C.change_keys(s.handle, add, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)),
		(*C.uint64_t)(&offsets[0]), C.uint64_t(keys.Len()), &detail)
	runtime.KeepAlive(s)
	return failure(status, &detail)
}

func (s *Sketch) changeNumbers(add C.int, numbers []uint64) error {
	var detail C.crivo_error
	lent := notEmpty(numbers)
	status := C.change_numbers(s.handle, add, (*C.uint64_t)(&lent[0]), C.uint64_t(len(numbers)), &detail)
	runtime.KeepAlive(s)
	return failure(status, &detail)
}

// Append appends the next symbols of the same set. The option First of next must be First + Symbols of this sketch.
// Errors: Incompatible, with the field.
func (s *Sketch) Append(next *Sketch) error {
	var detail C.crivo_error
	status := C.crivo_sketch_append(s.handle, next.handle, &detail)
	runtime.KeepAlive(s)
	runtime.KeepAlive(next)
	return failure(status, &detail)
}

// Combine adds all keys of another set, which must have no key in common with this one. The options must be equal.
// Errors: as Append.
func (s *Sketch) Combine(other *Sketch) error {
	var detail C.crivo_error
	status := C.crivo_sketch_combine(s.handle, other.handle, &detail)
	runtime.KeepAlive(s)
	runtime.KeepAlive(other)
	return failure(status, &detail)
}

// Blob returns the sketch as a blob (docs/format.md), to send it to the other side. ReadSketch reads it.
func (s *Sketch) Blob() ([]byte, error) {
	blob := make([]byte, C.crivo_sketch_bytes(s.handle)+1)
	var detail C.crivo_error
	status := C.crivo_sketch_write(s.handle, unsafe.Pointer(&blob[0]), C.uint64_t(len(blob)), &detail)
	runtime.KeepAlive(s)
	if err := failure(status, &detail); err != nil {
		return nil, err
	}
	return blob[:len(blob)-1], nil
}

// Difference contains the keys that only one of two sets has, in ascending order.
type Difference[Key any] struct {
	OnlyFirst, OnlySecond []Key
}

// DifferenceNumbers returns the keys that only one of two sets has: integers in the order of int64, or hashes. ok is
// false, without an error, if the sketches have too few symbols: append more to both. Errors: Incompatible, with the
// field that differs; BadArgument if First is not 0; Corrupt for symbols that no two sets have; Unsupported for
// sketches of bytes.
func (s *Sketch) DifferenceNumbers(other *Sketch) (found Difference[uint64], ok bool, err error) {
	return difference(s, other, func(handle *C.crivo_difference, side C.int32_t) ([]uint64, error) {
		var numbers *C.uint64_t
		var count C.uint64_t
		var detail C.crivo_error
		status := C.crivo_difference_numbers(handle, side, &numbers, &count, &detail)
		if err := failure(status, &detail); err != nil {
			return nil, err
		}
		return append([]uint64{}, unsafe.Slice((*uint64)(numbers), count)...), nil
	})
}

// DifferenceKeys does the same for sketches of bytes, and returns integers and hashes as 8 bytes, little-endian.
func (s *Sketch) DifferenceKeys(other *Sketch) (found Difference[[]byte], ok bool, err error) {
	return difference(s, other, func(handle *C.crivo_difference, side C.int32_t) ([][]byte, error) {
		var keys C.crivo_keys
		var detail C.crivo_error
		status := C.crivo_difference_keys(handle, side, &keys, &detail)
		if err := failure(status, &detail); err != nil {
			return nil, err
		}
		all := append([]byte{}, unsafe.Slice((*byte)(keys.bytes), keys.bytes_size)...)
		list := make([][]byte, keys.count)
		for i := range list {
			list[i], all = all[:keys.width:keys.width], all[keys.width:]
		}
		return list, nil
	})
}

func difference[Key any](first, second *Sketch,
	keysOf func(*C.crivo_difference, C.int32_t) ([]Key, error)) (found Difference[Key], ok bool, err error) {
	var handle *C.crivo_difference
	var detail C.crivo_error
	status := C.crivo_find_difference(first.handle, second.handle, &handle, &detail)
	runtime.KeepAlive(first)
	runtime.KeepAlive(second)
	if err = failure(status, &detail); err != nil || handle == nil {
		return found, false, err
	}
	defer C.crivo_difference_free(handle)
	if found.OnlyFirst, err = keysOf(handle, 0); err == nil {
		found.OnlySecond, err = keysOf(handle, 1)
	}
	return found, err == nil, err
}
