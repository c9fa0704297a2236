// main.go: three names are taken.
package main

import (
	"fmt"
	"log"
	"os"

	"crivo.example/crivo"
)

func main() {
	taken, err := crivo.Build(crivo.Strings("ada", "grace", "alan"), crivo.Options{FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("grace", taken.Contains([]byte("grace")), "mallory", taken.Contains([]byte("mallory")))
	blob, err := taken.Blob() // the bytes that SQLite, C++ and the tool read
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("names.crivo", blob, 0o644); err != nil {
		log.Fatal(err)
	}
}
