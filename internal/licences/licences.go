// Package licences tells which modules the programs link, and under which
// licences these are, from the texts in the module cache.
package licences

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// Systems are those that releases are built for, as GOOS/GOARCH.
var Systems = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// Module is a module that a program links.
type Module struct {
	Path, Version string
	// Licences are SPDX identifiers, sorted.
	Licences []string
	// Files are the paths of the texts; Dir is the folder they are in.
	Dir   string
	Files []string
}

// Expression is the licence as SPDX writes it.
func (m Module) Expression() string { return strings.Join(m.Licences, " AND ") }

// Linked are the modules that packages of the module in a folder link on one of
// the systems, without cgo, by path. The module itself is not among them. A module
// whose licence is not known is an error.
func Linked(ctx context.Context, dir string, systems []string, packages ...string) ([]Module, error) {
	found := map[string]Module{}
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Module"}, packages...)...)
		list.Dir = dir
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
		var stderr bytes.Buffer
		list.Stderr = &stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("listing what is linked on %s: %w: %s", system, err, &stderr)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("reading the list of packages: %w", err)
			}
			if m := p.Module; m != nil && !m.Main {
				found[m.Path] = Module{Path: m.Path, Version: m.Version, Dir: m.Dir}
			}
		}
	}
	modules := make([]Module, 0, len(found))
	for _, m := range found {
		if err := m.read(); err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

// textName is how files with a licence are called.
var textName = lazyregexp.New(`(?i)^(LICEN[CS]E|COPYING)([-._].*)?$`)

// read finds the texts in the module's folder and what licences they are.
func (m *Module) read() error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return fmt.Errorf("looking for the licence of %s: %w; go mod download brings it", m.Path, err)
	}
	for _, e := range entries {
		if e.IsDir() || !textName().MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return fmt.Errorf("reading the licence of %s: %w", m.Path, err)
		}
		m.Files = append(m.Files, e.Name())
		for _, id := range Identify(text) {
			if !slices.Contains(m.Licences, id) {
				m.Licences = append(m.Licences, id)
			}
		}
	}
	slices.Sort(m.Licences)
	if len(m.Licences) == 0 {
		return fmt.Errorf("the licence of %s %s is not known: look into %s, and teach internal/licences its words", m.Path, m.Version, m.Dir)
	}
	return nil
}

// signs are words that only one licence has, as normal writes them.
// A licence with others has also the words of those, if they are a part of it.
var signs = []struct{ id, words, without string }{
	{"Apache-2.0", "apache license version 2.0", ""},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy", ""},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee", ""},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee", ""},
	{"MPL-2.0", "mozilla public license, version 2.0", ""},
	{"MPL-2.0", "mozilla public license version 2.0", ""},
	{"Unlicense", "this is free and unencumbered software released into the public domain", ""},
	{"BSD-3-Clause", "redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met", "!may be used to endorse or promote"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met", "may be used to endorse or promote"},
	{"GPL", "gnu general public license", ""},
	{"LGPL", "gnu lesser general public license", "mozilla public license"}, // which names it among others
	{"AGPL", "gnu affero general public license", "mozilla public license"},
}

// normal is a text in lower case without the signs of comments and quotations, and
// with one space between words.
func normal(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("#", " ", "*", " ", ">", " ", "/", " ").Replace(strings.ToLower(text))), " ")
}

// Identify are the SPDX identifiers of the licences in a text, none if it has none
// that is known.
func Identify(text []byte) []string {
	words := normal(string(text))
	var ids []string
	for _, s := range signs {
		if !strings.Contains(words, normal(s.words)) || slices.Contains(ids, s.id) {
			continue
		}
		if needed, ok := strings.CutPrefix(s.without, "!"); ok && !strings.Contains(words, needed) || !ok && s.without != "" && strings.Contains(words, s.without) {
			continue
		}
		ids = append(ids, s.id)
	}
	if slices.Contains(ids, "MPL-2.0") { // it names the GPL as a secondary licence
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "GPL" })
	}
	return ids
}

// Texts are the texts of the modules' licences, one behind the other.
func Texts(modules []Module) ([]byte, error) {
	var out bytes.Buffer
	for _, m := range modules {
		for _, name := range m.Files {
			text, err := os.ReadFile(filepath.Join(m.Dir, name))
			if err != nil {
				return nil, fmt.Errorf("reading the licence of %s: %w", m.Path, err)
			}
			fmt.Fprintf(&out, "==== %s %s: %s\n\n%s\n\n", m.Path, m.Version, name, bytes.TrimSpace(text))
		}
	}
	return out.Bytes(), nil
}

// Document is docs/licences.md.
func Document(modules []Module) []byte {
	var out bytes.Buffer
	out.WriteString("# Licences of the modules that the programs link\n\n" +
		"Written by `go generate` from the texts in the module cache; releases have the texts in\n" +
		"THIRD_PARTY_LICENSES.txt. Versions are those of go.mod, for all systems that releases are built for.\n\n" +
		"| module | version | licence |\n|---|---|---|\n")
	for _, m := range modules {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", m.Path, m.Version, m.Expression())
	}
	return out.Bytes()
}
