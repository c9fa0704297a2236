// Sketches, from which the difference of two sets is found.

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

// SketchOptions say what a sketch is to be. Two sketches are compared if all but Symbols are the same.
type SketchOptions struct {
	Symbols uint64 // how long it is, at least 1; SketchSymbols says what a difference needs
	Keys    string // what is known of keys, and given back: "hashes", the default; "integers", of 64 bits; "bytes:16"
	First   uint64 // the number of the first symbol, to continue another sketch
	Seed    uint64 // of all hashes: where keys come from strangers, a new one that is drawn after them
}

// SketchSymbols is how many symbols tell a difference of so many keys, in at least 997 of 1,000 cases.
func SketchSymbols(difference uint64) uint64 {
	return uint64(C.crivo_sketch_symbols(C.uint64_t(difference)))
}

// Sketch is a sketch of a set, in C's memory: it grows with the difference to another set, and not with the sets. No
// key may be in a set twice. Goroutines share it as they do a Filter.
type Sketch struct {
	handle *C.crivo_sketch
}

// NewSketch makes the sketch of a set without keys. Errors: BadArgument naming the field.
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

// ReadSketch makes a sketch of a blob. Errors: Corrupt naming what is wrong; TooLarge.
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

// Close frees the memory. Everything that is asked of a closed sketch is an error.
func (s *Sketch) Close() {
	C.crivo_sketch_free(s.handle)
	s.handle = nil
	runtime.SetFinalizer(s, nil)
}

// Options are what it was made with: a sketch with the same can be compared with it, also where this one was read.
func (s *Sketch) Options() (SketchOptions, error) {
	var detail C.crivo_error
	facts := C.crivo_sketch_facts{size: C.sizeof_crivo_sketch_facts}
	status := C.crivo_sketch_get_facts(s.handle, &facts, &detail)
	runtime.KeepAlive(s)
	if err := failure(status, &detail); err != nil {
		return SketchOptions{}, err
	}
	keys := [...]string{"hashes", fmt.Sprint("bytes:", facts.key_bytes), "integers"}[facts.what]
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

// AddMany adds many keys, with a single call of C. On an error those before the failing one were added.
func (s *Sketch) AddMany(keys Keys) error { return s.changeKeys(1, keys) }

// AddNumbers adds integers, as their 64 bits, to a sketch of integers, or keys by their hashes. Errors: BadArgument for
// a sketch of bytes.
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

// RemoveNumbers removes integers, or keys by their hashes.
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

// Append puts the next symbols of the same set behind these: next was made with a First that is First + Symbols of this
// sketch. Errors: Incompatible naming the field.
func (s *Sketch) Append(next *Sketch) error {
	var detail C.crivo_error
	status := C.crivo_sketch_append(s.handle, next.handle, &detail)
	runtime.KeepAlive(s)
	runtime.KeepAlive(next)
	return failure(status, &detail)
}

// Combine adds all keys of a set that has none of these; other has the same options. Errors: as Append.
func (s *Sketch) Combine(other *Sketch) error {
	var detail C.crivo_error
	status := C.crivo_sketch_combine(s.handle, other.handle, &detail)
	runtime.KeepAlive(s)
	runtime.KeepAlive(other)
	return failure(status, &detail)
}

// Blob returns the sketch as a blob (docs/format.md), which ReadSketch reads: it is what one side sends to the other.
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

// Difference is what two sets differ in: the keys that only one of them has, in ascending order.
type Difference[Key any] struct {
	OnlyFirst, OnlySecond []Key
}

// DifferenceNumbers finds the keys that only one of two sets has, as hashes, or as integers, whose order is that of
// int64. ok is false, without an error, if the sketches have too few symbols: append more to both. Errors: Incompatible naming the field that differs; BadArgument if First is not 0; Corrupt for symbols
// that no two sets have; Unsupported for sketches of bytes.
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

// DifferenceKeys is the same for sketches of bytes. It gives numbers as 8 bytes, little-endian.
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
