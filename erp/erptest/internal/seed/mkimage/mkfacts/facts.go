package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// facts is what the folder holds.
type facts struct {
	tables     []*table
	references []*reference
	processes  []*process
	windows    []*window
	elements   []*element
	packed     []*packedUUID
}

// packedUUID is one that public package archives have of a record of the dictionary.
type packedUUID struct{ Table, Key, UU string }

type table struct {
	Name             string `json:"table"`
	ID               int64
	AccessLevel      int
	Label            string
	EntityType       string
	Replication      string
	UU               string
	Window           int64
	View, Deleteable bool
	HighVolume       bool
	ChangeLog        bool
	SecurityEnabled  bool
	Inactive         bool
	Columns          []*column
}

type column struct {
	Name, Label, Kind, Default, UU, FK string
	ID, Ref, RefValue, RefList         int64
	Values                             [][2]string
	Element, ValRule, Process          int64
	Len, SeqNo                         int
	Key, UUID, Std, Parent, Identifier bool
	Selection, Translated              bool
	Mandatory, Updateable              bool
	AlwaysUpdateable                   bool
	Encrypted, Secure, Inactive        bool
	Virtual                            any
	DBKey                              bool
	Min, Max                           string
}

type reference struct {
	ID                    int64
	Name, Type, UU, Table string
	Where                 string
	Inactive              bool
	Values                [][2]string
}

type process struct {
	ID                     int64
	Value, Name, ClassName string
	Procedure, AccessLevel string
	UU                     string
	Report, Inactive       bool
	Para                   []param
}

type param struct {
	Seq                    number
	Ref, RefValue, ValRule int64
	Column, Label, Default string
	Len                    int
	Mandatory, Range       bool
}

type window struct {
	ID              int64
	Name, Type, UU  string
	SOTrx, Inactive bool
	Tabs            []tab
}

type tab struct {
	ID                            int64
	Seq, Level                    number
	Name, Table                   string
	ReadOnly, SingleRow           bool
	Translation, Insert, Inactive bool
}

type element struct {
	ID                      int64
	Column, Name, Print, UU string
}

// number is one that a script may have computed: then it is text, and 0 when it is
// no number.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil {
		v = 0
	}
	*n = number(v)
	return nil
}

func readFacts(folder string) (*facts, error) {
	f := &facts{}
	for _, err := range []error{
		readLines(folder, "ad-tables", &f.tables),
		readLines(folder, "ad-references", &f.references),
		readLines(folder, "ad-processes", &f.processes),
		readLines(folder, "ad-windows", &f.windows),
		readLines(folder, "ad-elements", &f.elements),
		readLines(folder, "uuids-from-packages", &f.packed),
	} {
		if err != nil {
			return nil, err
		}
	}
	f.takePacked()
	return f, nil
}

// takePacked gives elements without a UUID the one that archives have of them. One that
// another element has is left out: that element was called otherwise once. Tables,
// references, windows and processes keep theirs: what the ERP's code was recorded with
// has them.
func (f *facts) takePacked() {
	elements, taken := map[string][]*element{}, map[string]bool{"": true}
	for _, e := range f.elements {
		elements[e.Column] = append(elements[e.Column], e)
		taken[strings.ToLower(e.UU)] = true
	}
	for _, p := range f.packed {
		if known := elements[p.Key]; p.Table == "AD_Element" && len(known) == 1 && known[0].UU == "" && !taken[strings.ToLower(p.UU)] {
			known[0].UU, taken[strings.ToLower(p.UU)] = p.UU, true
		}
	}
}

func readLines[T any](folder, name string, into *[]*T) error {
	path := filepath.Join(folder, name+".jsonl.gz")
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	lines := bufio.NewScanner(zr)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		v := new(T)
		if err := json.Unmarshal(lines.Bytes(), v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		*into = append(*into, v)
	}
	return lines.Err()
}
