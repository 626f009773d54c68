package dict_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

func rules(err error) []string {
	var invalid *dict.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var names []string
	for _, f := range invalid.Findings {
		names = append(names, f.Rule)
	}
	return names
}

func TestValidate(t *testing.T) {
	t.Parallel()
	base := dict.NewTable("XX_Foo").With(dict.Standard)
	with := func(c dict.Column) dict.Table { return base.Column(c) }
	yesNo := dict.List("XX_Answer", dict.ListValue{Value: "Y", Name: "Yes"}, dict.ListValue{Value: "N", Name: "No"})
	tests := []struct {
		name  string
		table dict.Table
		want  []string // rules, in order; none: valid
	}{
		{"standard table", base, nil},
		{"everything", dict.NewTable("XX_Foo").With(dict.Templates()...).Column(dict.Column{Name: "A", Type: dict.TypeString}), nil},
		{"no columns at all", dict.NewTable("XX_Foo"), nil},

		{"no name", dict.NewTable(""), []string{"name.identifier"}},
		{"foreign prefix", dict.NewTable("C_Foo"), []string{"name.prefix"}},
		{"lower-case prefix", dict.NewTable("xx_foo"), []string{"name.prefix"}},
		{"prefix only", dict.NewTable("XX_"), []string{"name.prefix"}},
		{"blank", dict.NewTable("XX_Foo Bar"), []string{"name.identifier"}},
		{"quote", dict.NewTable(`XX_Foo"`), []string{"name.identifier"}},
		{"SQL", dict.NewTable("XX_Foo; DROP TABLE AD_User"), []string{"name.identifier"}},
		{"other script", dict.NewTable("XX_表"), []string{"name.identifier"}},
		{"letters that look like ours", dict.NewTable("XX_Fоо"), []string{"name.identifier"}},
		{"umlaut", dict.NewTable("XX_Größe"), []string{"name.identifier"}},
		{"not UTF-8", dict.NewTable("XX_\xff"), []string{"name.identifier"}},
		{"60 characters", dict.NewTable("XX_" + strings.Repeat("a", 57)), nil},
		{"61 characters", dict.NewTable("XX_" + strings.Repeat("a", 58)), []string{"name.identifier"}},
		{"10,000 characters", dict.NewTable("XX_" + strings.Repeat("a", 9997)), []string{"name.identifier"}},

		{"access level 0", base.WithAccessLevel("0"), []string{"table.access"}},
		{"access level 5", base.WithAccessLevel("5"), []string{"table.access"}},
		{"access level 7", base.WithAccessLevel("7"), nil},
		{"entity type with a quote", base.WithEntityType("U'"), []string{"entitytype"}},
		{"entity type of one column", with(dict.Column{Name: "A", Type: dict.TypeString, EntityType: "a b"}), []string{"entitytype"}},
		{"label too long", base.WithLabel(strings.Repeat("ä", 61)), []string{"table.label"}},
		{"label of 60 umlauts", base.WithLabel(strings.Repeat("ä", 60)), nil},
		{"blank label", base.WithLabel("  "), []string{"table.label"}},
		{"label with an escape", base.WithLabel("a\x1b[31m"), []string{"table.label"}},
		{"label in another script", base.WithLabel("配置ログ 'quoted' -- ;"), nil},
		{"description too long", base.WithDescription(strings.Repeat("x", 256)), []string{"table.description"}},
		{"unknown template", base.With("BASIC"), []string{"template.unknown"}},

		{"clash with a template", with(dict.Column{Name: "isactive", Type: dict.TypeYesNo}), []string{"column.clash"}},
		{"twice", with(dict.Column{Name: "A", Type: dict.TypeString}).Column(dict.Column{Name: "a", Type: dict.TypeString}), []string{"column.duplicate"}},
		{"reserved word", with(dict.Column{Name: "Order", Type: dict.TypeString}), []string{"column.name"}},
		{"Oracle's reserved word", with(dict.Column{Name: "LEVEL", Type: dict.TypeString}), []string{"column.name"}},
		{"63 characters", with(dict.Column{Name: strings.Repeat("a", 63), Type: dict.TypeString}), nil},
		{"64 characters", with(dict.Column{Name: strings.Repeat("a", 64), Type: dict.TypeString}), []string{"column.name"}},
		{"starts with a digit", with(dict.Column{Name: "1st", Type: dict.TypeString}), []string{"column.name"}},
		{"column named SQL", with(dict.Column{Name: "a) VALUES (1); --", Type: dict.TypeString}), []string{"column.name"}},
		{"no type", with(dict.Column{Name: "A"}), []string{"column.type"}},
		{"unknown type", with(dict.Column{Name: "A", Type: 41}), []string{"column.type"}},
		{"negative type", with(dict.Column{Name: "A", Type: -10}), []string{"column.type"}},
		{"custom type", with(dict.Column{Name: "A", Type: 1_000_001, Length: 10}), nil},
		{"table without reference", with(dict.Column{Name: "A", Type: dict.TypeTable}), []string{"column.reference"}},
		{"list without reference", with(dict.Column{Name: "A", Type: dict.TypeList, Length: 1}), []string{"column.reference"}},
		{"string with reference", with(dict.Column{Name: "A", Type: dict.TypeString, Reference: yesNo}), []string{"column.reference"}},
		{"table with a list", with(dict.Column{Name: "A", Type: dict.TypeTable, Reference: yesNo}), []string{"column.reference"}},
		{"list with a table", with(dict.Column{Name: "A", Type: dict.TypeList, Length: 1,
			Reference: dict.Lookup("XX_L", dict.TableLookup{Table: "C_BPartner"})}), []string{"column.reference"}},
		{"existing list without length", with(dict.Column{Name: "A", Type: dict.TypeList, Reference: dict.ExistingReference("_YesNo", 319, "")}), []string{"column.length"}},
		{"direct without _ID", with(dict.Column{Name: "Partner", Type: dict.TypeTableDir}), []string{"column.type"}},
		{"UUID without _UU", with(dict.Column{Name: "Token", Type: dict.TypeUUID}), []string{"column.type"}},
		{"second key", with(dict.Column{Name: "Other_ID", Type: dict.TypeID, Key: true}), []string{"column.key", "column.key"}},
		{"parent of a wrong type", with(dict.Column{Name: "A", Type: dict.TypeInteger, Parent: true}), []string{"column.parent"}},
		{"process without a button", with(dict.Column{Name: "A", Type: dict.TypeString, Process: "X"}), []string{"column.process"}},
		{"negative length", with(dict.Column{Name: "A", Type: dict.TypeString, Length: -1}), []string{"column.length"}},
		{"4001 characters", with(dict.Column{Name: "A", Type: dict.TypeString, Length: 4001}), []string{"column.length"}},
		{"list value longer than column", with(dict.Column{Name: "A", Type: dict.TypeList, Length: 1,
			Reference: dict.List("XX_A", dict.ListValue{Value: "YES", Name: "Yes"})}), []string{"column.length"}},
		{"list values twice", with(dict.Column{Name: "A", Type: dict.TypeList,
			Reference: dict.List("XX_A", dict.ListValue{Value: "Y", Name: "Yes"}, dict.ListValue{Value: "Y", Name: "Ja"})}), []string{"reference.value"}},
		{"list value without name", with(dict.Column{Name: "A", Type: dict.TypeList,
			Reference: dict.List("XX_A", dict.ListValue{Value: "Y"})}), []string{"reference.value"}},
		{"one reference for two columns", with(dict.Column{Name: "A", Type: dict.TypeList, Reference: yesNo}).
			Column(dict.Column{Name: "B", Type: dict.TypeList, Reference: yesNo}), nil},
		{"two references of one name", with(dict.Column{Name: "A", Type: dict.TypeList, Reference: yesNo}).
			Column(dict.Column{Name: "B", Type: dict.TypeList, Reference: dict.List("XX_Answer", dict.ListValue{Value: "Y", Name: "Ja"})}),
			[]string{"reference.clash"}},
		{"reference defined twice over", with(dict.Column{Name: "A", Type: dict.TypeList,
			Reference: &dict.Reference{Name: "X", ID: 5, Values: yesNo.Values}}), []string{"reference.form"}},
		{"lookup of a missing column", with(dict.Column{Name: "A_ID", Type: dict.TypeTable,
			Reference: dict.Lookup("XX_L", dict.TableLookup{Table: "XX_Foo", Display: "Nope"})}), []string{"reference.lookup"}},
		{"lookup with SQL for a name", with(dict.Column{Name: "A_ID", Type: dict.TypeTable,
			Reference: dict.Lookup("XX_L", dict.TableLookup{Table: "x; drop"})}), []string{"reference.lookup", "reference.lookup"}},
		{"identifier numbers clash", with(dict.Column{Name: "A", Type: dict.TypeString, Identifier: true, SeqNo: 1}).
			Column(dict.Column{Name: "B", Type: dict.TypeString, Identifier: true, SeqNo: 1}), []string{"column.seqno"}},
		{"maximum below minimum", with(dict.Column{Name: "A", Type: dict.TypeInteger, Min: "5", Max: "3"}), []string{"column.range"}},
		{"minimum is text", with(dict.Column{Name: "A", Type: dict.TypeInteger, Min: "low"}), []string{"column.range"}},
		{"foreign key rule", with(dict.Column{Name: "A", Type: dict.TypeString, ForeignKey: "X"}), []string{"column.foreignkey"}},

		{"default yes", with(dict.Column{Name: "A", Type: dict.TypeYesNo, Default: "Y"}), nil},
		{"default maybe", with(dict.Column{Name: "A", Type: dict.TypeYesNo, Default: "M"}), []string{"column.default"}},
		{"default not in list", with(dict.Column{Name: "A", Type: dict.TypeList, Reference: yesNo, Default: "M"}), []string{"column.default"}},
		{"default with SQL", with(dict.Column{Name: "A", Type: dict.TypeInteger, Default: "0); DROP TABLE AD_User; --"}), []string{"column.default"}},
		{"default with a quote", with(dict.Column{Name: "A", Type: dict.TypeString, Default: "O'Brien"}), []string{"column.default"}},
		{"default breaking out of quotes", with(dict.Column{Name: "A", Type: dict.TypeString, Default: "'x', now() --'"}), []string{"column.default"}},
		{"default closing its quotes", with(dict.Column{Name: "A", Type: dict.TypeString, Default: "'x' || 'y'"}), []string{"column.default"}},
		{"default quoted properly", with(dict.Column{Name: "A", Type: dict.TypeString, Default: "'O''Brien'"}), nil},
		{"default number", with(dict.Column{Name: "A", Type: dict.TypeAmount, Default: "-12.50"}), nil},
		{"default date", with(dict.Column{Name: "A", Type: dict.TypeDate, Default: "SYSDATE"}), nil},
		{"default function", with(dict.Column{Name: "A", Type: dict.TypeDate, Default: "getDate()"}), nil},
		{"default of the ERP", with(dict.Column{Name: "A", Type: dict.TypeInteger, Default: "@SQL=SELECT 1 FROM Dual"}), nil},
		{"default longer than column", with(dict.Column{Name: "A", Type: dict.TypeString, Length: 2, Default: "abc"}), []string{"column.default"}},

		{"index without columns", base.Index(dict.Index{Name: "i"}), []string{"index.columns"}},
		{"index on a missing column", base.Index(dict.Index{Name: "i", Columns: []string{"Nope"}}), []string{"index.columns"}},
		{"index on a virtual column", with(dict.Column{Name: "A", Type: dict.TypeString, SQL: "(SELECT 1)"}).
			Index(dict.Index{Name: "i", Columns: []string{"A"}}), []string{"index.columns"}},
		{"constraint that is not unique", base.Index(dict.Index{Name: "i", Columns: []string{"Created"}, Constraint: true}), []string{"index.constraint"}},
		{"two indexes of one name", base.Index(dict.Index{Name: "i", Columns: []string{"Created"}}, dict.Index{Name: "I", Columns: []string{"Updated"}}), []string{"index.duplicate"}},

		{"window", base.WithWindow(dict.Window{}), nil},
		{"window without standard columns", dict.NewTable("XX_Foo").With(dict.ValueName).WithWindow(dict.Window{}),
			[]string{"window.columns", "window.columns", "window.columns", "window.columns", "window.columns", "window.columns", "window.columns"}},
		{"transaction window without Processed", base.WithWindow(dict.Window{Type: dict.WindowTransaction}), []string{"window.columns"}},
		{"import target without columns", base.ImportInto("C_BPartner", nil), []string{"import.target"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := dict.Validate(nil, tt.table)
			if tt.want == nil {
				require.NoError(t, err)
				_, err = dict.NewPlan(nil, tt.table)
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Equal(t, tt.want, rules(err), err.Error())
			assert.Less(t, len(err.Error()), 4000, "the text of an error stays readable")
			var invalid *dict.ValidationError
			require.ErrorAs(t, err, &invalid)
			for _, f := range invalid.Findings {
				assert.NotEmpty(t, f.Where)
				assert.NotEmpty(t, f.Do, "every finding says what to do: %s", f)
			}
			plan, err := dict.NewPlan(nil, tt.table)
			assert.Error(t, err)
			assert.Nil(t, plan)
		})
	}
}

func TestReplicationTypes(t *testing.T) {
	t.Parallel()
	for r, ok := range map[dict.Replication]bool{"": true, "L": true, "M": true, "R": true, "B": false, "l": false} {
		table := dict.NewTable("XX_Foo")
		table.Replication = r
		assert.Equal(t, ok, dict.Validate(nil, table) == nil, "%q", r)
	}
}

func TestValidateSeveralTables(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"plan.empty"}, rules(dict.Validate(nil)))
	a, b := dict.NewTable("XX_Foo"), dict.NewTable("XX_FOO")
	assert.Equal(t, []string{"name.duplicate"}, rules(dict.Validate(nil, a, b)))
}

func TestAnyPrefix(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("ACME_Foo").With(dict.Standard)
	require.Error(t, dict.Validate(nil, table))
	require.NoError(t, dict.Validate(&dict.Options{AnyPrefix: true}, table))
}

// A table with far too many columns is refused quickly, with a text that can be
// read.
func TestTenThousandColumns(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("XX_Foo").With(dict.Standard)
	for i := range 10_000 {
		table.Columns = append(table.Columns, dict.Column{Name: fmt.Sprintf("Col%d'", i), Type: dict.TypeString})
	}
	err := dict.Validate(nil, table)
	var invalid *dict.ValidationError
	require.ErrorAs(t, err, &invalid)
	assert.Len(t, invalid.Findings, 10_001)
	assert.Equal(t, "table.columns", invalid.Findings[0].Rule)
	assert.Less(t, len(err.Error()), 6000)
}

// Builders return copies: a definition that was handed on does not change.
func TestBuildersDoNotShare(t *testing.T) {
	t.Parallel()
	base := dict.NewTable("XX_Foo").With(dict.Standard).Column(dict.Column{Name: "A", Type: dict.TypeString})
	left := base.Column(dict.Column{Name: "Left1", Type: dict.TypeString}).With(dict.ValueName)
	right := base.Column(dict.Column{Name: "Right1", Type: dict.TypeString})
	assert.Len(t, base.Columns, 1)
	assert.Equal(t, "Left1", left.Columns[1].Name)
	assert.Equal(t, "Right1", right.Columns[1].Name)
	assert.Len(t, base.Templates, 1)
}

func FuzzValidate(f *testing.F) {
	f.Add("XX_Foo", "Name", "label", 10, 10, "x")
	f.Add("XX_Föö", "a b", "\x00", -1, 17, "'")
	f.Add("", "", "", 0, 0, "0); --")
	f.Fuzz(func(t *testing.T, table, column, label string, typ, length int, def string) {
		definition := dict.NewTable(table).With(dict.Standard).
			Column(dict.Column{Name: column, Label: label, Type: dict.DisplayType(typ), Length: length, Default: def})
		err := dict.Validate(nil, definition)
		plan, planErr := dict.NewPlan(nil, definition)
		if (err == nil) != (planErr == nil) {
			t.Fatalf("Validate says %v, NewPlan says %v", err, planErr)
		}
		if err != nil {
			if len(err.Error()) > 10_000 {
				t.Fatalf("the error is %d long", len(err.Error()))
			}
			return
		}
		for _, name := range []string{table, column} {
			for i, r := range name {
				ok := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || i > 0 && (r == '_' || r >= '0' && r <= '9')
				if !ok {
					t.Fatalf("the name %q was let through", name)
				}
			}
		}
		if plan.Fingerprint() == "" {
			t.Fatal("no fingerprint")
		}
	})
}
