// main.go: three names are taken.
package main

import (
	"fmt"
	"log"

	"crivo.example/crivo"
)

func main() {
	taken, err := crivo.Build(crivo.Strings("ada", "grace", "alan"), crivo.Options{FPRate: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("grace", taken.Contains([]byte("grace")), "mallory", taken.Contains([]byte("mallory")))
	if err := taken.Save("names.crivo"); err != nil { // the file that SQLite, C++ and the tool read
		log.Fatal(err)
	}
}
