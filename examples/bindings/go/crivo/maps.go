// Maps, which store a value for each key, and exact filters, which answer exactly for all keys passed to BuildExact.

package crivo

// #include <crivo.h>
//
// static crivo_status build_map(const crivo_options* options, const void* bytes, uint64_t bytes_size,
//                               const uint64_t* offsets, uint64_t count, const uint64_t* values,
//                               crivo_filter** filter, crivo_error* error) {
//   crivo_keys keys = {bytes, bytes_size, offsets, 0, count};
//   return crivo_build_map(options, &keys, values, filter, error);
// }
//
// static crivo_status build_exact(const crivo_options* options, const void* bytes, uint64_t bytes_size,
//                                 const uint64_t* offsets, uint64_t count, const void* other_bytes,
//                                 uint64_t other_bytes_size, const uint64_t* other_offsets, uint64_t other_count,
//                                 crivo_filter** filter, crivo_error* error) {
//   crivo_keys members = {bytes, bytes_size, offsets, 0, count};
//   crivo_keys others = {other_bytes, other_bytes_size, other_offsets, 0, other_count};
//   return crivo_build_exact(options, &members, &others, filter, error);
// }
//
// static crivo_status find_many(const crivo_filter* map, const void* bytes, uint64_t bytes_size,
//                               const uint64_t* offsets, uint64_t count, uint64_t* values, uint8_t* found,
//                               crivo_error* error) {
//   crivo_keys keys = {bytes, bytes_size, offsets, 0, count};
//   return crivo_find_keys(map, &keys, values, found, error);
// }
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// BuildMap makes a map: a filter that stores a value for each key, at most 2^32 - 1, but not the keys. values[i] is the
// value of key i. With an FPRate of 1, the map cannot recognize absent keys, and is smallest. Errors: BadArgument also
// for a value that is too large, and for a key with two values.
func BuildMap(keys Keys, values []uint64, options Options) (*Filter, error) {
	if len(values) != keys.Len() {
		text := fmt.Sprintf("values must have one item per key, got %d for %d keys", len(values), keys.Len())
		return nil, &Error{BadArgument, text}
	}
	bytes, offsets := lendable(keys)
	lent := notEmpty(values)
	return made(options, func(wanted *C.crivo_options, handle **C.crivo_filter, detail *C.crivo_error) C.crivo_status {
		return C.build_map(wanted, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)), (*C.uint64_t)(&offsets[0]),
			C.uint64_t(keys.Len()), (*C.uint64_t)(&lent[0]), handle, detail)
	})
}

// BuildExact makes a filter that contains all members and none of the others, without error. It finds any other key
// with a probability of FPRate. Errors: BadArgument also for a key on both sides.
func BuildExact(members, others Keys, options Options) (*Filter, error) {
	bytes, offsets := lendable(members)
	otherBytes, otherOffsets := lendable(others)
	return made(options, func(wanted *C.crivo_options, handle **C.crivo_filter, detail *C.crivo_error) C.crivo_status {
		return C.build_exact(wanted, unsafe.Pointer(&bytes[0]), C.uint64_t(len(members.bytes)),
			(*C.uint64_t)(&offsets[0]), C.uint64_t(members.Len()), unsafe.Pointer(&otherBytes[0]),
			C.uint64_t(len(others.bytes)), (*C.uint64_t)(&otherOffsets[0]), C.uint64_t(others.Len()), handle, detail)
	})
}

// Find returns the value of a key in a map; found is false if the key is certainly absent. For a key that was never
// added, a false positive returns an arbitrary value. Errors: Unsupported for a filter of another kind.
func (f *Filter) Find(key []byte) (value uint64, found bool, err error) {
	var number C.uint64_t
	var detail C.crivo_error
	lent := notEmpty(key)
	answer := C.crivo_find(f.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), &number, &detail)
	runtime.KeepAlive(f)
	if answer < 0 {
		return 0, false, failure(-answer, &detail)
	}
	return uint64(number), answer == 1, nil
}

// FindMany is Find for many keys, with a single call of C. The value of a key that is not found is arbitrary.
func (f *Filter) FindMany(keys Keys) (values []uint64, found []bool, err error) {
	values, found = make([]uint64, keys.Len()), make([]bool, keys.Len())
	var detail C.crivo_error
	bytes, offsets := lendable(keys)
	numbers, hits := notEmpty(values), notEmpty(found)
	status := C.find_many(f.handle, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)), (*C.uint64_t)(&offsets[0]),
		C.uint64_t(keys.Len()), (*C.uint64_t)(&numbers[0]), (*C.uint8_t)(unsafe.Pointer(&hits[0])), &detail)
	runtime.KeepAlive(f)
	if err := failure(status, &detail); err != nil {
		return nil, nil, err
	}
	return values, found, nil
}
