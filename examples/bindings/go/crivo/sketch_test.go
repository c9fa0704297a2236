// Tests of sketches.

package crivo

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func sketched(t *testing.T, options SketchOptions) *Sketch {
	t.Helper()
	sketch, err := NewSketch(options)
	if err != nil {
		t.Fatal(err)
	}
	return sketch
}

// must fails the test on an error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func sketchBlob(t *testing.T, sketch *Sketch) []byte {
	t.Helper()
	blob, err := sketch.Blob()
	must(t, err)
	return blob
}

func wantDifference[Key any](t *testing.T, found Difference[Key], ok bool, err error, first, second []Key) {
	t.Helper()
	if want := (Difference[Key]{first, second}); err != nil || !ok || !reflect.DeepEqual(found, want) {
		t.Fatalf("want %v, got %v, %v, %v", want, found, ok, err)
	}
}

func TestSketchesGiveTheKeysOfEachSide(t *testing.T) {
	first := sketched(t, SketchOptions{Symbols: 60, Keys: "bytes:3"})
	second := sketched(t, SketchOptions{Symbols: 60, Keys: "bytes:3"})
	must(t, first.AddMany(Strings("cid", "bob", "ann", "\x00\x00\x00", "fay")), first.Remove([]byte("fay")))
	must(t, second.Add([]byte("bob")), second.AddMany(Strings("dan", "eve", "gil")))
	must(t, second.RemoveMany(Strings("gil", "eve")))
	keys, ok, err := first.DifferenceKeys(second)
	wantDifference(t, keys, ok, err, [][]byte{{0, 0, 0}, []byte("ann"), []byte("cid")}, [][]byte{[]byte("dan")})
	keys.OnlyFirst[0] = append(keys.OnlyFirst[0], 'x') // must not overwrite the next key
	if string(keys.OnlyFirst[1]) != "ann" {
		t.Error("keys must not share room, got", keys.OnlyFirst)
	}
	keys, ok, err = second.DifferenceKeys(second)
	wantDifference(t, keys, ok, err, [][]byte{}, [][]byte{})
}

func TestSketchesGiveIntegersInTheirOrder(t *testing.T) {
	const minusFive = math.MaxUint64 - 4
	first := sketched(t, SketchOptions{Symbols: 60, Keys: "integers"})
	second := sketched(t, SketchOptions{Symbols: 60, Keys: "integers"})
	must(t, first.AddNumbers(7, minusFive, 1<<40, 1), second.AddNumbers(7, 9, 4), second.RemoveNumbers(4))
	numbers, ok, err := first.DifferenceNumbers(second)
	wantDifference(t, numbers, ok, err, []uint64{minusFive, 1, 1 << 40}, []uint64{9})
	keys, ok, err := second.DifferenceKeys(first)
	wantDifference(t, keys, ok, err, [][]byte{{9, 0, 0, 0, 0, 0, 0, 0}},
		[][]byte{{251, 255, 255, 255, 255, 255, 255, 255}, {1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0}})
}

// The hashes are those of "" and "a" by XXH3-64.
func TestSketchesKnowKeysByTheirHashes(t *testing.T) {
	const ofNothing, ofA = 0x2d06800538d394c2, 0xe6c632b61e964e1f
	first, second := sketched(t, SketchOptions{Symbols: 60}), sketched(t, SketchOptions{Symbols: 60, Keys: "hashes"})
	must(t, first.AddMany(Strings("a", "b")), first.Add(nil), second.Add([]byte("b")), second.AddMany(Keys{}))
	numbers, ok, err := first.DifferenceNumbers(second)
	wantDifference(t, numbers, ok, err, []uint64{ofNothing, ofA}, []uint64{})
	must(t, second.AddNumbers(ofA, ofNothing), second.AddNumbers())
	if string(sketchBlob(t, first)) != string(sketchBlob(t, second)) {
		t.Error("a key and its hash must be the same")
	}
}

func TestSketchesContinueWhereTheyAreTooShort(t *testing.T) {
	var numbers []uint64
	for i := uint64(1); i <= 50; i++ {
		numbers = append(numbers, i)
	}
	enough := SketchSymbols(50)
	if enough < 50 || enough > 150 {
		t.Fatal(enough)
	}
	short := sketched(t, SketchOptions{Symbols: 20, Keys: "integers"})
	next := sketched(t, SketchOptions{Symbols: enough - 20, First: 20, Keys: "integers"})
	nobody := sketched(t, SketchOptions{Symbols: enough, Keys: "integers"})
	must(t, short.AddNumbers(numbers...), next.AddNumbers(numbers...))
	if found, ok, err := short.DifferenceNumbers(nobody); ok || err != nil {
		t.Fatal(found, ok, err)
	}
	must(t, short.Append(next))
	found, ok, err := short.DifferenceNumbers(nobody)
	wantDifference(t, found, ok, err, numbers, []uint64{})
}

func TestSketchesAreSentAndPutTogether(t *testing.T) {
	options := SketchOptions{Symbols: 50, Seed: math.MaxUint64}
	whole, half := sketched(t, options), sketched(t, options)
	must(t, whole.AddMany(Strings("ann", "bob", "cid")), half.AddMany(Strings("ann", "cid")))
	blob := sketchBlob(t, whole)
	theirs, err := ReadSketch(blob)
	must(t, err)
	for i := range blob { // the sketch has its own copy
		blob[i] = 0
	}
	told, err := theirs.Options()
	must(t, err)
	other := sketched(t, told)
	must(t, other.Add([]byte("bob")), half.Combine(other))
	if string(sketchBlob(t, half)) != string(sketchBlob(t, theirs)) {
		t.Error("two halves must be the whole")
	}
	for _, keys := range []string{"hashes", "integers", "bytes:1", "bytes:32"} {
		want := SketchOptions{Symbols: 3, Keys: keys, First: 9, Seed: 1 << 63}
		if got, err := sketched(t, want).Options(); err != nil || got != want {
			t.Errorf("want %v, got %v, %v", want, got, err)
		}
	}
}

func TestSketchesSayWhatIsWrong(t *testing.T) {
	hashes, integers := sketched(t, SketchOptions{Symbols: 5}), sketched(t, SketchOptions{Symbols: 5, Keys: "integers"})
	bytes := sketched(t, SketchOptions{Symbols: 5, Keys: "bytes:3"})
	later := sketched(t, SketchOptions{Symbols: 5, First: 7})
	sound := sketchBlob(t, hashes)
	bad := append([]byte{}, sound...)
	bad[80] ^= 1
	closed := sketched(t, SketchOptions{Symbols: 5})
	closed.Close()
	closed.Close()
	making := func(options SketchOptions) error {
		_, err := NewSketch(options)
		return err
	}
	failing := func(_ interface{}, err error) error { return err }
	finding := func(found Difference[uint64], ok bool, err error) error {
		if ok || found.OnlyFirst != nil || found.OnlySecond != nil {
			t.Error("an error must come without keys, got", found, ok)
		}
		return err
	}
	for _, each := range []struct {
		err    error
		status Status
		text   string
	}{
		{making(SketchOptions{}), BadArgument, "symbols must be in [1, 4294967296], got 0"},
		{making(SketchOptions{Symbols: 1, First: 1 << 32}), BadArgument, "first must be below 4294967296"},
		{making(SketchOptions{Symbols: 1, Keys: "words"}), BadArgument, "keys must be hashes, integers or bytes:N"},
		{making(SketchOptions{Symbols: 1, Keys: "hashes\x00"}), BadArgument, "keys must have no NUL"},
		{integers.Add([]byte("1")), BadArgument, "key must be an integer"},
		{integers.Remove([]byte("1")), BadArgument, "key must be an integer"},
		{bytes.AddMany(Strings("ann", "eva", "hans")), BadArgument, "3 bytes of the sketch's keys, got 4"},
		{bytes.RemoveMany(Strings("ann", "eva", "hans")), BadArgument, "3 bytes of the sketch's keys, got 4"},
		{bytes.AddNumbers(1), BadArgument, "bytes"},
		{bytes.RemoveNumbers(1), BadArgument, "bytes"},
		{finding(bytes.DifferenceNumbers(bytes)), Unsupported, "keys must be hashes or integers, got byte strings"},
		{finding(hashes.DifferenceNumbers(integers)), Incompatible, "keys must be the same in both sketches"},
		{finding(later.DifferenceNumbers(later)), BadArgument, "first must be 0"},
		{hashes.Append(hashes), Incompatible, "first must"},
		{hashes.Combine(later), Incompatible, "first must be the same in both sketches, got 0 and 7"},
		{failing(ReadSketch(nil)), Corrupt, "blob size must"},
		{failing(ReadSketch(bad)), Corrupt, "checksum"},
		{failing(Read(sound)), Corrupt, "kind must be that of a filter, got sketch"},
		{closed.Add(nil), BadArgument, "sketch must"},
		{closed.RemoveMany(Strings("ann")), BadArgument, "sketch must"},
		{closed.AddNumbers(1), BadArgument, "sketch must"},
		{closed.Combine(hashes), BadArgument, "sketch must"},
		{hashes.Append(closed), BadArgument, "next must"},
		{failing(closed.Options()), BadArgument, "sketch must"},
		{failing(closed.Blob()), BadArgument, "sketch must"},
		{finding(hashes.DifferenceNumbers(closed)), BadArgument, "second must"},
	} {
		if !errors.Is(each.err, each.status) || !strings.Contains(fmt.Sprint(each.err), each.text) {
			t.Errorf("want %q (%v), got %q", each.text, each.status, each.err)
		}
	}
	keys, ok, err := bytes.DifferenceKeys(sketched(t, SketchOptions{Symbols: 5, Keys: "bytes:3"}))
	wantDifference(t, keys, ok, err, [][]byte{}, [][]byte{}) // the keys before the failing one were added, then removed
}
