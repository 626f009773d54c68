package erp_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	type status string
	type line int
	at := time.Date(2026, 3, 9, 14, 5, 6, 789, time.FixedZone("", 3600))
	var noNumber *int
	seven := 7
	for want, f := range map[string]erp.Filter{
		"": {},
		// Comparisons and values.
		"DateCompleted eq null":                 erp.IsNull("DateCompleted"),
		"DateCompleted neq null":                erp.NotNull("DateCompleted"),
		"C_BPartner_ID eq 118":                  erp.Eq("C_BPartner_ID", 118),
		"C_BPartner_ID neq 119":                 erp.Neq("C_BPartner_ID", erp.IntID(119)),
		"C_BPartner_ID eq 120":                  erp.Eq("C_BPartner_ID", erp.Ref{ID: erp.IntID(120), Identifier: "Joe"}),
		"Name eq 'Bolt'":                        erp.Eq("Name", "Bolt"),
		"Name eq ''":                            erp.Eq("Name", ""),
		"Name eq 'Größe 5 % _ \\ \" $x & #;+'":  erp.Eq("Name", `Größe 5 % _ \ " $x & #;+`),
		"Name eq 'a (b)'":                       erp.Eq("Name", "a (b)"),
		"Name eq 'this and that or eq null'":    erp.Eq("Name", "this and that or eq null"),
		"Value eq '118'":                        erp.Eq("Value", "118"),
		"IsSOTrx eq true":                       erp.Eq("IsSOTrx", true),
		"IsSOTrx eq false":                      erp.Eq("IsSOTrx", false),
		"Line gt 10":                            erp.Gt("Line", line(10)),
		"Line ge 11":                            erp.Ge("Line", uint8(11)),
		"Line eq 7":                             erp.Eq("Line", &seven),
		"Line eq null":                          erp.Eq("Line", noNumber),
		"Big eq 9223372036854775807":            erp.Eq("Big", int64(math.MaxInt64)),
		"Big eq 123456789012345678901234567890": erp.Eq("Big", bigInt("123456789012345678901234567890")),
		"QtyOrdered lt 12.5":                    erp.Lt("QtyOrdered", 12.5),
		"QtyOrdered le 0.1":                     erp.Le("QtyOrdered", float32(0.1)),
		"QtyOrdered eq 12.50":                   erp.Eq("QtyOrdered", erp.Decimal("12.50")),
		"QtyOrdered eq 10000000":                erp.Eq("QtyOrdered", json.Number("1.0E7")),
		"QtyOrdered eq 100000000000000000000":   erp.Eq("QtyOrdered", 1e20),
		"DocStatus eq 'CO'":                     erp.Eq("DocStatus", status("CO")),
		"DocStatus eq 'DR'":                     erp.Eq("DocStatus", erp.Ref{ID: erp.UUID("DR")}),
		"DateOrdered eq '2026-03-09'":           erp.Eq("DateOrdered", erp.NewDate(2026, 3, 9)),
		"Updated ge '2026-03-09T13:05:06Z'":     erp.Ge("Updated", at),
		"Updated ge '2026-03-09 14:05:06'":      erp.Ge("Updated", erp.LocalTime(at)),
		"DateOrdered eq DateAcct":               erp.Eq("DateOrdered", erp.Column("DateAcct")),
		"tolower(Name) eq tolower(Value)":       erp.Eq(erp.ToLower("Name"), erp.ToLower("Value")),
		"tolower(Name) eq tolower('ÄB')":        erp.Eq(erp.ToLower("Name"), erp.TextInLower("ÄB")),
		"toupper(Name) eq toupper('x y')":       erp.Eq(erp.ToUpper("Name"), erp.TextInUpper("x y")),
		"id eq 5":                               erp.Eq("id", 5),
		"address.city eq 'Ulm'":                 erp.Eq("address.city", "Ulm"),
		// Lists.
		"C_Order_ID in (1,2,3)":    erp.In("C_Order_ID", 1, 2, 3),
		"DocStatus in ('CO','CL')": erp.In("DocStatus", "CO", "CL"),
		"C_Order_ID in (4)":        erp.In("C_Order_ID", erp.IntID(4)),
		"X in (1,'a')":             erp.In[string, any]("X", 1, "a"),
		// Text functions.
		"contains(Name,'Brien')":         erp.Contains("Name", "Brien"),
		"startswith(Value,'a, b')":       erp.StartsWith("Value", "a, b"),
		"endswith(tolower(Name),'bolt')": erp.EndsWith(erp.ToLower("Name"), "bolt"),
		"not contains(Name,'x')":         erp.Not(erp.Contains("Name", "x")),
		"contains(TableName,'XX_%')":     erp.Contains("TableName", erp.Pattern("XX_%")),
		// Joining.
		"A eq 1 and B eq 2":               erp.Eq("A", 1).And(erp.Eq("B", 2)),
		"A eq 1 and B eq 2 and C eq 3":    erp.Eq("A", 1).And(erp.Eq("B", 2), erp.Filter{}).And(erp.Eq("C", 3)),
		"(A eq 1 or B eq 2)":              erp.Eq("A", 1).Or(erp.Eq("B", 2)),
		"(A eq 1 or B eq 2) and C eq 3":   erp.Eq("A", 1).Or(erp.Eq("B", 2)).And(erp.Eq("C", 3)),
		"((A eq 1 and B eq 2) or C eq 3)": erp.Or(erp.And(erp.Eq("A", 1), erp.Eq("B", 2)), erp.Eq("C", 3)),
		"((A eq 1 or B eq 2) or C eq 3)":  erp.Or(erp.Or(erp.Eq("A", 1), erp.Eq("B", 2)), erp.Eq("C", 3)),
		"(not contains(A,'x') or C eq 3)": erp.Or(erp.Not(erp.Contains("A", "x")), erp.Eq("C", 3)),
		"D eq 4":                          erp.Or(erp.Filter{}, erp.Eq("D", 4)),
		"E eq 5 or F eq 6":                erp.Raw("E eq 5 or F eq 6"),
		"(E eq 5 or F eq 6) and A eq 1":   erp.Raw("E eq 5 or F eq 6").And(erp.Eq("A", 1)),
		"(A eq 1 or (E eq 5 and F eq 6))": erp.Eq("A", 1).Or(erp.Raw("E eq 5 and F eq 6")),
	} {
		got, err := f.Render()
		require.NoError(t, err, want)
		assert.Equal(t, want, got)
		assert.Equal(t, want, f.String())
		assert.Equal(t, want == "", f.IsZero())
	}
	assert.True(t, erp.Raw(" ").IsZero())
	assert.True(t, erp.And().IsZero())
}

func bigInt(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

func TestFilterRefuses(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]erp.Filter{
		"quote":                       erp.Eq("Name", "O'Brien"),
		"quote in list":               erp.In("Name", "a", "O'Brien"),
		"quote in function":           erp.Contains("Name", "O'B"),
		"comma in list":               erp.In("Name", "a,b"),
		"parentheses in list":         erp.In("Name", "a(b)"),
		"null in list":                erp.In[string, any]("Name", 1, nil),
		"column in list":              erp.In("Name", erp.Column("Value")),
		"parentheses in function":     erp.Contains("Name", "a (b)"),
		"lonely parenthesis":          erp.Eq("Name", "a (b"),
		"crossed parentheses":         erp.Eq("Name", ")a("),
		"wildcard percent":            erp.StartsWith("Name", "50%"),
		"wildcard underscore":         erp.EndsWith("TableName", "XX_"),
		"not of comparison":           erp.Not(erp.Eq("A", 1)),
		"not of not":                  erp.Not(erp.Not(erp.Contains("A", "x"))),
		"not of and":                  erp.Not(erp.Contains("A", "x").And(erp.Contains("B", "x"))),
		"not of nothing":              erp.Not(erp.Filter{}),
		"null with gt":                erp.Gt("A", nil),
		"pattern in comparison":       erp.Eq("A", erp.Pattern("x%")),
		"parentheses in text in case": erp.Eq("A", erp.TextInLower("a(b)")),
	} {
		_, err := f.Render()
		require.ErrorIs(t, err, erp.ErrInexpressible, name)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	for name, f := range map[string]erp.Filter{
		"column with blank": erp.Eq("A eq 1 or B", 2),
		"column empty":      erp.Eq("", 2),
		"column with quote": erp.Eq("A'", 2),
		"column with dot":   erp.Eq("A.", 2),
		"function unclosed": erp.Eq("tolower(A", 2),
		"function injected": erp.Eq("tolower(A) eq 1 or (B)", 2),
		"value column":      erp.Eq("A", erp.Column("B or C eq 1")),
		"empty list":        erp.In[string, int]("A"),
		"NaN":               erp.Eq("A", math.NaN()),
		"infinite":          erp.Eq("A", math.Inf(1)),
		"struct":            erp.Eq("A", struct{}{}),
		"slice":             erp.Eq("A", []int{1}),
		"no number":         erp.Eq("A", erp.Decimal("1 or 1 eq 1")),
		"json.Number":       erp.Eq("A", json.Number("")),
		"absurd exponent":   erp.Eq("A", erp.Decimal("1e999999999")),
		"zero time":         erp.Eq("A", time.Time{}),
		"zero date":         erp.Eq("A", erp.Date{}),
		"zero id":           erp.Eq("A", erp.ID{}),
		"not UTF-8":         erp.Eq("A", "\xff"),
		"NUL":               erp.Eq("A", "a\x00b"),
		"NUL in raw":        erp.Raw("A eq 'a\x00b'"),
		"inside and":        erp.And(erp.Eq("A", 1), erp.Eq("B'", 1)),
		"inside or":         erp.Eq("A", 1).Or(erp.Eq("B'", 1)),
	} {
		_, err := f.Render()
		require.ErrorIs(t, err, erp.ErrInvalid, name)
		assert.False(t, f.IsZero(), name)
	}
	rec, client := serve(t, always(200, `{"records":[]}`))
	_, err := client.Query(t.Context(), "C_Order", &erp.Query{Filter: erp.Eq("Name", "O'Brien")})
	require.ErrorIs(t, err, erp.ErrInexpressible)
	for _, err := range client.Records(t.Context(), "C_Order", &erp.Query{Filter: erp.Eq("Name", "O'Brien")}) {
		require.ErrorIs(t, err, erp.ErrInexpressible)
	}
	_, err = client.Models(t.Context(), erp.Eq("Name", "O'Brien"))
	require.ErrorIs(t, err, erp.ErrInexpressible)
	assert.Empty(t, rec.seen(), "nothing of this may be sent")
}

// FuzzFilterText checks that text that is accepted stays one literal: taken
// apart again by the rules of the language, it is what was put in.
func FuzzFilterText(f *testing.F) {
	for _, seed := range []string{"", "a", "O'Brien", "a (b)", ")", "((", "a,b", "50%", " and ", "ä\u2028", "\\'", "' or 1 eq 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := erp.Eq("A", text).And(erp.Eq("B", 1)).Render()
		if err != nil {
			require.ErrorIs(t, err, erp.ErrInvalid)
			return
		}
		inner, ok := strings.CutPrefix(got, "A eq '")
		require.True(t, ok)
		inner, ok = strings.CutSuffix(inner, "' and B eq 1")
		require.True(t, ok)
		require.Equal(t, text, inner)
		require.NotContains(t, inner, "'")
		terms, err := erp.FilterTerms(got)
		require.NoError(t, err)
		require.Equal(t, []erp.FilterTerm{{Column: "A", Operator: "eq", Values: []string{"'" + text + "'"}}, {Column: "B", Operator: "eq", Values: []string{"1"}}}, terms)
		depth := 0
		for _, c := range got {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			}
			require.GreaterOrEqual(t, depth, 0)
		}
		require.Zero(t, depth)
	})
}
