// Package crivo makes, asks, reads and writes Crivo's filters through its C interface, crivo.h.
//
// Go's memory may be lent to C for the length of a call (the documentation of cgo, "Passing pointers"). So keys and
// blobs are lent and not copied, and nothing that C keeps lies in Go's memory. That is also why there is no function
// for crivo_borrow, which would keep the blob.
package crivo

// #cgo pkg-config: crivo-c
// #include <crivo.h>
// #include <stdlib.h>
//
// // What is lent must not hold pointers to Go's memory itself. So a crivo_keys is put together here, on C's stack.
//
// static crivo_status build(const crivo_options* options, const void* bytes, uint64_t bytes_size,
//                           const uint64_t* offsets, uint64_t count, crivo_filter** filter, crivo_error* error) {
//   crivo_keys keys = {bytes, bytes_size, offsets, 0, count};
//   return crivo_build(options, &keys, filter, error);
// }
//
// static crivo_status contains_many(const crivo_filter* filter, const void* bytes, uint64_t bytes_size,
//                                   const uint64_t* offsets, uint64_t count, uint8_t* hits, crivo_error* error) {
//   crivo_keys keys = {bytes, bytes_size, offsets, 0, count};
//   return crivo_contains_keys(filter, &keys, hits, error);
// }
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// Status tells errors apart: errors.Is(err, crivo.Full).
type Status int32

const (
	BadArgument  Status = C.CRIVO_BAD_ARGUMENT
	Corrupt      Status = C.CRIVO_CORRUPT
	Incompatible Status = C.CRIVO_INCOMPATIBLE
	Unsupported  Status = C.CRIVO_UNSUPPORTED
	Full         Status = C.CRIVO_FULL
	TooLarge     Status = C.CRIVO_TOO_LARGE
	NoMemory     Status = C.CRIVO_NO_MEMORY
	System       Status = C.CRIVO_SYSTEM
)

func (s Status) Error() string { return "crivo: " + C.GoString(C.crivo_status_name(C.crivo_status(s))) }

// Error is a status with the message that names the field, the value and what is allowed.
type Error struct {
	Status  Status
	Message string
}

func (e *Error) Error() string { return "crivo: " + e.Message }
func (e *Error) Unwrap() error { return e.Status }

func failure(status C.crivo_status, detail *C.crivo_error) error {
	if status == C.CRIVO_OK {
		return nil
	}
	return &Error{Status(status), C.GoString(&detail.message[0])}
}

// Options say what a filter is to be. A field of zero stands for its default.
type Options struct {
	Kind     string  // "blocked", or "map" or "exact" where one is built; "classic", "ribbon", "map:8" and so on
	Capacity uint64  // keys to make room for; by default as many distinct ones as there are
	FPRate   float64 // the false-positive rate at capacity, below 1, or also 1 for a map or exact; 0.01, or 1 for exact
	Seed     uint64  // of the hash
}

// Filter is a filter in C's memory. Any number of goroutines may ask it; while one changes or closes it, no other may
// use it.
type Filter struct {
	handle *C.crivo_filter
}

// owned frees the filter when nobody refers to it any more, for those who forget Close.
func owned(handle *C.crivo_filter) *Filter {
	filter := &Filter{handle}
	runtime.SetFinalizer(filter, (*Filter).Close)
	return filter
}

// Close frees the memory. A closed filter answers every question with "maybe", and everything else with an error.
func (f *Filter) Close() {
	C.crivo_free(f.handle)
	f.handle = nil
	runtime.SetFinalizer(f, nil)
}

// Build makes a filter of these keys, of any kind but map and exact, which have functions of their own.
func Build(keys Keys, options Options) (*Filter, error) {
	bytes, offsets := lendable(keys)
	return made(options, func(wanted *C.crivo_options, handle **C.crivo_filter, detail *C.crivo_error) C.crivo_status {
		return C.build(wanted, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)), (*C.uint64_t)(&offsets[0]),
			C.uint64_t(keys.Len()), handle, detail)
	})
}

// made is the filter that a function of C makes with these options.
func made(options Options,
	make func(*C.crivo_options, **C.crivo_filter, *C.crivo_error) C.crivo_status) (*Filter, error) {
	var wanted C.crivo_options
	wanted.size = C.sizeof_crivo_options
	wanted.capacity, wanted.seed = C.uint64_t(options.Capacity), C.uint64_t(options.Seed)
	wanted.fp_rate = C.double(options.FPRate)
	if options.Kind != "" {
		kind, err := cString("kind", options.Kind)
		if err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(kind))
		wanted.kind = kind
	}
	var handle *C.crivo_filter
	var detail C.crivo_error
	if err := failure(make(&wanted, &handle, &detail), &detail); err != nil {
		return nil, err
	}
	return owned(handle), nil
}

// Add adds a key. Errors: Unsupported for a kind that is built once; Full.
func (f *Filter) Add(key []byte) error {
	var detail C.crivo_error
	lent := notEmpty(key)
	status := C.crivo_add(f.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), &detail)
	runtime.KeepAlive(f)
	return failure(status, &detail)
}

// Contains is false if the key is certainly not there, and true if it is, or if this is a false hit.
func (f *Filter) Contains(key []byte) bool {
	lent := notEmpty(key)
	answer := C.crivo_contains(f.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), nil)
	runtime.KeepAlive(f)
	return answer != 0
}

// ContainsMany answers for many keys, with a single call of C.
func (f *Filter) ContainsMany(keys Keys) ([]bool, error) {
	hits := make([]bool, keys.Len())
	var detail C.crivo_error
	bytes, offsets := lendable(keys)
	room := notEmpty(hits) // a bool of Go is a byte that is 1 or 0, as C writes it here
	status := C.contains_many(f.handle, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)),
		(*C.uint64_t)(&offsets[0]), C.uint64_t(keys.Len()), (*C.uint8_t)(unsafe.Pointer(&room[0])), &detail)
	runtime.KeepAlive(f)
	if err := failure(status, &detail); err != nil {
		return nil, err // no answers: all false would say that no key is there
	}
	return hits, nil
}

// Save writes the filter to a file, as `crivo build` does: it is replaced in one step, and opens at once if it is
// large.
func (f *Filter) Save(path string) error {
	name, err := cString("path", path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(name))
	var detail C.crivo_error
	status := C.crivo_save(f.handle, name, C.CRIVO_FORM_AUTO, 0, &detail)
	runtime.KeepAlive(f)
	return failure(status, &detail)
}

// Open opens a file of any form; the filter cannot be changed. If the file is damaged, Contains answers "maybe", and
// ContainsMany with an error. Errors: System, Corrupt and others.
func Open(path string) (*Filter, error) {
	name, err := cString("path", path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	var handle *C.crivo_filter
	var detail C.crivo_error
	if err := failure(C.crivo_open(name, nil, &handle, &detail), &detail); err != nil {
		return nil, err
	}
	return owned(handle), nil
}

// Blob returns the filter as a raw blob (docs/format.md): the same bytes for the same keys and options in every
// language.
func (f *Filter) Blob() ([]byte, error) {
	blob := make([]byte, C.crivo_blob_bound(f.handle)+1)
	var written C.uint64_t
	var detail C.crivo_error
	status := C.crivo_write(f.handle, C.CRIVO_FORM_RAW, 0, unsafe.Pointer(&blob[0]), C.uint64_t(len(blob)), &written,
		&detail)
	runtime.KeepAlive(f)
	if err := failure(status, &detail); err != nil {
		return nil, err
	}
	return blob[:written], nil
}

// Read makes a filter of a blob, which it copies. Errors: Corrupt naming what is wrong; TooLarge.
func Read(blob []byte) (*Filter, error) {
	var handle *C.crivo_filter
	var detail C.crivo_error
	lent := notEmpty(blob)
	status := C.crivo_read(unsafe.Pointer(&lent[0]), C.uint64_t(len(blob)), nil, &handle, &detail)
	if err := failure(status, &detail); err != nil {
		return nil, err
	}
	return owned(handle), nil
}

// cString copies a text into C's memory, where it ends in a NUL. The caller frees it.
func cString(field, text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, &Error{BadArgument, fmt.Sprintf("%s must have no NUL, got %q", field, text)}
	}
	return C.CString(text), nil
}

// notEmpty returns the items, or another if there are none: the expression &items[0] needs one to point to. It must
// stand in the call itself, for only then does cgo know that nothing beside these items is lent.
func notEmpty[Item byte | uint64 | bool](items []Item) []Item {
	if len(items) == 0 {
		return make([]Item, 1)
	}
	return items
}

func lendable(keys Keys) ([]byte, []uint64) { return notEmpty(keys.bytes), notEmpty(keys.offsets) }
