package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// addData reads the files of rows that match a pattern. A block starts with
//
//	@<table> <column>|<column>|... ; <column>=<value> ; ...
//
// and each following line is a row: values for the columns in order, the
// fixed ones added. An empty value leaves the column out. For a number, a table
// may be given by its name and a column as <table>.<column>.
func (b *builder) addData(pattern string) error {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		var h *header
		err := eachLine(name, func(line string, _ bool) error {
			if rest, ok := strings.CutPrefix(line, "@"); ok {
				var err error
				h, err = b.parseHeader(rest)
				return err
			}
			if h == nil {
				return fmt.Errorf("a row before the first table")
			}
			return b.addRow(h, line)
		})
		if err != nil {
			return err
		}
		if b.err != nil {
			return fmt.Errorf("%s: %w", name, b.err)
		}
	}
	return nil
}

type header struct {
	table   string
	columns []*store.Column
	fixed   []any // pairs
}

func (b *builder) parseHeader(line string) (*header, error) {
	name, rest, ok := strings.Cut(line, " ")
	t := b.m.byName[strings.ToUpper(name)]
	if !ok || t == nil {
		return nil, fmt.Errorf("the dictionary has no table %q", name)
	}
	h := &header{table: t.Name}
	parts := strings.Split(rest, " ; ")
	for column := range strings.SplitSeq(strings.TrimSpace(parts[0]), "|") {
		c, ok := t.Column(column)
		if !ok {
			return nil, fmt.Errorf("table %s has no column %q", name, column)
		}
		h.columns = append(h.columns, c)
	}
	for _, p := range parts[1:] {
		column, text, _ := strings.Cut(p, "=")
		c, ok := t.Column(column)
		if !ok {
			return nil, fmt.Errorf("table %s has no column %q", name, column)
		}
		v, err := b.value(c, text)
		if err != nil {
			return nil, err
		}
		h.fixed = append(h.fixed, c.Name, v)
	}
	return h, nil
}

func (b *builder) addRow(h *header, line string) error {
	values := strings.Split(line, "|")
	if len(values) > len(h.columns) {
		return fmt.Errorf("%d values for %d columns of %s", len(values), len(h.columns), h.table)
	}
	pairs := append([]any(nil), h.fixed...)
	for i, text := range values {
		if text == "" {
			continue
		}
		v, err := b.value(h.columns[i], text)
		if err != nil {
			return err
		}
		pairs = append(pairs, h.columns[i].Name, v)
		if plain, ok := strings.CutPrefix(text, "plain:"); ok && h.table == "AD_User" {
			pairs = append(pairs, hashed(values[0], plain)...)
		}
	}
	b.add(h.table, pairs...)
	return nil
}

func (b *builder) value(c *store.Column, text string) (any, error) {
	if c.Kind() == store.KindInteger && text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		name, column, isColumn := strings.Cut(text, ".")
		t := b.m.byName[strings.ToUpper(name)]
		if t == nil {
			return nil, fmt.Errorf("%s: the dictionary has no table %q", c.Name, name)
		}
		if !isColumn {
			return t.ID, nil
		}
		target, ok := t.Column(column)
		if !ok {
			return nil, fmt.Errorf("%s: table %s has no column %q", c.Name, name, column)
		}
		return target.ID, nil
	}
	v, err := parseValue(c, text)
	if err != nil {
		return nil, fmt.Errorf("column %s: %q is no number", c.Name, text)
	}
	return v, nil
}

// hashed are the columns that keep a user's password. The salt is made of the
// user's id, so that two builds are equal.
func hashed(user, password string) []any {
	sum := sha256.Sum256([]byte("salt of demo user " + user))
	salt := hex.EncodeToString(sum[:16])
	return []any{"Password", seed.HashPassword(password, salt), "Salt", salt, "PasswordHashAlgorithm", "PBKDF2"}
}
