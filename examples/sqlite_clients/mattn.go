// The driver mattn/go-sqlite3, Debian's golang-github-mattn-go-sqlite3-dev, without a network:
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run -tags libsqlite3 mattn.go /usr/local/lib/crivo/crivo.so
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"

	"github.com/mattn/go-sqlite3"
)

var db *sql.DB

func do(statement string, args ...interface{}) {
	if _, err := db.Exec(statement, args...); err != nil {
		log.Fatal(err)
	}
}

func ask(question string, key string) (answer int) {
	if err := db.QueryRow(question, key).Scan(&answer); err != nil {
		log.Fatal(err)
	}
	return answer
}

func main() {
	// The driver loads the extension into every connection of the pool.
	sql.Register("sqlite3_with_crivo", &sqlite3.SQLiteDriver{Extensions: []string{os.Args[1]}})
	db, _ = sql.Open("sqlite3_with_crivo", ":memory:")
	db.SetMaxOpenConns(1) // each connection would have its own in-memory database

	do("CREATE TABLE visits(name TEXT)")
	do("INSERT INTO visits VALUES (?), (?)", "ann", "bob")
	do("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits")
	do("UPDATE filters SET f = bloom_add(f, ?)", "eve")
	maybe := "SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?)"
	fmt.Printf("filter|%d|%d\n", ask(maybe, "eve"), ask(maybe, "joe"))

	do("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)")
	do("INSERT INTO seen(key) VALUES (?)", "eve")
	seen := "SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?)"
	fmt.Printf("table|%d|%d\n", ask(seen, "eve"), ask(seen, "joe"))
}
