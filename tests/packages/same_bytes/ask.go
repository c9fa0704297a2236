// Writes the blobs of all cases (same_bytes.py) through the binding for Go:  ask FOLDER
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"crivo.example/crivo"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// readKeys returns all keys of a file, their values, and the keys whose values are even (0) or odd (1).
func readKeys(name string) (keys crivo.Keys, values []uint64, sides [2]crivo.Keys) {
	data := must(os.ReadFile(name))
	for _, value := range must(os.ReadFile(name + ".values")) {
		end := 5 + binary.LittleEndian.Uint32(data[1:])
		for _, list := range []*crivo.Keys{&keys, &sides[value%2]} {
			appendKey(list, data[0], data[5:end])
		}
		values = append(values, uint64(value))
		data = data[end:]
	}
	return keys, values, sides
}

func appendKey(keys *crivo.Keys, kind byte, key []byte) {
	switch kind {
	case 't':
		keys.AppendString(string(key))
	case 'b':
		keys.Append(key)
	case 'i':
		if key[0] == '-' {
			keys.AppendInteger(must(strconv.ParseInt(string(key), 10, 64)))
		} else {
			keys.AppendUnsigned(must(strconv.ParseUint(string(key), 10, 64)))
		}
	case 'r':
		keys.AppendReal(math.Float64frombits(binary.LittleEndian.Uint64(key)))
	}
}

func build(name string, options crivo.Options) (*crivo.Filter, error) {
	keys, values, sides := readKeys(name)
	switch options.Kind {
	case "map":
		return crivo.BuildMap(keys, values, options)
	case "exact":
		return crivo.BuildExact(sides[1], sides[0], options)
	}
	return crivo.Build(keys, options)
}

func blobOf(name string, options crivo.Options) ([]byte, error) {
	if options.Kind == "sketch" {
		keys, _, _ := readKeys(name)
		sketch := must(crivo.NewSketch(crivo.SketchOptions{Symbols: options.Capacity, Seed: options.Seed}))
		defer sketch.Close()
		must(0, sketch.AddMany(keys))
		return sketch.Blob()
	}
	filter := must(build(name, options))
	defer filter.Close()
	return filter.Blob()
}

func main() {
	cases := must(os.Open("cases"))
	for {
		var options crivo.Options
		var keys, blob string
		_, err := fmt.Fscan(cases, &options.Kind, &options.FPRate, &options.Seed, &options.Capacity, &keys, &blob)
		if err == io.EOF {
			return
		}
		written := must(blobOf(keys, must(options, err)))
		must(0, os.WriteFile(filepath.Join(os.Args[1], blob), written, 0o666))
	}
}
