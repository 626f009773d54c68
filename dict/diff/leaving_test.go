package diff_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/dict/pack"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
)

// referredTo are the tables whose records a definition may refer to.
var referredTo = []string{"AD_Table", "AD_Column", "AD_Element", "AD_Reference", "AD_Ref_List", "AD_Window", "AD_Tab", "AD_Field", "AD_FieldGroup",
	"AD_Process", "AD_Process_Para", "AD_Val_Rule", "AD_Menu", "AD_EntityType", "AD_Form", "AD_Role", "AD_Tree", "AD_Sequence"}

// The embedded ERP has not got the UUID of every record that a real ERP was born with,
// and has others in their place. Whatever is written for a real ERP (archives, scripts,
// DDL, definitions, plans) is the same whatever these are: it names such records by
// their official id or by what they are found by. It takes a third of the rounds with
// -short.
func TestUUIDsOfTheSandboxStayThere(t *testing.T) {
	t.Parallel()
	s := untouched()
	otherUUIDs, other := startServer(t)
	require.NoError(t, otherUUIDs.Write(t.Context(), func(tx *sql.Tx) error {
		for _, table := range referredTo {
			_, err := tx.Exec(fmt.Sprintf("UPDATE %[1]s SET %[1]s_UU = substr(%[1]s_UU, 1, 24) || substr('000000000000' || %[1]s_ID, -12) WHERE %[1]s_ID < 1000000", table))
			if err != nil {
				return err
			}
		}
		return nil
	}, referredTo...))

	reg, otherReg := untouchedRegistry(), openRegistry(t, other)
	order, err := reg.Window(t.Context(), "Sales Order")
	require.NoError(t, err)
	otherOrder, err := otherReg.Window(t.Context(), "Sales Order")
	require.NoError(t, err)
	require.NotEqual(t, order.Tabs[0].UUID, otherOrder.Tabs[0].UUID, "the test changes what it says")

	list, err := reg.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(20, 26))
	names := make([]string, 0, len(list.Items))
	for _, listed := range list.Items {
		table, err := reg.Table(t.Context(), listed.Name)
		require.NoError(t, err)
		if _, hasKey := table.Column(table.Name + "_ID"); hasKey && !table.View {
			names = append(names, table.Name)
		}
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })

	written := 0
	rounds := 24
	if testing.Short() {
		rounds = 8
	}
	for round := range rounds {
		tables := randomTables(round, random, names)
		first, second := writtenFor(t, s, reg, tables), writtenFor(t, other, otherReg, tables)
		require.Len(t, second, len(first))
		for kind, content := range first {
			if content != second[kind] {
				t.Errorf("round %d, %s: %s", round, kind, firstDifference(content, second[kind]))
			}
			if content != "" {
				written++
			}
		}
	}
	assert.Greater(t, written, rounds*100/24, "most definitions can be written in every form")

	for _, name := range names[:12] {
		first, _, err := diff.Definition(t.Context(), reg, name)
		require.NoError(t, err)
		second, _, err := diff.Definition(t.Context(), otherReg, name)
		require.NoError(t, err)
		assert.Equal(t, first, second, name)
	}
}

// randomTables are a table of one's own that refers to tables of the ERP, with a
// window, and columns on a table of the ERP, shown in its windows in every second round.
func randomTables(round int, random *rand.Rand, names []string) []dict.Table {
	pick := func() string { return names[random.IntN(len(names))] }
	columns := []dict.Column{
		{Name: "XX_Note", Type: dict.TypeString, Length: 40},
		{Name: "XX_Of_ID", Type: dict.TypeTable, Reference: dict.Lookup(fmt.Sprint("XX_Of ", round), dict.TableLookup{Table: pick()})},
		{Name: "XX_Rule", Type: dict.TypeList, Length: 1, Reference: dict.ExistingReference("AD_User NotificationType", 0, "")},
		{Name: "C_Region_ID", Type: dict.TypeTableDir, ValRule: "C_Region of Country"},
		{Name: "SalesRep_ID", Type: dict.TypeTable, Reference: dict.ExistingReference("AD_User - SalesRep", 0, "")},
	}
	own := dict.NewTable(fmt.Sprint("XX_Leaves", round)).With(dict.Standard, dict.ValueName).Column(columns...)
	own.Window = &dict.Window{}
	name := pick()
	return []dict.Table{own, {Name: name, Columns: columns[:3], Extends: &dict.Extension{Fields: random.IntN(2) == 0}}}
}

// writtenFor is what the plan of tables becomes, by the form it is written in; "" where
// that form cannot have it.
func writtenFor(t *testing.T, s server, reg registry.Registry, tables []dict.Table) map[string]string {
	t.Helper()
	result, err := diff.Compare(t.Context(), reg, nil, tables...)
	if err != nil {
		tables[1].Extends.Fields = false // no window has the table
		result, err = diff.Compare(t.Context(), reg, nil, tables...)
	}
	require.NoError(t, err)
	plan, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	saved, err := json.Marshal(plan)
	require.NoError(t, err)
	written := map[string]string{"plan": string(saved)}
	xml, err := pack.XML(plan, &pack.Options{Resolve: restdict.Identify(t.Context(), s.Client)})
	require.NoError(t, err)
	written["archive"] = string(xml)
	scripts, err := migration.Scripts(plan, &migration.Options{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ID: "XX-1"})
	require.NoError(t, err)
	for _, script := range scripts {
		written["script for "+string(script.Dialect)] = script.Text()
	}
	statements, err := ddl.Statements(plan, dict.PostgreSQL, &ddl.Options{Resolve: ddl.Resolver(t.Context(), reg)})
	require.NoError(t, err)
	var text bytes.Buffer
	for _, statement := range statements {
		text.WriteString(statement.Text + "\n")
	}
	written["DDL"] = text.String()
	return written
}

// firstDifference is the first line that is another in the second text.
func firstDifference(first, second string) string {
	other := strings.Split(second, "\n")
	for i, line := range strings.Split(first, "\n") {
		if i >= len(other) {
			return fmt.Sprintf("the second ends before %q", line)
		}
		if line != other[i] {
			return fmt.Sprintf("%q became %q", line, other[i])
		}
	}
	return "the second goes on"
}
