// Many keys in one piece of memory, as C takes them.

package crivo

// #include <crivo.h>
import "C"
import "unsafe"

// Keys are many keys at once, one behind the other, so that a single call hands all of them to C. The zero value has
// no key. As with any slice, only one of several copies may be appended to.
type Keys struct {
	bytes   []byte
	offsets []uint64 // where each key starts, and behind the last one where it ends
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

// Append adds a key, which may hold anything, and is copied.
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

// AppendReal adds the key of a real: that of the integer which it equals, or the text of its digits, as in SQL.
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
