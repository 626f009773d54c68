package diff_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// child is a table that points to caseTable.
func child() dict.Table {
	return dict.NewTable("XX_CaseNote").WithAccessLevel(dict.AccessAll).With(dict.Standard).Column(
		dict.Column{Name: "XX_Case_ID", Type: dict.TypeTableDir, Mandatory: true, Parent: true},
		dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 40, Unique: true})
}

// A table, its columns, its list and its window get other names, and keep every
// value; what points to the table follows.
func TestRenamesKeepContent(t *testing.T) {
	t.Parallel()
	client := start(t)
	apply(t, client, base(), child())
	want := map[erp.ID]string{}
	var parent erp.ID
	for i := range 20 {
		text := fmt.Sprintf("content %d ' \" \\ é %s", i, strings.Repeat("x", i))
		rec, err := client.Create(t.Context(), "XX_Case", map[string]any{"Value": fmt.Sprint(i), "Name": "n", "XX_Text": text, "XX_Must": "m", "XX_State": "N", "XX_Count": i})
		require.NoError(t, err)
		parent = rec.ID()
		want[rec.ID()] = text
	}
	id, _ := parent.Int()
	note, err := client.Create(t.Context(), "XX_CaseNote", map[string]any{"XX_Case_ID": id, "XX_Note": "of the case"})
	require.NoError(t, err)

	moved := base()
	moved.Name, moved.Was = "XX_Dossier", "XX_Case"
	moved.Window.Name, moved.Window.Was = "Dossiers", "Cases"
	column(&moved, "XX_Text").Name = "XX_Body"
	column(&moved, "XX_Body").Was = "XX_Text"
	column(&moved, "XX_Body").Length = 80
	column(&moved, "XX_Must").Name = "XX_Needed"
	column(&moved, "XX_Needed").Was = "XX_Must"
	state := *column(&moved, "XX_State").Reference
	state.Name, state.Was = "XX_Dossier State", "XX_Case State"
	column(&moved, "XX_State").Reference = &state
	moved.Indexes = []dict.Index{{Name: "xx_case_text", Columns: []string{"XX_Body"}}}
	notes := child()
	column(&notes, "XX_Case_ID").Name = "XX_Dossier_ID"
	column(&notes, "XX_Note").Name = "XX_Words"
	column(&notes, "XX_Words").Was = "XX_Note"

	result := compare(t, client, moved, notes)
	got := text(t, result)
	for _, line := range []string{"~ table XX_Dossier  renamed from XX_Case\n", "~ column XX_Dossier.XX_Body  renamed from XX_Text\n",
		"~ column XX_Dossier.XX_Needed  renamed from XX_Must\n", "~ reference XX_Dossier State  renamed from XX_Case State\n",
		"~ window Dossiers  renamed from Cases\n", "~ column XX_CaseNote.XX_Words  renamed from XX_Note\n", "FieldLength: 40 -> 80\n"} {
		assert.Contains(t, got, line)
	}
	assert.Empty(t, result.Destructive(), got)
	assert.Contains(t, got, ", 0 to remove, 6 to rename.", got)
	assert.NotContains(t, got, "+ ", got)
	apply(t, client, moved, notes)

	for id, text := range want {
		rec, err := client.Get(t.Context(), "XX_Dossier", id, nil)
		require.NoError(t, err)
		has, _ := rec.Text("XX_Body")
		assert.Equal(t, text, has)
	}
	rec, err := client.Get(t.Context(), "XX_CaseNote", note.ID(), nil)
	require.NoError(t, err)
	ref, _ := rec.Ref("XX_Dossier_ID")
	assert.Equal(t, parent.String(), ref.ID.String())
	has, _ := rec.Text("XX_Words")
	assert.Equal(t, "of the case", has)

	// Once it is done, was says nothing any more, and may go.
	for _, tables := range [][]dict.Table{{moved, notes}, {withoutWas(moved), withoutWas(notes)}} {
		again := compare(t, client, tables...)
		assert.Empty(t, again.Changes, text(t, again))
	}

	// The former names may be used again.
	column(&moved, "XX_Body").Was = ""
	both := moved.Column(dict.Column{Name: "XX_Text", Type: dict.TypeDate})
	old := base()
	old.Window = nil
	old.Indexes = nil
	reused := withoutWas(both)
	apply(t, client, reused, withoutWas(notes), dict.NewTable("XX_Case").With(dict.Standard, dict.ValueName).Column(dict.Column{Name: "XX_Text", Type: dict.TypeInteger}))
	again := compare(t, client, reused)
	assert.Empty(t, again.Changes, text(t, again))
	for id, text := range want {
		rec, err := client.Get(t.Context(), "XX_Dossier", id, nil)
		require.NoError(t, err)
		has, _ := rec.Text("XX_Body")
		assert.Equal(t, text, has)
	}
}

func withoutWas(t dict.Table) dict.Table {
	t.Was = ""
	if t.Window != nil {
		w := *t.Window
		w.Was = ""
		t.Window = &w
	}
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Was = ""
		if r := t.Columns[i].Reference; r != nil {
			c := *r
			c.Was = ""
			t.Columns[i].Reference = &c
		}
	}
	return t
}

// What cannot be renamed is said, with what to do.
func TestRenamesThatCannotBe(t *testing.T) {
	t.Parallel()
	client := start(t)
	apply(t, client, base(), child())
	rename := func(t dict.Table, from, to string) dict.Table {
		c := column(&t, from)
		c.Name, c.Was = to, from
		t.Indexes = nil
		return t
	}
	official, _, err := diff.Definition(t.Context(), untouchedRegistry(), "C_BPartner")
	require.NoError(t, err)
	tests := []struct {
		name  string
		table dict.Table
		rule  string
		says  []string
	}{
		{"both columns", func() dict.Table {
			t := base()
			drop(&t, "XX_Text")
			t.Indexes = nil
			column(&t, "XX_Must").Was = "XX_Text"
			return t
		}(),
			"was.both", []string{"both the column XX_Text", "remove was"}},
		{"neither column, and one is left over", func() dict.Table {
			t := rename(base(), "XX_Text", "XX_Body")
			column(&t, "XX_Body").Was = "XX_Txt"
			return t
		}(), "was.unknown", []string{"neither XX_Txt", "the ERP has XX_Text"}},
		{"both tables", func() dict.Table { t := child(); t.Was = "XX_Case"; return t }(), "was.both", []string{"both the table XX_Case", "remove was"}},
		{"a column of the ERP", rename(official, "Rating", "XX_Rating"), "was.official", []string{"came with the ERP"}},
		{"a table of the ERP", func() dict.Table { t := base(); t.Name, t.Was = "XX_Other", "C_Order"; return t }(), "was.official", []string{"came with the ERP"}},
		{"both references", func() dict.Table {
			t := base()
			r := *column(&t, "XX_State").Reference
			r.Was = "XX_Case Partner"
			column(&t, "XX_State").Reference = &r
			return t
		}(), "was.both", []string{"both the reference"}},
		{"its own name", func() dict.Table { t := base(); column(&t, "XX_Text").Was = "xx_text"; return t }(), "was", []string{"is defined as well"}},
		{"one name, two columns", rename(rename(base(), "XX_Text", "XX_Body"), "XX_Must", "XX_Needed"), "", nil},
	}
	tests[len(tests)-1].rule, tests[len(tests)-1].says = "was", []string{"was called"}
	column(&tests[len(tests)-1].table, "XX_Needed").Was = "XX_Text"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := diff.Compare(t.Context(), openScope(t, client, diff.Scope(tt.table)), &dict.Options{AnyPrefix: true}, tt.table)
			var invalid *dict.ValidationError
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, tt.rule, invalid.Findings[0].Rule, err)
			for _, s := range tt.says {
				assert.ErrorContains(t, err, s)
			}
		})
	}

	// In an ERP that has neither, or where nothing is left over, there is nothing to keep.
	fresh := base()
	fresh.Name, fresh.Was = "XX_Fresh", "XX_Stale"
	fresh.Window = nil
	fresh.Indexes = nil
	column(&fresh, "XX_Text").Was = "XX_Txt"
	result := compare(t, client, fresh)
	assert.Zero(t, result.Summary().Rename)
	more := base().Column(dict.Column{Name: "XX_More", Was: "XX_Less", Type: dict.TypeDate})
	result = compare(t, client, more)
	assert.Zero(t, result.Summary().Rename)
}

// A run that stops anywhere goes on to the same end, and loses nothing.
func TestRenamesResume(t *testing.T) {
	t.Parallel()
	client := start(t)
	apply(t, client, base(), child())
	rec, err := client.Create(t.Context(), "XX_Case", map[string]any{"Value": "v", "Name": "n", "XX_Text": "kept", "XX_Must": "m"})
	require.NoError(t, err)
	names := []string{"XX_Case", "XX_Text"}
	for round, next := range [][]string{{"XX_First", "XX_One"}, {"XX_Second", "XX_Two"}} {
		moved := base()
		moved.Name, moved.Was = next[0], names[0]
		c := column(&moved, "XX_Text")
		c.Name, c.Was = next[1], names[1]
		moved = moved.Column(dict.Column{Name: fmt.Sprintf("XX_New%d", round), Type: dict.TypeDate})
		for i := range round {
			moved = moved.Column(dict.Column{Name: fmt.Sprintf("XX_New%d", i), Type: dict.TypeDate})
		}
		moved.Indexes = []dict.Index{{Name: "xx_case_text", Columns: []string{next[1]}}}
		notes := child()
		column(&notes, "XX_Case_ID").Name = next[0] + "_ID"
		result := compare(t, client, moved, notes)
		plan, err := diff.NewPlan(result, nil)
		require.NoError(t, err)
		checkpoint := t.TempDir() + "/checkpoint.json"
		stopAfter := 0
		for stops := 0; ; stops++ {
			require.Less(t, stops, 200)
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			_, err := restdict.Run(ctx, client.Client, plan, &restdict.Options{Checkpoint: checkpoint, Resume: stops > 0, Observe: func(e restdict.Event) {
				if e.Kind == restdict.StepStarted {
					if n++; n > stopAfter {
						cancel()
					}
				}
			}})
			cancel()
			if err == nil {
				break
			}
			require.ErrorIs(t, err, context.Canceled)
			stopAfter++
		}
		again := compare(t, client, moved, notes)
		assert.Empty(t, again.Changes, text(t, again))
		got, err := client.Get(t.Context(), next[0], rec.ID(), nil)
		require.NoError(t, err)
		has, _ := got.Text(next[1])
		assert.Equal(t, "kept", has)
		names = next
	}
	_, err = openScope(t, client, diff.DefinitionScope("XX_First")).Table(t.Context(), "XX_First")
	require.ErrorIs(t, err, registry.ErrNotFound)
}
