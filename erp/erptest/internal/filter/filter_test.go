package filter

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// testColumns are columns of a table T, one per kind of value.
type testColumns map[string]*store.Column

func (tc testColumns) Filterable(name string) (*store.Column, string, bool) {
	c, ok := tc[strings.ToLower(name)]
	if !ok || c.Secure || c.Encrypted {
		return nil, "", false
	}
	return c, sqlquote.Name(c.Name), true
}

func columnsOfT() testColumns {
	id := &store.Column{Name: "T_ID", Ref: displaytype.ID}
	uu := &store.Column{Name: "T_UU", Ref: displaytype.UUID}
	tc := testColumns{"id": id, "uid": uu}
	for _, c := range []*store.Column{
		id, uu,
		{Name: "Name", Ref: displaytype.String},
		{Name: "Value", Ref: displaytype.String},
		{Name: "Help", Ref: displaytype.Text},
		{Name: "DocStatus", Ref: displaytype.List},
		{Name: "EntityType", Ref: displaytype.Table},
		{Name: "C_BPartner_ID", Ref: displaytype.Search},
		{Name: "Line", Ref: displaytype.Integer},
		{Name: "GrandTotal", Ref: displaytype.Amount},
		{Name: "TotalLines", Ref: displaytype.Amount},
		{Name: "IsActive", Ref: displaytype.YesNo},
		{Name: "DateOrdered", Ref: displaytype.Date},
		{Name: "DateAcct", Ref: displaytype.Date},
		{Name: "Created", Ref: displaytype.DateTime},
		{Name: "Seen", Ref: displaytype.TimestampWithTimeZone},
		{Name: "StartTime", Ref: displaytype.Time},
		{Name: "BinaryData", Ref: displaytype.Binary},
		{Name: "Password", Ref: displaytype.String, Secure: true},
		{Name: "Pin", Ref: displaytype.String, Encrypted: true},
	} {
		tc[strings.ToLower(c.Name)] = c
	}
	return tc
}

func berlin(t testing.TB) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	return zone
}

func translate(t testing.TB, text string) (SQL, error) {
	return Translate(text, columnsOfT(), berlin(t))
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, filter, where string
		args                []any
	}{
		{"empty", "  ", "", nil},
		{"string", "Name eq 'Bolt'", `"Name" = ?`, []any{"Bolt"}},
		{"column in any case", "NAME eq 'Bolt'", `"Name" = ?`, []any{"Bolt"}},
		{"neq", "Name neq 'Bolt'", `"Name" <> ?`, []any{"Bolt"}},
		{"many blanks", "  Name   eq  'a  b' ", `"Name" = ?`, []any{"a  b"}},
		{"and before or, in order", "Line gt 1 or Line lt 2 AND Line ge 3 Or Line le 4",
			`"Line" > ? OR "Line" < ? AND "Line" >= ? OR "Line" <= ?`, []any{int64(1), int64(2), int64(3), int64(4)}},
		{"group", "(Line eq 1 or Line eq 2) and (Name eq 'x')", `("Line" = ? OR "Line" = ?) AND ("Name" = ?)`, []any{int64(1), int64(2), "x"}},
		{"group in group", "((Line eq 1))", `(("Line" = ?))`, []any{int64(1)}},
		{"id", "id eq 5", `"T_ID" = ?`, []any{int64(5)}},
		{"uid", "uid eq '6f0c'", `"T_UU" = ?`, []any{"6f0c"}},
		{"eq null", "C_BPartner_ID eq null", `"C_BPartner_ID" IS NULL`, nil},
		{"neq null", "Name neq null", `"Name" IS NOT NULL`, nil},
		{"quoted null is text", "Name eq 'null'", `"Name" = ?`, []any{"null"}},
		{"true", "IsActive eq true", `"IsActive" = ?`, []any{"Y"}},
		{"bare Y", "IsActive eq Y", `"IsActive" = ?`, []any{"Y"}},
		{"bare N", "IsActive eq N", `"IsActive" = ?`, []any{"N"}},
		{"quoted Y is false", "IsActive eq 'Y'", `"IsActive" = ?`, []any{"N"}},
		{"quoted true is false", "IsActive eq 'true'", `"IsActive" = ?`, []any{"N"}},
		{"decimal", "GrandTotal ge 12.50", `CAST("GrandTotal" AS TEXT) COLLATE DECIMAL >= ?`, []any{"12.50"}},
		{"list", "DocStatus eq 'CO'", `"DocStatus" = ?`, []any{"CO"}},
		{"text key without quotes", "EntityType eq U", `"EntityType" = ?`, []any{"U"}},
		{"text without quotes", "Help eq abc", `"Help" = ?`, []any{"abc"}},
		{"column on the right", "DateOrdered eq DateAcct", `"DateOrdered" = "DateAcct"`, nil},
		{"bare word that is a column", "Name eq Value", `"Name" = "Value"`, nil},
		{"quoted word that is a column", "Name eq 'Value'", `"Name" = ?`, []any{"Value"}},
		{"decimal columns", "GrandTotal neq TotalLines", `CAST("GrandTotal" AS TEXT) COLLATE DECIMAL <> CAST("TotalLines" AS TEXT)`, nil},
		{"tolower", "tolower(Name) eq 'bolt'", `erp_lower("Name") = ?`, []any{"bolt"}},
		{"toupper both sides", "toupper(Name) eq toupper('bolt')", `erp_upper("Name") = erp_upper(?)`, []any{"bolt"}},
		{"tolower of a column on the right", "tolower(Name) eq tolower(Value)", `erp_lower("Name") = erp_lower("Value")`, nil},
		{"contains", "contains(Name,'olt')", `erp_like("Name",?)`, []any{"%olt%"}},
		{"contains with blank", "contains(Name, 'a b')", `erp_like("Name",?)`, []any{"%a b%"}},
		{"startswith", "startswith(Name,'B')", `erp_like("Name",?)`, []any{"B%"}},
		{"endswith", "endswith(Name,'t')", `erp_like("Name",?)`, []any{"%t"}},
		{"not contains", "not contains(Name,'x')", `NOT erp_like("Name",?)`, []any{"%x%"}},
		{"contains ignoring case", "contains(tolower(Name),'bolt')", `erp_like(erp_lower("Name"),?)`, []any{"%bolt%"}},
		{"wildcards stay", "contains(Name,'a%b_c')", `erp_like("Name",?)`, []any{"%a%b_c%"}},
		{"unquoted word loses its ends", "contains(Name,bolts)", `erp_like("Name",?)`, []any{"%olt%"}},
		{"in numbers", "C_BPartner_ID in (117,118, 119)", `"C_BPartner_ID" IN (?,?,?)`, []any{int64(117), int64(118), int64(119)}},
		{"in strings", "DocStatus in ('CO','CL')", `"DocStatus" IN (?,?)`, []any{"CO", "CL"}},
		{"doubled quote stays doubled", "Name eq 'O''Brien jr'", `"Name" = ?`, []any{"O''Brien jr"}},
		{"single embedded quote", "Name eq 'O'Brien'", `"Name" = ?`, []any{"O'Brien"}},
		{"balanced parentheses in a literal", "Name eq 'a (b)' and Line eq 1", `"Name" = ? AND "Line" = ?`, []any{"a (b)", int64(1)}},
		{"date", "DateOrdered eq 2026-03-09", `"DateOrdered" = ?`, []any{"2026-03-09 00:00:00"}},
		{"quoted date", "DateOrdered lt '2026-03-09'", `"DateOrdered" < ?`, []any{"2026-03-09 00:00:00"}},
		{"day in the server's zone", "Created ge '2026-03-09'", `"Created" >= ?`, []any{"2026-03-08 23:00:00"}},
		{"time in the server's zone", "Created ge '2026-03-09 14:05:06'", `"Created" >= ?`, []any{"2026-03-09 13:05:06"}},
		{"T form in the server's zone", "Created ge '2026-03-09T14:05:06'", `"Created" >= ?`, []any{"2026-03-09 13:05:06"}},
		{"column on the right of contains", "contains(Name,Value)", `erp_like("Name","Value")`, nil},
		{"tolower of the text to find", "contains(Name,tolower('X'))", `erp_like("Name",erp_lower(?))`, []any{"%X%"}},
		{"contains on yes and no", "contains(IsActive,'Y')", `erp_like("IsActive",?)`, []any{"N"}},
		{"true in capitals is false", "IsActive eq TRUE", `"IsActive" = ?`, []any{"N"}},
		{"open parenthesis in a literal", "Name eq 'a (b'", `"Name" = ?`, []any{"a (b"}},
		{"date with a time", "DateOrdered eq '2026-03-09T00:00:00Z'", `"DateOrdered" = ?`, []any{"2026-03-09 00:00:00"}},
		{"date out of range", "DateOrdered eq 2026-02-30", `"DateOrdered" = ?`, []any{"2026-03-02 00:00:00"}},
		{"not like with a column", "not startswith(Name,Value)", `NOT erp_like("Name","Value")`, nil},
		{"Z", "Created ge '2026-03-09T13:05:06Z'", `"Created" >= ?`, []any{"2026-03-09 13:05:06"}},
		{"offset", "Created ge '2026-03-09T15:05:06+02:00'", `"Created" >= ?`, []any{"2026-03-09 13:05:06"}},
		{"instant", "Seen lt '2026-03-09T13:05:06.25Z'", `"Seen" < ?`, []any{"2026-03-09 13:05:06.250"}},
		{"SQL in a literal", "Name eq '; DROP TABLE T; --'", `"Name" = ?`, []any{"; DROP TABLE T; --"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := translate(t, tc.filter)
			require.NoError(t, err)
			assert.Equal(t, tc.where, got.Where)
			assert.Equal(t, tc.args, got.Args)
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, filter string
		status       int
		detail       string
	}{
		{"ne", "Name ne 'x'", 400, "Unsupported operator: ne"},
		{"upper-case operator", "Name EQ 'x'", 400, "Unsupported operator: EQ"},
		{"unknown column", "Xyz eq 1", 400, "Invalid column for filter: Xyz"},
		{"secure column", "Password eq 'x'", 400, "Invalid column for filter: Password"},
		{"encrypted column", "contains(Pin,'x')", 400, "Invalid column for filter: Pin"},
		{"secure column on the right", "Name eq Password", 400, "single quotes"},
		{"quoted number", "C_BPartner_ID eq '118'", 400, "Error convertig parameter with value: '118' - "},
		{"number too large", "C_BPartner_ID eq 99999999999", 400, "Error convertig parameter with value: 99999999999 - "},
		{"quoted decimal", "GrandTotal eq '1.5'", 400, "Error convertig parameter with value: '1.5' - "},
		{"endless decimal", "GrandTotal eq 1e999999999", 400, "Error convertig"},
		{"unquoted string", "Name eq Bolt", 400, "single quotes"},
		{"unquoted list value", "DocStatus eq CO", 400, "single quotes"},
		{"number for a string", "Name eq 5", 400, "single quotes"},
		{"null with gt", "Name gt null", 400, "Operator gt is not compatible with NULL"},
		{"not before a group", "not (Name eq 'x')", 400, "Not with (Name eq 'x')"},
		{"not before a comparison", "not Name eq 'x'", 400, "Not with Name"},
		{"not in", "Line not in (1)", 400, "Unsupported operator: not"},
		{"in without parentheses", "Line in 1,2", 400, "Wrong right parameter for IN operator"},
		{"in with a comma in a string", "Name in ('a,b')", 400, "single quotes"},
		{"in with a subselect", "Line in (SELECT 1)", 400, "Error convertig"},
		{"no connection", "Line eq 1 Line eq 2", 500, "Line"},
		{"the first mistake counts", "Line eq x Line eq 2", 400, "Error convertig parameter with value: x - "},
		{"two logical words", "Line eq 1 and and Line eq 2", 500, ""},
		{"logical word first", "and Line eq 1", 500, ""},
		{"logical word as an operator", "Line and 1", 500, ""},
		{"unknown logical word", "Line eq 1 xor Line eq 2", 400, "Unsupported operator: Line"},
		{"empty list", "Line in (,)", 500, ""},
		{"text compared with a time", "Name eq Created", 500, ""},
		{"only an apostrophe", "Name eq '", 400, "Error convertig"},
		{"no blank after a group", "(Line eq 1)and (Line eq 2)", 500, ""},
		{"bad date", "DateOrdered eq 9.3.2026", 400, "Error convertig"},
		{"bad time", "Created eq 'yesterday'", 400, "Error convertig"},
		{"literal on the left", "'Bolt' eq Name", 400, "Invalid column for filter: 'Bolt'"},
		{"quoted column", `"Name" eq 'x'`, 400, "Invalid column for filter"},
		{"unknown function", "substring(Name,1) eq 'x'", 500, "Method call 'substring' not implemented"},
		{"function in another case", "Contains(Name,'x')", 500, "Method call 'Contains' not implemented"},
		{"truncated after column", "Name", 500, ""},
		{"truncated after operator", "Name eq", 500, ""},
		{"truncated after and", "Line eq 1 and", 500, ""},
		{"truncated group", "()", 500, ""},
		{"parentheses in a string function", "contains(Name,'a (b)')", 500, ""},
		{"open parenthesis", "(Line eq 1", 500, ""},
		{"closing parenthesis", "Line eq 1)", 400, "Error convertig parameter with value: 1) - "},
		{"closing parenthesis after a text", "Name eq 'x')", 400, "String values must be put between single quotes. ColumnName: "},
		{"one-character word in a string function", "contains(Name,x)", 500, ""},
		{"string function without value", "contains(Name)", 500, ""},
		{"string function on a number", "contains(Line,'1')", 400, "Error convertig parameter with value: '%1%' - "},
		{"string function on a time", "contains(Created,'2024')", 400, "Error convertig parameter with value: %2024% - "},
		{"tolower of a number", "tolower(Line) eq 1", 500, ""},
		{"zero byte", "Name eq 'a\x00b'", 400, "text"},
		{"invalid UTF-8", "Name eq '\xff'", 400, "text"},
		{"too long", "Name eq '" + strings.Repeat("x", MaxLength) + "'", 400, "longer"},
		{"too many terms", strings.Repeat("Line eq 1 or ", MaxTerms) + "Line eq 1", 400, "more than"},
		{"too deep", strings.Repeat("(", MaxDepth+1) + "Line eq 1" + strings.Repeat(")", MaxDepth+1), 400, "deeper"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := translate(t, tc.filter)
			var e *Error
			require.ErrorAs(t, err, &e, "translated to %q", got.Where)
			assert.Equal(t, tc.status, e.Status)
			assert.Contains(t, e.Detail, tc.detail)
			if tc.status == 400 {
				assert.Empty(t, e.Title, "the ERP writes a null title")
			} else {
				assert.Equal(t, "GET Error", e.Title)
			}
		})
	}
}

// database is an SQLite database with the table of columnsOfT.
func database(t testing.TB) *store.Store {
	s, err := store.Open(t.Context(), "", store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	columns := columnsOfT()
	delete(columns, "id")
	delete(columns, "uid")
	ddl := make([]string, 0, len(columns))
	for _, c := range columns {
		ddl = append(ddl, sqlquote.Name(c.Name)+" "+c.SQLType())
	}
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `CREATE TABLE "T"(`+strings.Join(ddl, ",")+`)`)
		return err
	}))
	return s
}

// run selects with a translated filter.
func run(ctx context.Context, s *store.Store, sql SQL) (int, error) {
	var n int
	err := s.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM "T" WHERE (`+sql.Where+`)`, sql.Args...).Scan(&n)
	})
	return n, err
}

func TestFilterFindsRows(t *testing.T) {
	t.Parallel()
	s := database(t)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO "T"("T_ID","Name","Line","GrandTotal","IsActive","DateOrdered") VALUES
			(1,'Bolt M8',10,'12.50','Y','2026-03-09 00:00:00'),
			(2,'bolt m10',20,'9','N','2026-03-10 00:00:00'),
			(3,NULL,30,'100',NULL,NULL)`)
		return err
	}))
	for filter, want := range map[string]int{
		"GrandTotal eq 12.5":             1, // scale does not matter
		"GrandTotal gt 9.00":             2, // by value, not by text
		"GrandTotal in (9.0,100.000)":    2,
		"contains(Name,'olt')":           2,
		"contains(Name,'Bolt')":          1, // case-sensitive
		"contains(tolower(Name),'bolt')": 2,
		"contains(Name,'B_lt')":          1, // wildcards act
		"startswith(Name,'%m10')":        1,
		"not contains(Name,'M8')":        1, // NULL is neither
		"Name neq 'x'":                   2,
		"Name eq null":                   1,
		"IsActive eq 'Y'":                1, // the quoted Y is false
		"IsActive eq false":              1,
		"DateOrdered ge 2026-03-10":      1,
		"Line gt 10 and Line lt 30":      1,
	} {
		sql, err := translate(t, filter)
		require.NoError(t, err, filter)
		n, err := run(t.Context(), s, sql)
		require.NoError(t, err, filter)
		assert.Equal(t, want, n, filter)
	}
}

func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{
		"Name eq 'Bolt' and (IsActive eq true or not contains(tolower(Name),'x'))",
		"Line in (1,2,3) or GrandTotal ge 12.5e1", "DateOrdered eq DateAcct", "Name eq 'O'Brien'",
		"Created ge '2026-03-09T13:05:06Z'", "toupper(Name) eq toupper(Value)", "id eq 5 and uid neq null",
		"((((", "'", "Name eq '", "in in in", "not not", "contains(,)", "Name eq ''' OR 1=1 --'",
		"StartTime gt 10:00:00", "BinaryData eq null", "Seen le 2026-03-09",
	} {
		f.Add(seed)
	}
	s := database(f)
	zone := berlin(f)
	f.Fuzz(func(t *testing.T, text string) {
		sql, err := Translate(text, columnsOfT(), zone)
		if err != nil {
			requireRefusal(t, err)
			return
		}
		if sql.Where == "" {
			return
		}
		if marks := strings.Count(sql.Where, "?"); marks != len(sql.Args) {
			t.Fatalf("%q: %d marks for %d arguments in %s", text, marks, len(sql.Args), sql.Where)
		}
		if strings.ContainsAny(sql.Where, "';\x00") || strings.Contains(sql.Where, "--") {
			t.Fatalf("%q: text of the caller in %s", text, sql.Where)
		}
		if _, err := run(t.Context(), s, sql); err != nil {
			t.Fatalf("%q: %s does not run: %v", text, sql.Where, err)
		}
	})
}

func requireRefusal(t *testing.T, err error) {
	var e *Error
	if !errors.As(err, &e) || e.Status != 400 && e.Status != 500 || e.Detail == "" {
		t.Fatalf("not a refusal: %v", err)
	}
}
