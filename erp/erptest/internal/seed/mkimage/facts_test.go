package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// firstOwnID is where ids begin that are not the ERP's.
const firstOwnID = 900_001

// The text files win over the facts (see [model.supply]), but do not contradict
// them.
func TestTextAgreesWithTheFacts(t *testing.T) {
	t.Parallel()
	text, err := parseText()
	require.NoError(t, err)
	facts, err := parseFacts()
	require.NoError(t, err)
	compared := 0
	for _, own := range text.tables {
		want := facts.byName[strings.ToUpper(own.Name)]
		if want == nil {
			assert.True(t, strings.HasPrefix(own.Name, "REST_"), "%s is not among the facts", own.Name)
			continue
		}
		assert.Equal(t, want.Name, own.Name)
		assert.Equal(t, want.ID, own.ID, own.Name)
		assert.Equal(t, want.AccessLevel, own.AccessLevel, own.Name)
		have := store.NewTable(own.Table)
		for _, w := range want.Columns {
			at := own.Name + "." + w.Name
			c, ok := have.Column(w.Name)
			if !assert.True(t, ok || w.IsVirtual(), "%s is missing", at) || !ok {
				continue
			}
			compared++
			assert.Equal(t, w.Name, c.Name, at)
			if w.ID < firstOwnID {
				assert.Equal(t, w.ID, c.ID, at)
			}
			if own.Name != "AD_Language" { // the facts name its number, while the server keys records by the code
				assert.Equal(t, w.Key, c.Key, "key: %s", at)
			}
		}
	}
	assert.Greater(t, compared, 4500, "columns compared")

	elements := map[string]element{}
	for _, e := range facts.elements {
		elements[strings.ToUpper(e.column)] = e
	}
	for _, e := range text.elements {
		if w, ok := elements[strings.ToUpper(e.column)]; ok && w.id < firstOwnID {
			assert.Equal(t, w.id, e.id, "element %s", e.column)
			assert.Equal(t, w.column, e.column)
		}
	}
	refs := map[int64]*reference{}
	for _, r := range facts.refs {
		refs[r.id] = r
	}
	for _, r := range text.refs {
		w := refs[r.id]
		if w == nil {
			assert.GreaterOrEqual(t, r.id, int64(firstOwnID), "reference %s is not among the facts", r.name)
			continue
		}
		assert.Equal(t, w.kind, r.kind, "reference %d", r.id)
		if !strings.HasPrefix(w.target, "AD_All") { // views that stand for their tables
			assert.Equal(t, w.target, r.target, "reference %d", r.id)
		}
		have := map[string]bool{}
		for _, v := range r.values {
			have[v.value] = true
		}
		for _, v := range w.values {
			assert.True(t, have[v.value], "list %d has no %q", r.id, v.value)
		}
	}
	tables := map[int64]string{}
	for _, w := range facts.windows {
		for _, tb := range w.tabs {
			tables[tb.id] = tb.table
		}
	}
	for _, w := range text.windows {
		for _, tb := range w.tabs {
			if want, ok := tables[tb.id]; ok {
				assert.Equal(t, want, tb.table, "tab %d", tb.id)
			}
		}
	}
	processes := map[int64]*process{}
	for _, p := range facts.processes {
		processes[p.id] = p
	}
	for _, p := range text.processes {
		if w := processes[p.id]; w != nil && p.id != 291 && p.id != 194 { // see Options.RealProcessNumbers
			assert.Equal(t, w.value, p.value, "process %d", p.id)
		}
	}
}

// No id is given twice, to whatever the text files and the facts describe.
func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	m, err := parseModel()
	require.NoError(t, err)
	seen := map[string]map[int64]string{}
	once := func(kind string, id int64, name string) {
		if seen[kind] == nil {
			seen[kind] = map[int64]string{}
		}
		assert.Empty(t, seen[kind][id], "%s %d is %s and %s", kind, id, seen[kind][id], name)
		seen[kind][id] = name
	}
	for _, x := range m.tables {
		once("table", x.ID, x.Name)
		for _, c := range x.Columns {
			once("column", c.ID, x.Name+"."+c.Name)
		}
	}
	for _, e := range m.elements {
		once("element", e.id, e.column)
	}
	for _, r := range m.refs {
		once("reference", r.id, r.name)
	}
	for _, p := range m.processes {
		once("process", p.id, p.value)
	}
	for _, w := range m.windows {
		once("window", w.id, w.name)
		for _, x := range w.tabs {
			once("tab", x.id, x.name)
		}
	}
	assert.Greater(t, len(seen["table"]), 1000)
	assert.Greater(t, len(seen["column"]), 20_000)
}

func TestDescriptionsAreOfWhatExists(t *testing.T) {
	t.Parallel()
	m, err := parseModel()
	require.NoError(t, err)
	tables, columns := 0, 0
	for key, d := range m.texts {
		kind, name, _ := strings.Cut(key, " ")
		if kind == "table" {
			tables++
			assert.Contains(t, m.byName, name)
		} else {
			columns++
			assert.Contains(t, m.elementID, name)
		}
		assert.LessOrEqual(t, len(d.text), 255, name)
		assert.True(t, strings.HasSuffix(d.text, "."), "%s: a sentence ends in a point", name)
	}
	assert.GreaterOrEqual(t, tables, 150)
	assert.GreaterOrEqual(t, columns, 300)
}
