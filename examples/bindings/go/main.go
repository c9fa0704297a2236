// Fills a filter, asks it, and hands it on as bytes.
package main

import (
	"fmt"
	"log"

	"crivo.example/crivo"
)

func main() {
	urls := crivo.Strings("https://example.org/a", "https://example.org/b")
	seen, err := crivo.Build(urls, crivo.Options{FPRate: 0.001})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(seen.Contains([]byte("https://example.org/a")), seen.Contains([]byte("https://example.org/c")))
	blob, err := seen.Blob() // the bytes that SQLite, C++ and the tool read
	if err != nil {
		log.Fatal(err)
	}
	again, err := crivo.Read(blob)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.ContainsMany(crivo.Strings("https://example.org/b", "https://example.org/d")))
}
