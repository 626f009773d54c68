// Command mkfacts compiles the facts of the ERP's Application Dictionary into the
// files that the package above embeds (facts/*.gz):
//
//	go run ./erp/erptest/internal/seed/mkimage/mkfacts <folder of facts> erp/erptest/internal/seed/mkimage/facts
//
// The folder holds ad-tables.jsonl.gz, ad-references.jsonl.gz,
// ad-processes.jsonl.gz, ad-windows.jsonl.gz, ad-elements.jsonl.gz and
// uuids-from-packages.jsonl.gz, one JSON object per line: names, types, flags and
// numbers. What the facts leave open is settled here by rules (lookups.go, tables.go),
// and ids that they do not know come from ranges the ERP does not use. The same facts
// give the same bytes.
//
// The output has the line forms of ../dictionary, which its parser reads, and
// uuids.txt with the UUIDs that are known.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mkfacts:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: mkfacts <folder of facts> <folder to write to>")
	}
	files, err := compile(args[0])
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(args[1], name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d bytes\n", name, len(data))
	}
	return nil
}

// compile makes the output files, by name, from a folder of facts.
func compile(folder string) (map[string][]byte, error) {
	f, err := readFacts(folder)
	if err != nil {
		return nil, err
	}
	c := newCompiler(f)
	files := map[string][]byte{}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"tables.txt":     c.tables,
		"references.txt": c.references,
		"elements.txt":   c.elements,
		"processes.txt":  c.processes,
		"windows.txt":    c.windows,
		"rules.txt":      c.rules,
		"uuids.txt":      c.uuids,
	} {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		var packed bytes.Buffer
		zw, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := zw.Write(text.Bytes()); err != nil {
			return nil, err
		}
		if err := zw.Close(); err != nil {
			return nil, err
		}
		files[name+".gz"] = packed.Bytes()
	}
	return files, nil
}
