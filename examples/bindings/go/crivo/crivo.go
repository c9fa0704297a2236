// Package crivo builds, queries, reads and writes Crivo's filters through its C interface, crivo.h.
//
// C may use Go's memory during a call (the documentation of cgo, "Passing pointers"). So keys and blobs are passed
// without a copy, and C retains no pointer to Go's memory. For the same reason there is no function for crivo_borrow,
// which would retain the blob.
package crivo

// #cgo pkg-config: crivo-c
// #include <crivo.h>
// #include <stdlib.h>
//
// // Memory that Go passes to C must not contain pointers to Go's memory. So these functions make the crivo_keys on
// // C's stack.
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

// Status is the category of an error, for errors.Is(err, crivo.Full).
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

// Error is a status and a message, which names the field, the allowed values and the value.
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

// Options specify a filter. A field of zero stands for its default.
type Options struct {
	Kind     string  // "classic", "ribbon", "map:8" and so on; the default is "blocked", "map" or "exact", by function
	Capacity uint64  // the number of keys; by default, the builds derive it from the keys
	FPRate   float64 // the rate at capacity, below 1, or up to 1 for map and exact; default 0.01, or 1 for exact
	Seed     uint64  // of the hash function
}

// Filter is a filter in C's memory. Any number of goroutines may query it concurrently. While one changes or closes it,
// no other may use it.
type Filter struct {
	handle *C.crivo_filter
}

// owned sets a finalizer, which frees a filter that was not closed.
func owned(handle *C.crivo_filter) *Filter {
	filter := &Filter{handle}
	runtime.SetFinalizer(filter, (*Filter).Close)
	return filter
}

// Close frees the memory. Afterwards, Contains returns true, and all other functions return an error.
func (f *Filter) Close() {
	C.crivo_free(f.handle)
	f.handle = nil
	runtime.SetFinalizer(f, nil)
}

// Build makes a filter of these keys, of any kind except map and exact, which have their own functions.
func Build(keys Keys, options Options) (*Filter, error) {
	bytes, offsets := lendable(keys)
	return made(options, func(wanted *C.crivo_options, handle **C.crivo_filter, detail *C.crivo_error) C.crivo_status {
		return C.build(wanted, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)), (*C.uint64_t)(&offsets[0]),
			C.uint64_t(keys.Len()), handle, detail)
	})
}

// made calls a function of C that makes a filter with these options.
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

// Add adds a key. Errors: Unsupported for a kind that is built once, and for a filter from Open; Full; TooLarge.
func (f *Filter) Add(key []byte) error {
	var detail C.crivo_error
	lent := notEmpty(key)
	status := C.crivo_add(f.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), &detail)
	runtime.KeepAlive(f)
	return failure(status, &detail)
}

// Contains returns false if the key is certainly absent. It returns true if the key is present, or for a false
// positive.
func (f *Filter) Contains(key []byte) bool {
	lent := notEmpty(key)
	answer := C.crivo_contains(f.handle, unsafe.Pointer(&lent[0]), C.size_t(len(key)), nil)
	runtime.KeepAlive(f)
	return answer != 0
}

// ContainsMany queries many keys, with a single call of C.
func (f *Filter) ContainsMany(keys Keys) ([]bool, error) {
	hits := make([]bool, keys.Len())
	var detail C.crivo_error
	bytes, offsets := lendable(keys)
	room := notEmpty(hits) // Go stores a bool as a byte of 1 or 0, which C writes here
	status := C.contains_many(f.handle, unsafe.Pointer(&bytes[0]), C.uint64_t(len(keys.bytes)),
		(*C.uint64_t)(&offsets[0]), C.uint64_t(keys.Len()), (*C.uint8_t)(unsafe.Pointer(&room[0])), &detail)
	runtime.KeepAlive(f)
	if err := failure(status, &detail); err != nil {
		return nil, err // without answers, because all false would mean that every key is absent
	}
	return hits, nil
}

// Save writes the filter to a file, as `crivo build` does: it replaces the file atomically, in a form that opens at
// once if the filter is large.
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

// Open opens a file of any form. The filter cannot be changed. If the file is damaged, Contains returns true, and
// ContainsMany returns an error. Errors: System, Corrupt and others.
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

// Read makes a filter of a blob, which is copied. Errors: Corrupt, with the reason; TooLarge.
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

// cString copies a text into C's memory, with a NUL at the end. The caller frees it.
func cString(field, text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, &Error{BadArgument, fmt.Sprintf("%s must have no NUL, got %q", field, text)}
	}
	return C.CString(text), nil
}

// notEmpty returns the items, or a slice of one item if there are none, because &items[0] needs an item. The expression
// &items[0] must be in the call itself: only then does cgo check just these items, and not the memory around them.
func notEmpty[Item byte | uint64 | bool](items []Item) []Item {
	if len(items) == 0 {
		return make([]Item, 1)
	}
	return items
}

func lendable(keys Keys) ([]byte, []uint64) { return notEmpty(keys.bytes), notEmpty(keys.offsets) }
