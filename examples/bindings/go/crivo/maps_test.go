// Tests of maps and exact filters.

package crivo

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func mapped(t *testing.T, keys Keys, values []uint64, options Options) *Filter {
	t.Helper()
	filter, err := BuildMap(keys, values, options)
	if err != nil {
		t.Fatal(err)
	}
	return filter
}

func wantValue(t *testing.T, filter *Filter, key string, want uint64, there bool) {
	t.Helper()
	if value, found, err := filter.Find([]byte(key)); value != want || found != there || err != nil {
		t.Errorf("%q: want %d, %v, got %d, %v, %v", key, want, there, value, found, err)
	}
}

func TestMapsGiveEveryKeyItsValue(t *testing.T) {
	var keys Keys
	var squares []uint64
	for i := int64(0); i < 2000; i++ {
		keys.AppendInteger(i)
		squares = append(squares, uint64(i*i))
	}
	keys.AppendString("")
	squares = append(squares, math.MaxUint32)
	built := mapped(t, keys, squares, Options{Seed: 7})
	path := t.TempDir() + "/squares.crivo"
	if err := built.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, filter := range []*Filter{built, open(t, path)} {
		values, found, err := filter.FindMany(keys)
		if err != nil || !reflect.DeepEqual(values, squares) {
			t.Fatal(values, err)
		}
		for i := range found {
			if !found[i] {
				t.Fatal("lost key", i)
			}
		}
		wantValue(t, filter, "31", 961, true)
		wantValue(t, filter, "", math.MaxUint32, true)
		if !filter.Contains([]byte("31")) {
			t.Error("a map must be a filter of its keys, too")
		}
	}
}

func TestMapsTellAbsentKeys(t *testing.T) {
	ports := mapped(t, Strings("ssh", "http", "https"), []uint64{22, 80, 443}, Options{FPRate: 1e-9})
	wantValue(t, ports, "http", 80, true)
	wantValue(t, ports, "gopher", 0, false)
	values, found, err := ports.FindMany(Strings("gopher", "https", ""))
	if err != nil || values[1] != 443 || !reflect.DeepEqual(found, []bool{false, true, false}) {
		t.Error(values, found, err)
	}
	if values, found, err := ports.FindMany(Keys{}); err != nil || len(values) != 0 || len(found) != 0 {
		t.Error(values, found, err)
	}
	wantValue(t, mapped(t, Keys{}, nil, Options{}), "ssh", 0, false)
	all := mapped(t, Strings("ssh"), []uint64{22}, Options{Kind: "map:8", FPRate: 1})
	if value, found, err := all.Find([]byte("gopher")); value > 255 || !found || err != nil {
		t.Error("at a rate of 1 every key must have some value, got", value, found, err)
	}
}

func TestExactFiltersAreCertainOfBothSides(t *testing.T) {
	var members, others, strangers Keys
	for i := int64(0); i < 20000; i++ {
		if i%10 == 0 {
			members.AppendInteger(i)
		} else {
			others.AppendInteger(i)
		}
		strangers.AppendInteger(-1 - i)
	}
	for _, options := range []Options{{}, {Kind: "exact", FPRate: 0.01, Seed: 7}} {
		filter, err := BuildExact(members, others, options)
		if err != nil {
			t.Fatal(err)
		}
		count := func(keys Keys) (hits int) {
			found, err := filter.ContainsMany(keys)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range found {
				if hit {
					hits++
				}
			}
			return hits
		}
		if members, others := count(members), count(others); members != 2000 || others != 0 {
			t.Error("want 2000 members and no others, got", members, others)
		}
		if hits := count(strangers); options.FPRate != 0 && (hits < 100 || hits > 300) { // 7 standard deviations
			t.Error("want about 200 of 20000 at a rate of 0.01, got", hits)
		}
	}
	for _, sides := range [][2]Keys{{Strings("ann"), Keys{}}, {Keys{}, Strings("ann")}} { // one side may be empty
		filter, err := BuildExact(sides[0], sides[1], Options{})
		if err != nil || filter.Contains([]byte("ann")) != (sides[0].Len() == 1) {
			t.Error(sides, err)
		}
	}
}

func TestMapsAndExactFiltersSayWhatIsWrong(t *testing.T) {
	ribbon := built(t, Strings("ann"), Options{Kind: "ribbon"})
	closed := mapped(t, Strings("ann"), []uint64{1}, Options{})
	closed.Close()
	mapping := func(values []uint64, kind string, keys ...string) error {
		_, err := BuildMap(Strings(keys...), values, Options{Kind: kind})
		return err
	}
	exact := func(members, others Keys, options Options) error {
		_, err := BuildExact(members, others, options)
		return err
	}
	finding := func(_ uint64, found bool, err error) error {
		if found {
			t.Error("an error must not find a key")
		}
		return err
	}
	findingMany := func(values []uint64, found []bool, err error) error {
		if values != nil || found != nil {
			t.Error("an error must come without answers, got", values, found)
		}
		return err
	}
	adding := func(filter *Filter) error { return filter.Add([]byte("bob")) }
	both := Strings("ann", "bob")
	_, withoutValues := Build(both, Options{Kind: "map"})
	for _, each := range []struct {
		err    error
		status Status
		text   string
	}{
		{mapping([]uint64{1}, "", "ann", "bob"), BadArgument, "values must have one item per key, got 1 for 2 keys"},
		{mapping([]uint64{1, 2, 3}, "", "ann", "bob"), BadArgument, "values must have one item per key, got 3 for 2 keys"},
		{mapping([]uint64{1, 2}, "", "ann", "ann"), BadArgument, "value must be the same for each occurrence of a key"},
		{mapping([]uint64{16}, "map:4", "ann"), BadArgument, "value must be in [0, 15], got 16"},
		{mapping([]uint64{1 << 32}, "", "ann"), BadArgument, "value must be in [0, 4294967295], got 4294967296"},
		{mapping([]uint64{1}, "ribbon", "ann"), Unsupported, "kind must support values (map)"},
		{mapping([]uint64{1}, "map\x00", "ann"), BadArgument, "kind must have no NUL"},
		{withoutValues, Unsupported, "kind must have keys without values, got map"},
		{exact(both, Strings("bob"), Options{}), BadArgument, "key must be in only one set, got one in both"},
		{exact(both, Keys{}, Options{Kind: "ribbon"}), Unsupported, "kind must be exact, got ribbon"},
		{adding(mapped(t, both, []uint64{1, 2}, Options{})), Unsupported, "map"},
		{finding(ribbon.Find([]byte("ann"))), Unsupported, "kind must support finding values (map), got ribbon"},
		{findingMany(ribbon.FindMany(both)), Unsupported, "kind must support finding values (map), got ribbon"},
		{finding(closed.Find([]byte("ann"))), BadArgument, "map must not be NULL"},
		{findingMany(closed.FindMany(both)), BadArgument, "map must not be NULL"},
	} {
		if !errors.Is(each.err, each.status) || !strings.Contains(fmt.Sprint(each.err), each.text) {
			t.Errorf("want %q (%v), got %q", each.text, each.status, each.err)
		}
	}
}
