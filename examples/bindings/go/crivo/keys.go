// Many keys in one block of memory, as crivo.h expects them.

package crivo

// #include <crivo.h>
import "C"
import "unsafe"

// Keys are many keys, stored consecutively, so that a single call passes all of them to C. The zero value has no keys.
// As with slices, append only to one of several copies.
type Keys struct {
	bytes   []byte
	offsets []uint64 // the start of each key, and the end of the last one
}

// Strings returns these keys.
func Strings(keys ...string) (list Keys) {
	for _, key := range keys {
		list.AppendString(key)
	}
	return list
}

// Len is the number of keys.
func (k *Keys) Len() int {
	if len(k.offsets) == 0 {
		return 0
	}
	return len(k.offsets) - 1
}

// Append adds a copy of a key of any bytes.
func (k *Keys) Append(key []byte) {
	k.start()
	k.bytes = append(k.bytes, key...)
	k.offsets = append(k.offsets, uint64(len(k.bytes)))
}

// AppendString adds the bytes of a string.
func (k *Keys) AppendString(key string) {
	k.start()
	k.bytes = append(k.bytes, key...)
	k.offsets = append(k.offsets, uint64(len(k.bytes)))
}

// AppendInteger adds the key of an integer: its decimal digits, as in SQL.
func (k *Keys) AppendInteger(value int64) {
	var key numberKey
	k.Append(key[:C.crivo_integer_key(C.int64_t(value), key.start())])
}

// AppendUnsigned adds the key of an unsigned integer.
func (k *Keys) AppendUnsigned(value uint64) {
	var key numberKey
	k.Append(key[:C.crivo_unsigned_key(C.uint64_t(value), key.start())])
}

// AppendReal adds the key of a real: if it equals an integer, the key of that integer; else its shortest decimal
// digits. As in SQL.
func (k *Keys) AppendReal(value float64) {
	var key numberKey
	k.Append(key[:C.crivo_real_key(C.double(value), key.start())])
}

type numberKey [C.CRIVO_NUMBER_KEY_BYTES]byte

func (key *numberKey) start() *C.char {
	return (*C.char)(unsafe.Pointer(&key[0]))
}

func (k *Keys) start() {
	if len(k.offsets) == 0 {
		k.offsets = append(k.offsets, 0)
	}
}
