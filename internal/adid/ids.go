package adid

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // for the list
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The list is gzipped text. A line is a kind (t table, c column of the table
// above it, e element, p process, r reference), the id and the name, for elements
// the label too, with a tab between them.
//
//go:embed ids.txt.gz
var packed []byte

// names are ids by lower-case name.
type names map[string]int

type lists struct {
	tables, elements names
	processes        names // by search key, as it is written
	references       names // by name, as it is written
	columns          map[string]names
	labels           map[int]string // of elements
}

var (
	loadOnce sync.Once
	loaded   *lists
)

// load is not a sync.OnceValue, whose initial value would link the list into every
// program that imports the package.
func load() *lists {
	loadOnce.Do(func() {
		l, err := parse(packed)
		if err != nil {
			panic(err) // the list is part of the program and tested with it
		}
		loaded = l
	})
	return loaded
}

func parse(data []byte) (*lists, error) {
	l := &lists{tables: names{}, elements: names{}, processes: names{}, references: names{}, columns: map[string]names{}, labels: map[int]string{}}
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the list of official ids: %w", err)
	}
	var table names
	sc := bufio.NewScanner(zr)
	for sc.Scan() {
		parts := strings.SplitN(sc.Text(), "\t", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("the list of official ids has the line %q", sc.Text())
		}
		id, err := strconv.Atoi(parts[1])
		if err != nil {
			return nil, fmt.Errorf("the list of official ids has the line %q", sc.Text())
		}
		name, lower := parts[2], strings.ToLower(parts[2])
		switch parts[0] {
		case "t":
			table = names{}
			l.columns[lower] = table
			if id != 0 {
				l.tables[lower] = id
			}
		case "c":
			table[lower] = id
		case "e":
			column, label, _ := strings.Cut(name, "\t")
			l.elements[strings.ToLower(column)] = id
			l.labels[id] = label
		case "p":
			l.processes[name] = id
		case "r":
			l.references[name] = id
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("reading the list of official ids: %w", err)
	}
	return l, nil
}

// Table is the AD_Table_ID of a table name in any case.
func Table(name string) (int, bool) {
	id, ok := load().tables[strings.ToLower(name)]
	return id, ok
}

// Column is the AD_Column_ID of a column, names in any case.
func Column(table, column string) (int, bool) {
	id, ok := load().columns[strings.ToLower(table)][strings.ToLower(column)]
	return id, ok
}

// Element is the AD_Element_ID of a column name in any case.
func Element(column string) (int, bool) {
	id, ok := load().elements[strings.ToLower(column)]
	return id, ok
}

// ElementLabel is the name of an element as the ERP comes with it.
func ElementLabel(id int) (string, bool) {
	label, ok := load().labels[id]
	return label, ok && label != ""
}

// Process is the AD_Process_ID of a search key.
func Process(value string) (int, bool) {
	id, ok := load().processes[value]
	return id, ok
}

// Reference is the AD_Reference_ID of a name.
func Reference(name string) (int, bool) {
	id, ok := load().references[name]
	return id, ok
}
