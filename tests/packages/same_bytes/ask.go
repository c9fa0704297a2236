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

func readKeys(name string) (keys crivo.Keys) {
	data := must(os.ReadFile(name))
	for len(data) > 0 {
		end := 5 + binary.LittleEndian.Uint32(data[1:])
		switch key := data[5:end]; data[0] {
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
		data = data[end:]
	}
	return keys
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
		filter := must(crivo.Build(readKeys(keys), must(options, err)))
		must(0, os.WriteFile(filepath.Join(os.Args[1], blob), must(filter.Blob()), 0o666))
		filter.Close()
	}
}
