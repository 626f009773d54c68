// Command site makes a site of the documents, with search, from the files that GitHub
// shows:
//
//	go run ./internal/site -o FOLDER
//
// It fails if a link leads to a page, a heading or a file that is not there. The pages
// work from any folder of any server, and without one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", "site", "`FOLDER` to write to")
	root := flag.String("root", ".", "`FOLDER` of the project")
	flag.Parse()
	pages, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages: open %s\n", pages, filepath.Join(*out, "index.html"))
}

// build writes the site of the project in root to the folder out, and counts its pages.
func build(root, out string) (int, error) {
	s, err := read(root)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(s.render()...); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return 0, err
	}
	return len(s.pages), s.write(out)
}
