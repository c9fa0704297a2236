// Tests of the binding.

package crivo

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func built(t *testing.T, keys Keys, options Options) *Filter {
	t.Helper()
	filter, err := Build(keys, options)
	if err != nil {
		t.Fatal(err)
	}
	return filter
}

func TestNumbersAreTheKeysThatTheyAreEverywhere(t *testing.T) {
	var keys Keys
	keys.AppendInteger(math.MinInt64)
	keys.AppendUnsigned(math.MaxUint64)
	keys.AppendReal(1e19)
	keys.AppendReal(0.1)
	keys.AppendReal(math.Copysign(math.NaN(), -1))
	if text := "-922337203685477580818446744073709551615100000000000000000000.1nan"; string(keys.bytes) != text {
		t.Fatalf("%q", keys.bytes)
	}
}

func TestFindsEveryKey(t *testing.T) {
	var keys Keys
	for i := int64(-500); i < 500; i++ {
		keys.AppendInteger(i)
		keys.Append([]byte{0, byte(i), 255})
	}
	keys.AppendString("")
	for _, kind := range []string{"", "classic", "ribbon", "cuckoo"} {
		filter := built(t, keys, Options{Kind: kind})
		hits, err := filter.ContainsMany(keys)
		if err != nil || len(hits) != 2001 {
			t.Fatal(len(hits), err)
		}
		for i, hit := range hits {
			if !hit {
				t.Fatal(kind, "lost key", i)
			}
		}
		for _, key := range []string{"-500", "499", "\x00\x07\xff", ""} {
			if !filter.Contains([]byte(key)) {
				t.Fatalf("%s lost %q", kind, key)
			}
		}
	}
}

func TestAnswersNoForAbsentKeys(t *testing.T) {
	filter := built(t, Strings("ann", "bob"), Options{FPRate: 1e-9})
	hits, err := filter.ContainsMany(Strings("ann", "eve", "", "bob"))
	if err != nil || !reflect.DeepEqual(hits, []bool{true, false, false, true}) {
		t.Fatal(hits, err)
	}
	if filter.Contains([]byte("eve")) || filter.Contains(nil) {
		t.Fatal("found a key that was not added")
	}
	if hits, err := filter.ContainsMany(Keys{}); err != nil || len(hits) != 0 {
		t.Fatal(hits, err)
	}
	if built(t, Keys{}, Options{}).Contains([]byte("ann")) {
		t.Fatal("an empty filter has a key")
	}
}

func TestAddsToACapacity(t *testing.T) {
	filter := built(t, Keys{}, Options{Capacity: 1000})
	if err := filter.Add([]byte("eve")); err != nil || !filter.Contains([]byte("eve")) {
		t.Fatal(err)
	}
	if err := filter.Add(nil); err != nil || !filter.Contains([]byte{}) {
		t.Fatal(err)
	}
}

func TestReadsWhatItWrote(t *testing.T) {
	filter := built(t, Strings("ann", "bob"), Options{Kind: "ribbon", Seed: 7})
	blob, err := filter.Blob()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(blob)
	if err != nil || !again.Contains([]byte("bob")) {
		t.Fatal(err)
	}
	for i := range blob { // the filter has its own copy
		blob[i] = 0
	}
	if second, err := again.Blob(); err != nil || !again.Contains([]byte("ann")) || string(second[:4]) == "\x00\x00\x00\x00" {
		t.Fatal(err)
	}
}

func TestSavesAndOpensAFile(t *testing.T) {
	path := t.TempDir() + "/keys.crivo"
	var keys Keys
	for i := int64(0); i < 100000; i++ {
		keys.AppendInteger(i)
	}
	if err := built(t, keys, Options{}).Save(path); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(path)
	if err != nil || !opened.Contains([]byte("77")) {
		t.Fatal(err)
	}
	if hits, err := opened.ContainsMany(keys); err != nil || !hits[99999] {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(path)
	if err != nil || bytes[6] != 3 {
		t.Fatal("it must have checksums for its parts", err)
	}
	bytes[64+5000] ^= 1
	if err := os.WriteFile(path, bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, filter := range []*Filter{opened, open(t, path)} { // the first was opened before the damage
		if _, err := filter.ContainsMany(keys); !errors.Is(err, Corrupt) {
			t.Error("want Corrupt, got", err)
		}
		for i := 0; i < 100000; i++ {
			if !filter.Contains([]byte(fmt.Sprint(i))) {
				t.Fatal("an error must be a maybe, at", i)
			}
		}
	}
	if _, err := Open(path + ".absent"); !errors.Is(err, System) {
		t.Error("want System, got", err)
	}
}

func open(t *testing.T, path string) *Filter {
	t.Helper()
	filter, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return filter
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	sound, _ := built(t, Strings("ann"), Options{}).Blob()
	bad := append([]byte{}, sound...)
	bad[70] ^= 1
	closed := built(t, Strings("ann"), Options{})
	closed.Close()
	closed.Close()
	ribbon := built(t, Strings("ann"), Options{Kind: "ribbon"})
	failing := func(_ interface{}, err error) error { return err }
	for _, each := range []struct {
		err    error
		status Status
		text   string
	}{
		{failing(Build(Keys{}, Options{FPRate: 1.5})), BadArgument, "fp_rate must be in (0, 1), got 1.5"},
		{failing(Build(Keys{}, Options{Kind: "ribbon\x00s"})), BadArgument, "kind must have no NUL"},
		{failing(Build(Keys{}, Options{Kind: "sieve"})), BadArgument, "sieve"},
		{failing(Open("a\x00b")), BadArgument, "path must have no NUL"},
		{ribbon.Save("a\x00b"), BadArgument, "path must have no NUL"},
		{failing(Read(nil)), Corrupt, "got 0"},
		{failing(Read(bad)), Corrupt, "checksum"},
		{ribbon.Add([]byte("bob")), Unsupported, "ribbon"},
		{closed.Add([]byte("bob")), BadArgument, "filter"},
		{failing(closed.ContainsMany(Strings("ann"))), BadArgument, "filter"},
		{failing(closed.Blob()), BadArgument, "filter"},
	} {
		if !errors.Is(each.err, each.status) || !strings.Contains(fmt.Sprint(each.err), each.text) {
			t.Errorf("want %q (%v), got %q", each.text, each.status, each.err)
		}
	}
	if hits, _ := closed.ContainsMany(Strings("ann")); hits != nil {
		t.Error("an error must come without answers, got", hits)
	}
	if !closed.Contains([]byte("ann")) {
		t.Error("a closed filter must answer maybe")
	}
}

// addressSpace returns the size of the process's address space, in bytes.
func addressSpace(t *testing.T) (pages int64) {
	t.Helper()
	statm, err := os.Open("/proc/self/statm")
	if err != nil {
		t.Skip("skipped: ", err)
	}
	defer statm.Close()
	if _, err := fmt.Fscan(statm, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// Two thousand filters and sketches of 1.2 MB each. The tolerance is for the memory that threads reserve.
func TestFreesWhatIsClosedOrForgotten(t *testing.T) {
	const room = 1 << 30
	before := addressSpace(t)
	for name, make := range map[string]func() interface{ Close() }{
		"filters":  func() interface{ Close() } { return built(t, Keys{}, Options{Capacity: 1000000}) },
		"sketches": func() interface{ Close() } { return sketched(t, SketchOptions{Symbols: 75000}) },
	} {
		for i := 0; i < 2000; i++ {
			make().Close()
		}
		if grown := addressSpace(t) - before; grown > room {
			t.Fatal("closed", name, "keep", grown, "bytes")
		}
		for i := 0; i < 2000; i++ {
			make()
			if i%10 == 0 {
				runtime.GC()
				time.Sleep(time.Millisecond) // finalizers run some time after the collection
			}
		}
		if grown := addressSpace(t) - before; grown > room {
			t.Fatal("forgotten", name, "keep", grown, "bytes")
		}
	}
}

// The memory around the key contains Go pointers. cgo's check must not reject the call, because it passes only the key.
func TestLendsNothingBesideTheKey(t *testing.T) {
	type record struct {
		id   [4]byte
		next *record
	}
	one := &record{id: [4]byte{'e', 'v', 'e', '!'}, next: &record{}}
	filter := built(t, Keys{}, Options{Capacity: 10})
	if err := filter.Add(one.id[:]); err != nil || !filter.Contains(one.id[:]) {
		t.Fatal(err)
	}
}

func TestIsAskedByManyGoroutines(t *testing.T) {
	filter := built(t, Strings("ann", "bob"), Options{})
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 1000; j++ {
				if !filter.Contains([]byte("ann")) {
					t.Error("lost a key")
				}
			}
		}()
	}
	all.Wait()
}

func manyKeys(count int64) (keys Keys) {
	for i := int64(0); i < count; i++ {
		keys.AppendInteger(i)
	}
	return keys
}

func BenchmarkContains(b *testing.B) {
	filter, _ := Build(manyKeys(10000), Options{})
	key := []byte("https://example.org/a")
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		filter.Contains(key)
	}
}

// The time is per key. Making the keys is not included.
func BenchmarkContainsMany(b *testing.B) {
	const batch = 1000
	keys := manyKeys(batch)
	filter, _ := Build(manyKeys(10000), Options{})
	b.ResetTimer()
	for i := 0; i < b.N; i += batch {
		if _, err := filter.ContainsMany(keys); err != nil {
			b.Fatal(err)
		}
	}
}
