package review_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/restcount"
	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

type server struct {
	*erp.Client
	db     *sql.DB
	beside *dbdict.Source
}

func start(t testing.TB) server {
	t.Helper()
	srv := erptest.New(t)
	db := srv.Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	beside, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	return server{client, db, beside}
}

func (s server) compare(t testing.TB, tables ...dict.Table) (*diff.Result, registry.Registry) {
	t.Helper()
	reg, err := registry.LoadScope(t.Context(), s.beside, diff.Scope(tables...))
	require.NoError(t, err)
	result, err := diff.Compare(t.Context(), reg, nil, tables...)
	require.NoError(t, err)
	return result, reg
}

func (s server) apply(t testing.TB, tables ...dict.Table) error {
	t.Helper()
	result, _ := s.compare(t, tables...)
	plan, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), s.Client, plan, &restdict.Options{BatchSize: 25})
	return err
}

func (s server) check(t testing.TB, content review.Content, tables ...dict.Table) []review.Finding {
	t.Helper()
	result, reg := s.compare(t, tables...)
	findings, err := review.Check(t.Context(), result, tables, &review.Options{Content: content, Registry: reg})
	require.NoError(t, err)
	return findings
}

// base is the table that the cases change.
func base() dict.Table {
	return dict.NewTable("XX_Case").WithAccessLevel(dict.AccessAll).With(dict.Standard, dict.ValueName).Column(
		dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 40},
		dict.Column{Name: "XX_Code", Type: dict.TypeString, Length: 10},
		dict.Column{Name: "XX_Amt", Type: dict.TypeAmount},
		dict.Column{Name: "XX_Day", Type: dict.TypeDate, ReadOnlyLogic: "@XX_Code@='x'"},
		dict.Column{Name: "XX_State", Type: dict.TypeList, Length: 2, Reference: dict.List("XX_Case State",
			dict.ListValue{Value: "N", Name: "New"}, dict.ListValue{Value: "O", Name: "Old"})},
	).Index(dict.Index{Name: "xx_case_text", Columns: []string{"XX_Text"}})
}

func column(t *dict.Table, name string) *dict.Column {
	t.Columns = slices.Clone(t.Columns)
	return &t.Columns[slices.IndexFunc(t.Columns, func(c dict.Column) bool { return c.Name == name })]
}

func drop(t *dict.Table, name string) {
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c dict.Column) bool { return c.Name == name })
}

// Each rule finds what it is about, with and without somebody who counts rows.
func TestRules(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.NoError(t, s.apply(t, base()))
	for i, row := range []map[string]any{
		{"Value": "1", "Name": "a", "XX_Text": strings.Repeat("ä", 30), "XX_Code": "same", "XX_Amt": "1.5", "XX_State": "N"},
		{"Value": "2", "Name": "b", "XX_Text": "short", "XX_Code": "same", "XX_Amt": "2"},
		{"Value": "3", "Name": "c", "XX_Code": "other", "XX_Amt": "2.00"},
	} {
		_, err := s.Create(t.Context(), "XX_Case", row)
		require.NoError(t, err, i)
	}
	counted := map[string]review.Content{"over REST": restcount.New(s.Client), "in the database": review.Database(s.db, "")}
	tests := []struct {
		name     string
		change   func(t *dict.Table)
		rule     string
		severity review.Severity // with rows counted
		says     string          // then; %s is "at least " over REST
		alone    review.Severity // without
	}{
		{"column removed", func(t *dict.Table) { drop(t, "XX_Day") }, "column-removed", review.Error, "the table has %s3 rows", review.Error},
		{"shorter", func(t *dict.Table) { column(t, "XX_Text").Length = 20 }, "length-shortened", review.Error, "%s1 such values", review.Error},
		{"shorter, and all fit", func(t *dict.Table) { column(t, "XX_Text").Length = 30 }, "length-shortened", review.Error, "%s0 such values", review.Error},
		{"other type", func(t *dict.Table) { c := column(t, "XX_Code"); c.Type, c.Length = dict.TypeDate, 0 }, "type-changed", review.Error, "the table has %s3 rows", review.Error},
		{"decimals", func(t *dict.Table) { column(t, "XX_Amt").Type = dict.TypeInteger }, "type-changed", review.Error, "%s1 such values", review.Error},
		{"virtual", func(t *dict.Table) { column(t, "XX_Amt").SQL = "1" }, "became-virtual", review.Error, "%s3 rows", review.Error},
		{"mandatory", func(t *dict.Table) { column(t, "XX_Text").Mandatory = true }, "mandatory-over-empty", review.Error, "there are %s1 rows without a value", review.Warning},
		{"new and mandatory", func(t *dict.Table) {
			*t = t.Column(dict.Column{Name: "XX_Must", Type: dict.TypeString, Mandatory: true})
		}, "mandatory-over-empty", review.Error, "there are %s3 rows", review.Warning},
		{"unique", func(t *dict.Table) { column(t, "XX_Code").Unique = true }, "unique-over-duplicates", review.Error, "%s2 rows that repeat the values of XX_Code", review.Warning},
		{"unique numbers", func(t *dict.Table) { column(t, "XX_Amt").Unique = true }, "unique-over-duplicates", review.Error, "%s2 rows that repeat the values of XX_Amt", review.Warning},
		{"unique under a new name", func(t *dict.Table) {
			c := column(t, "XX_Code")
			c.Name, c.Was, c.Unique = "XX_Key", "XX_Code", true
			column(t, "XX_Day").ReadOnlyLogic = "@XX_Key@='x'"
		}, "unique-over-duplicates", review.Error, "%s2 rows", review.Warning},
		{"list value removed", func(t *dict.Table) {
			column(t, "XX_State").Reference = dict.List("XX_Case State", dict.ListValue{Value: "N", Name: "New"})
		}, "list-value-removed", review.Error, "", review.Error},
		{"index removed", func(t *dict.Table) { t.Indexes = nil }, "index-removed", review.Error, "", review.Error},
		{"another list", func(t *dict.Table) {
			column(t, "XX_State").Reference = dict.List("XX_Case Other", dict.ListValue{Value: "Z", Name: "Zed"})
		}, "reference-changed", review.Warning, `"XX_Case State"`, review.Warning},
		{"access", func(t *dict.Table) { t.AccessLevel = dict.AccessOrg }, "access-level-changed", review.Warning, "was All", review.Warning},
		{"renamed without was", func(t *dict.Table) { column(t, "XX_Text").Name = "XX_Texts"; t.Indexes[0].Columns[0] = "XX_Texts" }, "rename-suspected", review.Warning, `"was: XX_Text"`, review.Warning},
		{"renamed, and mentioned", func(t *dict.Table) { c := column(t, "XX_Code"); c.Name, c.Was = "XX_Key", "XX_Code" }, "rename-mentioned", review.Warning, "read-only logic has XX_Code", review.Warning},
		{"was that is done", func(t *dict.Table) { column(t, "XX_Day").Was = "XX_Date" }, "was-done", review.Info, "", review.Info},
		{"long name", func(t *dict.Table) {
			*t = t.Column(dict.Column{Name: "XX_ThisNameHasMoreThanThirtyOfThem", Type: dict.TypeDate})
		}, "long-name", review.Warning, "34 characters", review.Warning},
		{"word of SQL", func(t *dict.Table) { *t = t.Column(dict.Column{Name: "Action", Type: dict.TypeString, Length: 5}) }, "reserved-word", review.Warning, "XX_Action", review.Warning},
		{"translated", func(t *dict.Table) { column(t, "XX_Text").Translated = true }, "translation-missing", review.Warning, "XX_Case_Trl", review.Warning},
	}
	for _, tt := range tests {
		table := base()
		table.Indexes = []dict.Index{{Name: "xx_case_text", Columns: []string{"XX_Text"}}}
		tt.change(&table)
		result, reg := s.compare(t, table)
		check := func(t *testing.T, content review.Content) []review.Finding {
			findings, err := review.Check(t.Context(), result, []dict.Table{table}, &review.Options{Content: content, Registry: reg})
			require.NoError(t, err)
			return findings
		}
		for name, content := range counted {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				f := find(t, check(t, content), tt.rule)
				assert.Equal(t, tt.severity, f.Severity, f)
				least := ""
				if name == "over REST" {
					least = "at least "
				}
				if strings.Contains(tt.says, "%s") {
					assert.Contains(t, f.String(), fmt.Sprintf(tt.says, least))
				} else {
					assert.Contains(t, f.String(), tt.says)
				}
			})
		}
		t.Run(tt.name+" uncounted", func(t *testing.T) {
			assert.Equal(t, tt.alone, find(t, check(t, nil), tt.rule).Severity)
		})
		assert.NotEmpty(t, review.Rules()[tt.rule])
	}

	// What harms nothing is not found; nor is what all rows are known to bear.
	fine := base()
	column(&fine, "XX_Text").Length = 80
	fine = fine.Column(dict.Column{Name: "XX_More", Type: dict.TypeString, Mandatory: true, Default: "none"})
	for name, content := range counted {
		assert.Empty(t, s.check(t, content, fine), name)
	}
	must := base()
	column(&must, "XX_Code").Mandatory = true
	assert.Empty(t, s.check(t, counted["in the database"], must), "all rows have a value")
	assert.True(t, has(s.check(t, counted["over REST"], must), review.Error, review.Warning), "other tenants may have rows without")
}

func find(t testing.TB, findings []review.Finding, rule string) review.Finding {
	t.Helper()
	i := slices.IndexFunc(findings, func(f review.Finding) bool { return f.Rule == rule })
	require.GreaterOrEqual(t, i, 0, "%s in %v", rule, findings)
	return findings[i]
}

// A change that loses a value, or that the ERP refuses, is never passed. ERPHUB_PROOF
// tries many.
func TestNoLossIsPassed(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	s := start(t)
	lost, kept := 0, 0
	samples := 8 // each kind of change
	if os.Getenv("ERPHUB_PROOF") != "" {
		samples = 200
	}
	for n := range samples {
		name := fmt.Sprintf("XX_Gen%d", n)
		before := dict.NewTable(name).WithAccessLevel(dict.AccessAll).With(dict.Standard)
		kinds := []dict.Column{{Type: dict.TypeString, Length: 20}, {Type: dict.TypeInteger}, {Type: dict.TypeAmount}, {Type: dict.TypeText}}
		for i := range 3 {
			c := kinds[r.IntN(len(kinds))]
			c.Name = fmt.Sprintf("XX_C%d", i)
			before = before.Column(c)
		}
		require.NoError(t, s.apply(t, before))
		rows := map[string]map[string]string{}
		for range 1 + r.IntN(4) {
			row := map[string]any{}
			for _, c := range before.Columns {
				switch {
				case r.IntN(4) == 0:
				case c.Type == dict.TypeInteger:
					row[c.Name] = r.IntN(3)
				case c.Type == dict.TypeAmount:
					row[c.Name] = fmt.Sprintf("%d.%d", r.IntN(3), r.IntN(2)*5)
				default:
					row[c.Name] = strings.Repeat("x", 1+r.IntN(19))
				}
			}
			rec, err := s.Create(t.Context(), name, row)
			require.NoError(t, err)
			rows[rec.ID().String()] = valuesOf(t, s, name, rec.ID(), before.Columns)
		}
		after, renamed := mutated(r, before, n)
		findings := s.check(t, restcount.New(s.Client), after)
		err := s.apply(t, after)
		what := ""
		if err != nil {
			what = err.Error()
		}
		for id, row := range rows {
			if err != nil {
				break
			}
			key, parseErr := erp.ParseID(id)
			require.NoError(t, parseErr)
			var columns []dict.Column
			for column := range row {
				columns = append(columns, dict.Column{Name: renamed(column)})
			}
			now := valuesOf(t, s, name, key, columns)
			for column, value := range row {
				if value != "" && now[renamed(column)] != value {
					what = fmt.Sprintf("%s was %q and is %q", column, value, now[renamed(column)])
				}
			}
		}
		if what != "" {
			lost++
			assert.True(t, has(findings, review.Error), "%s: %s\n%+v\n%+v\n%v", name, what, before.Columns, after.Columns, findings)
		} else {
			kept++
		}
	}
	assert.Positive(t, lost, "nothing was lost, which shows nothing")
	assert.Positive(t, kept, "everything was lost")
}

func valuesOf(t testing.TB, s server, table string, id erp.ID, columns []dict.Column) map[string]string {
	t.Helper()
	rec, err := s.Get(t.Context(), table, id, nil)
	require.NoError(t, err)
	values := map[string]string{}
	for _, c := range columns {
		values[c.Name], _ = rec.Text(c.Name)
		if number, ok := rec.Decimal(c.Name); ok && values[c.Name] == "" {
			values[c.Name] = number.String()
		}
	}
	return values
}

// mutated is a definition with one change, and the names that its columns get.
func mutated(r *rand.Rand, t dict.Table, n int) (dict.Table, func(string) string) {
	t.Columns = slices.Clone(t.Columns)
	i := r.IntN(len(t.Columns))
	c := &t.Columns[i]
	names := map[string]string{}
	switch n % 8 {
	case 0:
		t.Columns = slices.Delete(t.Columns, i, i+1)
	case 1:
		c.Name = "XX_Other"
	case 2:
		names[c.Name] = "XX_Other"
		c.Was, c.Name = c.Name, "XX_Other"
	case 3:
		c.Mandatory = true
	case 4:
		c.Unique = true
	case 5:
		*c = dict.Column{Name: c.Name, Type: dict.TypeInteger}
	case 6:
		t = t.Column(dict.Column{Name: "XX_More", Type: dict.TypeString, Mandatory: r.IntN(2) == 0})
	case 7:
		c.Description = "described"
	}
	return t, func(name string) string {
		if is, ok := names[name]; ok {
			return is
		}
		return name
	}
}

// has reports whether a finding has one of the severities.
func has(findings []review.Finding, severities ...review.Severity) bool {
	return slices.ContainsFunc(findings, func(f review.Finding) bool { return slices.Contains(severities, f.Severity) })
}
