package migration_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

func TestScripts(t *testing.T) {
	t.Parallel()
	plan := planOf(t, sample())
	scripts, err := migration.Scripts(plan, &migration.Options{Time: when, Release: "iD13", ID: "XX-7", Title: "a title\n; DROP"})
	require.NoError(t, err)
	require.Len(t, scripts, 2)
	assert.Equal(t, "migration-local/iD13/postgresql/202608010910_XX-7.sql", scripts[0].Path())
	assert.Equal(t, "migration-local/iD13/oracle/202608010910_XX-7.sql", scripts[1].Path())
	assert.True(t, strings.HasPrefix(scripts[0].Text(), "-- a title ; DROP\nSELECT register_migration_script('202608010910_XX-7.sql') FROM dual;\n"))

	// Both databases get the same statements for the same, with the same UUIDs.
	about := func(s *migration.Script) (list []string) {
		for _, st := range s.Statements {
			list = append(list, st.About)
		}
		return list
	}
	assert.Equal(t, about(scripts[0]), about(scripts[1]))
	uuids := regexp.MustCompile(`'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'`)
	assert.Equal(t, uuids.FindAllString(scripts[0].Text(), -1), uuids.FindAllString(scripts[1].Text(), -1))

	again, err := migration.Scripts(planOf(t, sample()), &migration.Options{Time: when, Release: "iD13", ID: "XX-7", Title: "a title\n; DROP"})
	require.NoError(t, err)
	for i := range scripts {
		assert.Equal(t, scripts[i].Text(), again[i].Text(), "the same plan, time and id give the same text")
	}
	for _, s := range scripts {
		assert.NotRegexp(t, `\b1\d{6}\b.*AD_\w+_ID`, strings.Split(s.Text(), "AD_Sequence (")[0], "no number of an installation")
	}
}

// The order: tables before what points at them, foreign keys after all tables.
func TestTablesThatPointAtEachOther(t *testing.T) {
	t.Parallel()
	a := dict.NewTable("XX_A").With(dict.Standard).Column(dict.Column{Name: "XX_B_ID", Type: dict.TypeTableDir})
	b := dict.NewTable("XX_B").With(dict.Standard).Column(dict.Column{Name: "XX_A_ID", Type: dict.TypeTableDir})
	plan := planOf(t, a, b)
	script := build(t, plan, dict.PostgreSQL)
	var kinds []string
	for _, s := range script.Statements {
		if kind, _, ok := strings.Cut(s.About, " "); ok && (kind == "table" || kind == "foreign") {
			kinds = append(kinds, kind)
		}
	}
	assert.True(t, slices.IsSortedFunc(kinds, func(x, y string) int { return -strings.Compare(x, y) }), "%v", kinds)
	db, _ := erpDatabase(t)
	provide(t, db, plan)
	_, err := migration.Apply(t.Context(), db, script, nil)
	require.NoError(t, err)
	assert.Equal(t, "2", one(t, db, "SELECT count(*) FROM pg_constraint WHERE conname IN ('xxb_xxa', 'xxa_xxb')"))
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := "XX_" + strings.Repeat("Long", 13)
	one := build(t, planOf(t, dict.NewTable(long+"A").With(dict.Standard)), dict.PostgreSQL).Name
	two := build(t, planOf(t, dict.NewTable(long+"B").With(dict.Standard)), dict.PostgreSQL).Name
	assert.NotEqual(t, one, two, "names that have to be cut differ")
	for _, name := range []string{one, two, build(t, planOf(t, dict.NewTable("XX_A").With(dict.Standard), dict.NewTable("XX_B").With(dict.Standard)), dict.PostgreSQL).Name} {
		assert.Regexp(t, `^202608010910_[A-Za-z0-9_-]+\.sql$`, name)
		assert.LessOrEqual(t, len(name), 60)
	}
}

func TestRefusedOptions(t *testing.T) {
	t.Parallel()
	plan := planOf(t, dict.NewTable("XX_A").With(dict.Standard))
	for name, tt := range map[string]struct {
		opts *migration.Options
		want string
	}{
		"no options":    {nil, "needs a time"},
		"no time":       {&migration.Options{}, "needs a time"},
		"year 12026":    {&migration.Options{Time: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}, "year"},
		"folder":        {&migration.Options{Time: when, Release: "../x"}, "folder name"},
		"dots":          {&migration.Options{Time: when, Release: ".."}, "folder name"},
		"hidden folder": {&migration.Options{Time: when, Release: ".git"}, "folder name"},
		"id with quote": {&migration.Options{Time: when, ID: "a'b"}, "letters, digits"},
		"id with slash": {&migration.Options{Time: when, ID: "a/b"}, "letters, digits"},
		"long id":       {&migration.Options{Time: when, ID: strings.Repeat("a", 44)}, "at most 43"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := migration.Build(plan, dict.PostgreSQL, tt.opts)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := migration.Build(plan, "mysql", &migration.Options{Time: when})
	require.ErrorContains(t, err, "dialect")
}

// A plan may come from a file: what is in it never becomes more than a value.
func TestHostilePlans(t *testing.T) {
	t.Parallel()
	uuid := dict.UUIDv5(dict.Namespace, "x")
	good := func() *dict.RecordStep {
		return &dict.RecordStep{Key: "k", Action: dict.Create, Table: "AD_Element", Name: "n", UUID: uuid, Values: []dict.ColumnValue{{Column: "ColumnName", Value: dict.Text("X")}}}
	}
	physical := func(change func(*dict.Physical)) dict.Step {
		p := &dict.Physical{Table: "XX_T", Columns: []dict.PhysicalColumn{{Name: "C", Type: dict.TypeString, Length: 5,
			Foreign: &dict.ForeignKey{Name: "F", Table: "T", Column: "T_ID", Rule: dict.FKNoAction}}}}
		change(p)
		return &dict.RunStep{Key: "s", Purpose: dict.SyncTable, Name: "XX_T", Physical: p, Record: dict.Int(1)}
	}
	record := func(change func(*dict.RecordStep)) dict.Step {
		r := good()
		change(r)
		return r
	}
	const evil = "x); DROP TABLE AD_Table; --"
	for name, step := range map[string]dict.Step{
		"table":   record(func(r *dict.RecordStep) { r.Table = evil }),
		"column":  record(func(r *dict.RecordStep) { r.Values[0].Column = evil }),
		"uuid":    record(func(r *dict.RecordStep) { r.UUID = evil }),
		"no uuid": record(func(r *dict.RecordStep) { r.UUID = "" }),
		"match": record(func(r *dict.RecordStep) {
			r.Action = dict.Update
			r.Match = []dict.Match{{Column: evil, Value: dict.Int(1)}}
		}),
		"match by nothing": record(func(r *dict.RecordStep) { r.Action = dict.Update }),
		"existing": record(func(r *dict.RecordStep) {
			r.Values[0].Value = dict.Existing{Table: evil, Match: []dict.Match{{Column: "Name", Value: dict.Text("a")}}}
		}),
		"bad text":        record(func(r *dict.RecordStep) { r.Values[0].Value = dict.Text("\xff") }),
		"zero byte":       record(func(r *dict.RecordStep) { r.Values[0].Value = dict.Text("a\x00b") }),
		"physical table":  physical(func(p *dict.Physical) { p.Table = evil }),
		"physical column": physical(func(p *dict.Physical) { p.Columns[0].Name = evil }),
		"foreign key":     physical(func(p *dict.Physical) { p.Columns[0].Foreign.Name = evil }),
		"foreign table":   physical(func(p *dict.Physical) { p.Columns[0].Foreign.Table = evil }),
		"foreign column":  physical(func(p *dict.Physical) { p.Columns[0].Foreign.Column = evil }),
		"no columns":      physical(func(p *dict.Physical) { p.Columns = nil }),
		"other process":   &dict.RunStep{Key: "p", Purpose: dict.ImportPackage, Name: "x", Record: dict.Int(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := dict.Assemble("hostile", step)
			require.NoError(t, err)
			for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
				_, err = migration.Build(plan, dialect, &migration.Options{Time: when})
				require.Error(t, err)
			}
		})
	}
}

// Texts of any kind end up in the database as they are.
func TestTexts(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	texts := []string{
		"plain", "it's", "a;b", "line\nline", "\r\n;\r\n/\r\n", "--\n/*", `\`, `back\slash'`, "$$ $do1$", "&amp; &x", "ünïcödé 漢字 🌍", "\ttab", "\f\v",
		strings.Repeat("x'\n", 600), strings.Repeat("é", 2000), "@Name@", "%s %d", "-", "ends with -\n-",
	}
	var steps []dict.Step
	for i, text := range texts {
		name := "XX_Text" + strings.Repeat("x", i)
		steps = append(steps, &dict.RecordStep{Key: dict.Key(name), Action: dict.Ensure, Table: "AD_Element", Name: text, UUID: dict.UUIDv5(dict.Namespace, name),
			Match:  []dict.Match{{Column: "ColumnName", Value: dict.Text(name), Fold: true}},
			Values: []dict.ColumnValue{{Column: "ColumnName", Value: dict.Text(name)}, {Column: "Name", Value: dict.Text("n")}, {Column: "PrintName", Value: dict.Text("n")}, {Column: "Help", Value: dict.Text(text)}, {Column: "EntityType", Value: dict.Text("U")}}})
	}
	plan, err := dict.Assemble("texts", steps...)
	require.NoError(t, err)
	for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
		require.NoError(t, checkForms(build(t, plan, dialect).Text(), dialect))
	}
	_, err = migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
	require.NoError(t, err)
	assert.Equal(t, texts, all(t, db, "SELECT help FROM adempiere.ad_element WHERE columnname LIKE 'XX\\_Text%' ORDER BY length(columnname)"))
}

// A wide table stays within what SQL*Plus reads.
func TestWideTable(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("XX_Wide").With(dict.Standard)
	for i := range 400 {
		table = table.Column(dict.Column{Name: "XX_Column" + strings.Repeat("y", i%20) + string(rune('A'+i/20)), Type: dict.TypeString, Length: 20, Default: "some text"})
	}
	plan := planOf(t, table)
	for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
		require.NoError(t, checkForms(build(t, plan, dialect).Text(), dialect))
	}
}
