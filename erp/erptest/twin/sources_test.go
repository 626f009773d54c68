package twin_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// invented is a source with a few tables of its own beside those of another.
type invented struct {
	twin.Source
	tables map[string]inventedTable
	reads  map[string]int
}

type inventedTable struct {
	id      int64
	columns []inventedColumn
	rows    [][]any // by column
	err     error   // after as many rows as fail says
	fail    int
}

type inventedColumn struct {
	name      string
	display   int64
	refValue  int64
	mandatory bool
	key       bool
	parent    bool
	sql       string
}

func (s *invented) Stamp(ctx context.Context, t *twin.Table) (twin.Stamp, error) {
	if own, ok := s.tables[t.Name]; ok {
		return twin.Stamp{Rows: int64(len(own.rows))}, nil
	}
	return s.Source.Stamp(ctx, t)
}

// record is a row of the dictionary, by the names of columns.
func record(q *twin.Query, values map[string]any) []any {
	out := make([]any, len(q.Columns))
	for i, c := range q.Columns {
		v, ok := values[c.Name]
		switch {
		case ok:
			out[i] = v
		case c.Type == twin.Flag:
			out[i] = c.Name == "IsActive"
		case c.Type == twin.Integer:
			out[i] = int64(0)
		case c.Name == "Created", c.Name == "Updated":
			out[i] = "2026-01-02 03:04:05"
		}
	}
	return out
}

func (s *invented) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	s.reads[q.Table.Name]++
	if own, ok := s.tables[q.Table.Name]; ok {
		rows := slices.Clone(own.rows)
		if q.Descending {
			slices.Reverse(rows)
		}
		n := 0
		for _, values := range rows {
			if own.err != nil && n >= own.fail {
				return own.err
			}
			byName := map[string]any{}
			for i, c := range own.columns {
				byName[c.name] = values[i]
			}
			key, _ := byName[q.Table.Key].(int64)
			if q.After != nil && key <= *q.After || q.By != "" && !holdsKey(q.Keys, byName[q.By]) {
				continue
			}
			if err := row(record(q, byName)); err != nil {
				return err
			}
			if n++; n == q.Limit {
				break
			}
		}
		return own.err
	}
	if err := s.Source.Rows(ctx, q, row); err != nil || q.After != nil {
		return err
	}
	for name, t := range s.tables {
		switch {
		case q.Table.Name == "AD_Table" && q.By == "":
			err := row(record(q, map[string]any{"AD_Table_ID": t.id, "TableName": name, "Name": name, "AccessLevel": "3", "EntityType": "XX", "AD_Table_UU": name}))
			if err != nil {
				return err
			}
		case q.Table.Name == "AD_Column" && q.By == "":
			for i, c := range t.columns {
				values := map[string]any{
					"AD_Column_ID": t.id*10_000 + int64(i), "AD_Column_UU": fmt.Sprint(name, i), "AD_Table_ID": t.id, "ColumnName": c.name, "Name": c.name,
					"AD_Reference_ID": c.display, "FieldLength": int64(60), "IsMandatory": c.mandatory || c.key, "IsKey": c.key, "IsParent": c.parent, "EntityType": "XX",
				}
				if c.refValue != 0 {
					values["AD_Reference_Value_ID"] = c.refValue
				}
				if c.sql != "" {
					values["ColumnSQL"] = c.sql
				}
				if err := row(record(q, values)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func holdsKey(keys []any, key any) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}

func inventing(t *testing.T, tables map[string]inventedTable) *invented {
	return &invented{Source: newSmall(database(t, live())), tables: tables, reads: map[string]int{}}
}

func cloneInvented(t *testing.T, tables map[string]inventedTable, change func(*twin.Options)) (*erptest.Server, *twin.Report) {
	t.Helper()
	opts := twin.Options{Tables: []string{"XX_*"}, Tenants: []string{"*"}, Backoff: 1, Retries: 2, Masking: plain}
	if change != nil {
		change(&opts)
	}
	dir := t.TempDir()
	report, err := twin.Clone(t.Context(), inventing(t, tables), dir, opts)
	require.NoError(t, err)
	verified(t, dir)
	return erptest.New(t, erptest.FromTwin(dir)), report
}

func texts(t *testing.T, srv *erptest.Server, query string) []string {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		require.NoError(t, rows.Scan(&s))
		out = append(out, s)
	}
	require.NoError(t, rows.Err())
	return out
}

var (
	keyColumn = func(table string) inventedColumn { return inventedColumn{name: table + "_ID", display: 13, key: true} }
	nameText  = inventedColumn{name: "Name", display: 10}
)

// Rows that refer to each other in a circle, to themselves and to nothing.
func TestReferences(t *testing.T) {
	t.Parallel()
	tables := map[string]inventedTable{
		"XX_A": {id: 990_001, columns: []inventedColumn{keyColumn("XX_A"), nameText, {name: "XX_B_ID", display: 19}, {name: "XX_C_ID", display: 19, mandatory: true}},
			rows: [][]any{
				{int64(1), "circle", int64(1), int64(1)}, {int64(2), "no such b", int64(99), int64(1)}, {int64(3), "no such c", int64(1), int64(99)}, {int64(4), "none", nil, int64(1)},
			}},
		"YY_B": {},
		"XX_B": {id: 990_002, columns: []inventedColumn{keyColumn("XX_B"), nameText, {name: "XX_A_ID", display: 19}}, rows: [][]any{{int64(1), "b", int64(1)}, {int64(2), "behind the third", int64(3)}}},
		"XX_C": {id: 990_003, columns: []inventedColumn{keyColumn("XX_C"), nameText, {name: "XX_C_ID_2", display: 13}}, rows: [][]any{{int64(1), "c", nil}}},
		// A chain: the first one refers to the second, and so on.
		"XX_Chain": {id: 990_004, columns: []inventedColumn{keyColumn("XX_Chain"), nameText, {name: "Next_ID", display: 18, refValue: 0}, {name: "AD_Table_ID", display: 19}, {name: "Record_ID", display: 28}},
			rows: [][]any{{int64(1), "one", nil, int64(990_001), int64(1)}, {int64(2), "two", nil, int64(990_001), int64(99)}}},
	}
	delete(tables, "YY_B")
	srv, report := cloneInvented(t, tables, nil)
	assert.Equal(t, []string{"1 1 1", "2 - 1", "4 - 1"}, texts(t, srv, `SELECT XX_A_ID || ' ' || COALESCE(XX_B_ID,'-') || ' ' || XX_C_ID FROM XX_A ORDER BY 1`))
	assert.Equal(t, []string{"1 1", "2 -"}, texts(t, srv, `SELECT XX_B_ID || ' ' || COALESCE(XX_A_ID,'-') FROM XX_B ORDER BY 1`))
	assert.Equal(t, []string{"1 1", "2 -"}, texts(t, srv, `SELECT XX_Chain_ID || ' ' || COALESCE(Record_ID,'-') FROM XX_Chain ORDER BY 1`))
	a := table(t, report, "XX_A")
	assert.Equal(t, map[string]int64{"XX_B_ID": 1}, a.Emptied)
	assert.Equal(t, map[string]int64{"XX_C_ID leads to no row of the twin": 1}, a.LeftOut)
	assert.EqualValues(t, 3, a.Rows)
	assert.Equal(t, map[string]int64{"XX_A_ID": 1}, table(t, report, "XX_B").Emptied, "what referred to the row that was left out")
	assert.Equal(t, map[string]int64{"Record_ID": 1}, table(t, report, "XX_Chain").Emptied)
}

// Only one table is asked for: the others come as far as the depth says. -short takes
// one that ends between them.
func TestDepth(t *testing.T) {
	t.Parallel()
	tables := map[string]inventedTable{}
	for i := 1; i <= 4; i++ {
		name, next := fmt.Sprint("XX_L", i), fmt.Sprintf("XX_L%d_ID", i+1)
		tables[name] = inventedTable{id: 990_010 + int64(i), columns: []inventedColumn{keyColumn(name), nameText, {name: next, display: 19}}, rows: [][]any{{int64(7), name, int64(7)}}}
	}
	for depth, want := range map[int][]int64{-1: {1, 0, 0, 0}, 2: {1, 1, 1, 0}, 0: {1, 1, 1, 1}} {
		if testing.Short() && depth != 2 {
			continue
		}
		srv, report := cloneInvented(t, tables, func(o *twin.Options) { o.Tables, o.Depth = []string{"xx_l1"}, depth })
		for i, rows := range want {
			assert.Len(t, texts(t, srv, fmt.Sprint("SELECT Name FROM XX_L", i+1)), int(rows), "depth %d, table %d", depth, i+1)
		}
		if depth == 2 {
			assert.Equal(t, map[string]int64{"XX_L4_ID": 1}, table(t, report, "XX_L3").Emptied)
			assert.Equal(t, twin.Referenced, table(t, report, "XX_L3").Part)
		}
	}
}

// Columns of types that are not known here, values that do not fit, too many
// columns, SQL of another database, tables that vanish or may not be read.
func TestBadTables(t *testing.T) {
	t.Parallel()
	many := []inventedColumn{keyColumn("XX_Many")}
	for i := range 4000 {
		many = append(many, inventedColumn{name: fmt.Sprint("C", i), display: 10})
	}
	name := func(n int64) []any { return []any{n, fmt.Sprint("row ", n)} }
	tables := map[string]inventedTable{
		"XX_Odd": {id: 990_021, columns: []inventedColumn{
			keyColumn("XX_Odd"), nameText, {name: "Strange", display: 987_654}, {name: "Amount", display: 12}, {name: "Flag", display: 20}, {name: "Day", display: 15},
			{name: "Ours", display: 10, sql: "(SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY') || XX_Odd.Name::text)"}, {name: "Theirs", display: 10, sql: "upper(XX_Odd.Name)"},
		}, rows: [][]any{
			{int64(1), "fits", "anything", "12.50", true, "2026-03-09", nil, nil},
			{int64(2), "does not", int64(5), "twelve", "perhaps", "the ninth", nil, nil},
			{nil, "without key", nil, nil, nil, nil, nil, nil},
			{int64(1), "twice", nil, nil, nil, nil, nil, nil},
		}},
		"XX_Many": {id: 990_022, columns: many, rows: [][]any{append([]any{int64(1)}, make([]any, 4000)...)}},
		"XX_Same": {id: 990_026, columns: []inventedColumn{keyColumn("XX_Same"), nameText, {name: "XX_Same_UU", display: 200231}},
			rows: [][]any{{int64(1), "one", "a"}, {int64(2), "two", "a"}, {int64(3), "three", nil}, {int64(4), "four", nil}, {int64(5), "five", "b"}}},
		"XX_Gone":   {id: 990_023, columns: []inventedColumn{keyColumn("XX_Gone"), nameText}, rows: [][]any{name(1), name(2)}, err: twin.ErrNoTable, fail: 1},
		"XX_Hidden": {id: 990_024, columns: []inventedColumn{keyColumn("XX_Hidden"), nameText}, rows: [][]any{name(1)}, err: twin.ErrNotReadable},
		"XX_Broken": {id: 990_025, columns: []inventedColumn{keyColumn("XX_Broken"), nameText}, rows: [][]any{name(1)}, err: errBroken},
	}
	srv, report := cloneInvented(t, tables, nil)
	assert.Equal(t, []string{"1|fits|anything|12.50|Y|2026-03-09 00:00:00", "2|does not|5|-|N|-"},
		texts(t, srv, `SELECT XX_Odd_ID || '|' || Name || '|' || Strange || '|' || COALESCE(Amount,'-') || '|' || Flag || '|' || COALESCE(Day,'-') FROM XX_Odd ORDER BY 1`))
	odd := table(t, report, "XX_Odd")
	assert.Equal(t, map[string]int64{"Amount": 1, "Flag": 1, "Day": 1}, odd.Unfit)
	assert.EqualValues(t, 1, odd.LeftOut["without key"])
	assert.EqualValues(t, 1, odd.LeftOut["the key or UUID is there already"])
	require.NotEmpty(t, report.Notes)
	assert.Contains(t, report.Notes[0], "1 virtual columns are empty, because the embedded database cannot run their SQL: XX_Odd.Ours")
	c := client(t, srv, "GardenAdmin", 11, 102)
	page, err := c.Query(t.Context(), "XX_Odd", &erp.Query{Filter: erp.Eq("XX_Odd_ID", 1)})
	require.NoError(t, err, "the table is readable")
	require.Len(t, page.Records, 1)
	theirs, _ := page.Records[0].Text("Theirs")
	assert.Equal(t, "FITS", theirs)

	assert.Equal(t, []string{"one", "three", "four", "five"}, texts(t, srv, `SELECT Name FROM XX_Same ORDER BY XX_Same_ID`))
	assert.Equal(t, map[string]int64{"the key or UUID is there already": 1}, table(t, report, "XX_Same").LeftOut)
	assert.Len(t, texts(t, srv, `SELECT name FROM sqlite_schema WHERE name='XX_Same_UU_idx'`), 1)
	assert.Contains(t, table(t, report, "XX_Many").Problem, "has 4001 columns; the database takes 2000 at most")
	assert.Contains(t, table(t, report, "XX_Gone").Unreadable, "the ERP has no such table")
	assert.EqualValues(t, 1, table(t, report, "XX_Gone").Rows, "what was read before it vanished")
	assert.Contains(t, table(t, report, "XX_Hidden").Unreadable, "not readable with this login")
	assert.Contains(t, table(t, report, "XX_Broken").Unreadable, "given up after 3 attempts")
	assert.EqualValues(t, 60, table(t, report, "C_UOM").Source.Rows*10, "the rest is there")
}
