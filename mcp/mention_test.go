package mcp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	s := Set{{Name: "listTables"}, {Name: "describeTable"}, {Name: "executeQuery"}, {Name: "getRecord"}}
	for _, c := range []struct{ name, text, want string }{
		{"nothing is named", "request less", "request less"},
		{"what is offered stays", "call listTables first", "call listTables first"},
		{"the whole text", "call executeQuery", ""},
		{"a clause", "the table is empty; executeQuery counts its rows", "the table is empty"},
		{"the first clause", "executeQuery counts its rows; the table is empty", "the table is empty"},
		{"a clause of a sentence with an end", "It is empty; executeQuery counts. Look at it.", "It is empty. Look at it."},
		{"a sentence", "Finds records. For sums use executeQuery. Pages follow.", "Finds records. Pages follow."},
		{"a question stays", "did you mean C_Order? Otherwise call executeQuery", "did you mean C_Order?"},
		{"one of two", "find it with listTables or executeQuery", "find it with listTables"},
		{"the other of two", "find it with executeQuery or listTables", "find it with listTables"},
		{"parentheses", "Count its records (executeQuery) and say so.", "Count its records and say so."},
		{"a list in parentheses", "Name the columns (describeTable, executeQuery).", "Name the columns (describeTable)."},
		{"part of another word", "executeQuerying and my_executeQuery are words", "executeQuerying and my_executeQuery are words"},
		{"lines are numbered anew", "About:\n1. Use listTables.\n2. Use executeQuery.\n3. Use getRecord.\nEnd.", "About:\n1. Use listTables.\n2. Use getRecord.\nEnd."},
		{"items of several lines", "1. Use listTables.\n2. Use executeQuery,\n   which counts.\n3. Use getRecord\n   alone.\n4. Go on.", "1. Use listTables.\n2. Use getRecord\n   alone.\n3. Go on."},
		{"an item of several lines loses a sentence", "1. Look first. Use\n   executeQuery\n   then. Go on.\n2. End.", "1. Look first. Go on.\n2. End."},
		{"items with dashes", "- Use executeQuery,\n  which counts.\n- Go\n  on.", "- Go\n  on."},
		{"a sentence that leans on one that is gone", "Use executeQuery for sums. It counts. Otherwise wait. Pages follow.", "Pages follow."},
		{"a sentence that leans on one that stays", "Use listTables. It counts; executeQuery sums.", "Use listTables. It counts."},
		{"in quotes", `{"hint": "executeQuery"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, s.Without(c.text, func(tool string) bool { return tool != "executeQuery" }))
		})
	}
	assert.Equal(t, []string{"listTables", "getRecord"}, s.Mentioned("getRecord, then listTables"))
}

// Whatever the text: afterwards no tool is named that is not offered, and what
// names none stays as it is.
func FuzzWithout(f *testing.F) {
	s := Set{{Name: "listTables"}, {Name: "describeTable"}, {Name: "executeQuery"}}
	f.Add("a; b. c (describeTable, executeQuery) or listTables and executeQuery", uint8(3))
	f.Add("1. executeQuery\n2. x", uint8(0))
	f.Add("(executeQuery)listTables or executeQuery, describeTable", uint8(1))
	f.Add("; executeQuery !", uint8(0))
	f.Fuzz(func(t *testing.T, text string, offered uint8) {
		offers := func(tool string) bool {
			return offered&(1<<slices.IndexFunc(s, func(t Tool) bool { return t.Name == tool })) != 0
		}
		kept := s.Without(text, offers)
		for _, name := range s.Mentioned(kept) {
			assert.True(t, offers(name), "%q becomes %q", text, kept)
		}
		if !slices.ContainsFunc(s.Mentioned(text), func(name string) bool { return !offers(name) }) {
			assert.Equal(t, text, kept)
		}
	})
}
