// Package masktest shows in a test that nothing of what was masked is left.
package masktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// Shortest is the number of bytes that a value must have to be searched for.
// A shorter one is found in any file of some size by chance.
const Shortest = 6

// shortestCode is the same for values that are replaced by others of the same
// format: another number of eight digits can be this one.
const shortestCode = 14

// Finder collects the values that were masked and looks for them in files. The
// zero Finder is ready. Its Observe is for [mask.Options]; that may be called by
// several goroutines. A Finder holds all that it collects in memory, so the data
// of the test should be few, or Limit be set.
type Finder struct {
	// Limit is how many different values are collected, 0 for all.
	Limit int

	mu   sync.Mutex        // guards the rest
	was  map[string]string // value to where it was seen first
	kept map[string]bool   // values that were copied as they are
	left Skipped
}

// Skipped counts the values that are not searched for, with the reason.
type Skipped struct {
	Short int // too short to be told from chance
	Words int // of words that masked values are made of
	Kept  int // also in a column that is kept, or part of a value there
	Over  int // over the limit
}

// Observe collects a value.
func (f *Finder) Observe(o mask.Observation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.was == nil {
		f.was, f.kept = map[string]string{}, map[string]bool{}
	}
	if (o.Was == o.Is || o.Class == mask.Keep) && len(o.Is) >= Shortest {
		f.kept[o.Is] = true // of a kept text, only names in it may have changed
	}
	if o.Was == o.Is {
		return
	}
	value := strings.TrimSpace(o.Was)
	if _, known := f.was[value]; known {
		return
	}
	switch {
	case len(value) < Shortest, ofFormat(o.Class) && len(value) < shortestCode, slices.Contains([]mask.Class{mask.Birthday, mask.Amount, mask.Geo, mask.JSON}, o.Class):
		f.left.Short++
	case mask.InVocabulary(value):
		f.left.Words++
	case f.Limit > 0 && len(f.was) >= f.Limit:
		f.left.Over++
	default:
		f.was[value] = o.Table + "." + o.Column
	}
}

// ofFormat reports whether a class replaces values by others of their format.
func ofFormat(c mask.Class) bool {
	switch c {
	case mask.Code, mask.Postal, mask.Phone, mask.Account, mask.Routing, mask.IBAN, mask.BIC, mask.Card, mask.TaxID:
		return true
	}
	return false
}

// Values are how many values are searched for, and how many are not. A test
// should require that there are some.
func (f *Finder) Values() (searched int, skipped Skipped) {
	values, skipped := f.values()
	return len(values), skipped
}

// values are those to search for.
func (f *Finder) values() (map[string]string, Skipped) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, skipped := make(map[string]string, len(f.was)), f.left
	patterns := map[string]string{}
	for v, at := range f.was {
		all[v], patterns[v] = at, v
	}
	s := newSearch(patterns)
	for k := range f.kept {
		s.reset()
		s.bytes([]byte(k), func(v string) {
			if _, there := all[v]; there {
				delete(all, v)
				skipped.Kept++
			}
		})
	}
	return all, skipped
}

// Found is a value that is in a file.
type Found struct {
	File  string
	Value string
	From  string // table and column that it was seen in
}

// Search looks for the values in every byte of a file, or of all files below a
// folder: as UTF-8, and as UTF-16 in both orders. The case counts, and a value
// must be in one piece: what a database splits over pages, or a file compresses,
// is not found. The error is of reading.
func (f *Finder) Search(path string) ([]Found, error) {
	values, _ := f.values()
	patterns := map[string]string{}
	for v := range values {
		patterns[v] = v
		little, big := utf16s(v)
		patterns[little], patterns[big] = v, v
	}
	s := newSearch(patterns)
	var all []Found
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		found := map[string]bool{}
		if err := s.file(p, func(v string) { found[v] = true }); err != nil {
			return err
		}
		for v := range found {
			all = append(all, Found{File: p, Value: v, From: values[v]})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Found) int { return strings.Compare(a.File+"\x00"+a.Value, b.File+"\x00"+b.Value) })
	if err != nil {
		return all, fmt.Errorf("searching %s for masked values: %w", path, err)
	}
	return all, nil
}

func utf16s(v string) (little, big string) {
	var l, b bytes.Buffer
	for _, u := range utf16.Encode([]rune(v)) {
		l.Write([]byte{byte(u), byte(u >> 8)})
		b.Write([]byte{byte(u >> 8), byte(u)})
	}
	return l.String(), b.String()
}

// search finds many texts in one pass, by the hashes of their first bytes: a
// table says which positions are worth comparing.
type search struct {
	byHead map[string][]pattern
	first  [1 << 16]bool // the first two bytes of any
	most   int           // the longest
	window []byte
}

type pattern struct{ bytes, value string }

// head is the length that patterns are looked up by.
const head = Shortest

func newSearch(patterns map[string]string) *search {
	s := &search{byHead: map[string][]pattern{}}
	for p, v := range patterns {
		if len(p) < head {
			continue
		}
		s.first[int(p[0])<<8|int(p[1])] = true
		s.byHead[p[:head]] = append(s.byHead[p[:head]], pattern{p, v})
		s.most = max(s.most, len(p))
	}
	return s
}

func (s *search) reset() { s.window = s.window[:0] }

// bytes looks through data.
func (s *search) bytes(data []byte, found func(value string)) {
	for i := 0; i+head <= len(data); i++ {
		if !s.first[int(data[i])<<8|int(data[i+1])] {
			continue
		}
		for _, p := range s.byHead[string(data[i:i+head])] {
			if len(p.bytes) <= len(data)-i && string(data[i:i+len(p.bytes)]) == p.bytes {
				found(p.value)
			}
		}
	}
}

// file looks through a file in pieces that overlap by the longest pattern.
func (s *search) file(path string, found func(value string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.reset()
	piece := make([]byte, 1<<20)
	for {
		n, err := io.ReadFull(f, piece)
		s.window = append(s.window, piece[:n]...)
		s.bytes(s.window, found)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		keep := min(len(s.window), s.most)
		s.window = append(s.window[:0], s.window[len(s.window)-keep:]...)
	}
}
