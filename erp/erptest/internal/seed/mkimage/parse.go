package main

import (
	"bufio"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

//go:embed dictionary/*.txt views/*.txt facts/*.gz data/*.txt trade/*.txt follow/*.txt menu/*.txt
var files embed.FS

// eachLine calls fn for every line of a file that is not blank or a comment.
// indented reports whether the line starts with two blanks, which are cut off. A
// name that ends in .gz is that of a compressed file.
func eachLine(name string, fn func(line string, indented bool) error) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rest, indented := strings.CutPrefix(line, "  ")
		if err := fn(rest, indented); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	return s.Err()
}

// parseModel reads the dictionary: what the text files describe, and the rest from
// the compiled facts (see [model.supply]).
func parseModel() (*model, error) {
	m, err := parseText()
	if err != nil {
		return nil, err
	}
	facts, err := parseFacts()
	if err != nil {
		return nil, err
	}
	for _, t := range m.tables {
		t.own = true
	}
	m.supply(facts)
	if err := m.parseViews("views/views.txt"); err != nil {
		return nil, err
	}
	if err := m.addViews(); err != nil {
		return nil, err
	}
	for _, t := range m.tables {
		for _, c := range t.Columns {
			id, ok := m.elementID[strings.ToUpper(c.Name)]
			if !ok {
				return nil, fmt.Errorf("column %s.%s has no element", t.Name, c.Name)
			}
			c.ElementID = id
			c.Label = c.Name
		}
		t.Table = *store.NewTable(t.Table)
		t.defaults = defaultsOf(t)
	}
	m.linkDocuments()
	return m, nil
}

func newModel() *model {
	return &model{byName: map[string]*table{}, elementID: map[string]int64{}, constraints: map[string]string{}}
}

// parseText reads the text files of the dictionary.
func parseText() (*model, error) {
	m := newModel()
	names, err := fs.Glob(files, "dictionary/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		switch path.Base(name) {
		case "elements.txt":
			err = m.parseElements(name)
		case "references.txt":
			err = m.parseReferences(name)
		case "processes.txt":
			err = m.parseProcesses(name)
		case "windows.txt":
			err = m.parseWindows(name)
		case "descriptions.txt":
			err = m.parseDescriptions(name)
		case "constraints.txt":
			err = m.parseConstraints(name)
		default:
			err = m.parseTables(name)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// parseConstraints reads "<table> <AD_Column.FKConstraintType> <columns>".
func (m *model) parseConstraints(file string) error {
	return eachLine(file, func(line string, _ bool) error {
		words := strings.Fields(line)
		if len(words) < 3 || len(words[1]) != 1 {
			return fmt.Errorf("not a table, a constraint and columns: %q", line)
		}
		for _, column := range words[2:] {
			m.constraints[words[0]+"."+column] = words[1]
		}
		return nil
	})
}

// parseTables reads lines of the forms
//
//	table <name> <id> level=.. window=.. repl=.. entity=.. flags=.. : <label>
//	  std <ids of the seven standard columns, - for one that is listed below>
//	  <column> <id> <type>[:<reference>] <length> <flags> val=.. proc=.. min=.. max=.. = <default>
//
// where flags are K key, P parent, M mandatory, U updateable, A always
// updateable, I or I<n> the n-th identifier, S selection, T translated,
// X encrypted, C secure. ":= <sql>" instead of a default makes the column
// virtual, "next(<column>,<parent>)" is the next line number.
func (m *model) parseTables(file string) error {
	var t *table
	return eachLine(file, func(line string, indented bool) error {
		if !indented {
			var err error
			t, err = parseTable(line)
			if err != nil {
				return err
			}
			m.tables = append(m.tables, t)
			m.byName[strings.ToUpper(t.Name)] = t
			return nil
		}
		if t == nil {
			return fmt.Errorf("a column before the first table")
		}
		if ids, ok := strings.CutPrefix(line, "std "); ok {
			return t.addStandard(strings.Fields(ids))
		}
		c, err := parseColumn(t, line)
		if err != nil {
			return err
		}
		if c != nil {
			t.Columns = append(t.Columns, c)
		}
		return nil
	})
}

func parseTable(line string) (*table, error) {
	head, label, ok := strings.Cut(line, " : ")
	words := strings.Fields(head)
	if !ok || len(words) < 3 || words[0] != "table" {
		return nil, fmt.Errorf("not a table: %q", line)
	}
	t := &table{replication: "L", entity: "D"}
	t.Name, t.Label = words[1], label
	off := false
	flags := map[string]*bool{"delete": &t.IsDeleteable, "log": &t.IsChangeLog, "volume": &t.highVolume, "secure": &t.secure, "view": &t.IsView, "off": &off}
	var err error
	if t.ID, err = strconv.ParseInt(words[2], 10, 64); err != nil {
		return nil, err
	}
	for _, w := range words[3:] {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "level":
			t.AccessLevel = value
		case "window":
			t.WindowID, err = strconv.ParseInt(value, 10, 64)
		case "repl":
			t.replication = value
		case "entity":
			t.entity = value
		case "flags":
			for f := range strings.SplitSeq(value, ",") {
				flag := flags[f]
				if flag == nil {
					return nil, fmt.Errorf("unknown flag %q", f)
				}
				*flag = true
			}
		default:
			return nil, fmt.Errorf("unknown word %q", w)
		}
		if err != nil {
			return nil, err
		}
	}
	t.EntityType, t.Active = t.entity, !off
	return t, nil
}

// addStandard adds the seven columns every table has.
func (t *table) addStandard(ids []string) error {
	specs := [...]string{
		"AD_Client_ID %s tabledir 22 M val=129 = @#AD_Client_ID@",
		"AD_Org_ID %s tabledir 22 M val=104 = @#AD_Org_ID@",
		"IsActive %s yesno 1 MU = Y",
		"Created %s datetime 7 M",
		"CreatedBy %s search:110 22 M",
		"Updated %s datetime 7 M",
		"UpdatedBy %s search:110 22 M",
	}
	if len(ids) != len(specs) {
		return fmt.Errorf("%d ids of standard columns instead of %d", len(ids), len(specs))
	}
	for i, id := range ids {
		if id == "-" {
			continue
		}
		c, err := parseColumn(t, fmt.Sprintf(specs[i], id))
		if err != nil {
			return err
		}
		t.Columns = append(t.Columns, c)
	}
	return nil
}

func parseColumn(t *table, line string) (*store.Column, error) {
	c := &store.Column{TableID: t.ID}
	if head, sql, ok := strings.Cut(line, " := "); ok {
		line, c.ColumnSQL = head, sql
	} else if head, value, ok := strings.Cut(line, " = "); ok {
		line, c.Default = head, value
	}
	words := strings.Fields(line)
	if len(words) < 5 {
		return nil, fmt.Errorf("a column needs name, id, type, length and flags: %q", line)
	}
	c.Name = words[0]
	var err error
	if c.ID, err = strconv.ParseInt(words[1], 10, 64); err != nil {
		return nil, err
	}
	if c.Ref, c.RefValue, err = parseType(words[2]); err != nil {
		return nil, err
	}
	if c.Length, err = strconv.Atoi(words[3]); err != nil {
		return nil, err
	}
	if err := parseFlags(c, words[4]); err != nil {
		return nil, err
	}
	for _, w := range words[5:] {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "val":
			c.ValRule, err = strconv.ParseInt(value, 10, 64)
		case "proc":
			c.ProcessID, err = strconv.ParseInt(value, 10, 64)
		case "min":
			c.ValueMin = value
		case "max":
			c.ValueMax = value
		default:
			return nil, fmt.Errorf("unknown word %q", w)
		}
		if err != nil {
			return nil, err
		}
	}
	if args, ok := strings.CutPrefix(c.Default, "next("); ok {
		c.Default = nextOf(t, strings.TrimSuffix(args, ")"))
	}
	return c, nil
}

// nextOf is the default that numbers records in steps of ten, those of a parent where one is given.
func nextOf(t *table, args string) string {
	column, parent, hasParent := strings.Cut(args, ",")
	sql := "@SQL=SELECT COALESCE(MAX(" + column + "),0)+10 AS DefaultValue FROM " + t.Name
	if hasParent {
		sql += " WHERE " + parent + "=@" + parent + "@"
	}
	return sql
}

func parseType(word string) (ref int, value int64, err error) {
	name, number, has := strings.Cut(word, ":")
	ref, ok := displayTypes[name]
	if !ok {
		return 0, 0, fmt.Errorf("unknown type %q", word)
	}
	if has {
		value, err = strconv.ParseInt(number, 10, 64)
	}
	return ref, value, err
}

func parseFlags(c *store.Column, flags string) error {
	for i := 0; i < len(flags); i++ {
		switch flags[i] {
		case '-':
		case 'K':
			c.Key = true
		case 'P':
			c.Parent = true
		case 'M':
			c.Mandatory = true
		case 'U':
			c.Updateable = true
		case 'A':
			c.AlwaysUpdateable = true
		case 'S':
			c.Selection = true
		case 'T':
			c.Translated = true
		case 'X':
			c.Encrypted = true
		case 'C':
			c.Secure = true
		case 'I':
			c.Identifier, c.SeqNo = true, 1
			digits := len(flags[i+1:]) - len(strings.TrimLeft(flags[i+1:], "0123456789"))
			if digits > 0 {
				c.SeqNo, _ = strconv.Atoi(flags[i+1 : i+1+digits]) // they are digits
				i += digits
			}
		default:
			return fmt.Errorf("unknown flag %q", flags[i:i+1])
		}
	}
	return nil
}
