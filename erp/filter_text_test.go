package erp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestFilterTerms(t *testing.T) {
	t.Parallel()
	type terms = []erp.FilterTerm
	one := func(column, operator string, values ...string) terms {
		return terms{{Column: column, Operator: operator, Values: values}}
	}
	for text, want := range map[string]terms{
		"":                                    nil,
		" \n ":                                nil,
		"GrandTotal ge 100":                   one("GrandTotal", "ge", "100"),
		"Name eq 'O or P'":                    one("Name", "eq", "'O or P'"),
		"Name eq 'a (b)'":                     one("Name", "eq", "'a (b)'"),
		"  Name\teq\n''  ":                    one("Name", "eq", "''"),
		"id in (1, 2,3)":                      one("id", "in", "1", "2", "3"),
		"tolower(Name) eq tolower('A')":       one("Name", "eq", "tolower('A')"),
		"A gt B":                              one("A", "gt", "B"),
		"A eq null":                           one("A", "eq", "null"),
		"not contains(Name,'x, y')":           one("Name", "contains", "'x, y'"),
		"startswith( toupper( Name ) , 'X' )": one("Name", "startswith", "'X'"),
		"(A eq 1 or (B eq 2)) AND endswith(C,'z')": {
			{Column: "A", Operator: "eq", Values: []string{"1"}}, {Column: "B", Operator: "eq", Values: []string{"2"}},
			{Column: "C", Operator: "endswith", Values: []string{"'z'"}},
		},
	} {
		got, err := erp.FilterTerms(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// What the server would refuse, or misunderstand without a word, is said with
// what to write instead.
func TestFilterTermsSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"IsActive = true":                 "no operator \"=\"; write IsActive eq true",
		"IsActive=true":                   "no operator \"=\"; write IsActive eq true",
		"GrandTotal>=100":                 "no operator \">=\"; write GrandTotal ge 100",
		"GrandTotal >= 100 and A eq 1":    "write GrandTotal ge 100",
		"A eq 1 and GrandTotal> 100":      "write GrandTotal gt 100",
		"Name == 'x'":                     "write Name eq 'x'",
		"Name <> 'x'":                     "write Name neq 'x'",
		"Name ne 'x'":                     "write Name neq 'x'",
		"Name EQ 'x'":                     "in small letters: Name eq 'x'",
		"Name like 'Tree%'":               "write startswith(Name,'Tree')",
		"Name LIKE '%Tree'":               "write endswith(Name,'Tree')",
		"Name like '%Tree%'":              "write contains(Name,'Tree')",
		"Name ilike '%Tree%'":             "write contains(tolower(Name),'tree')",
		"Name contains 'x'":               "write contains(Name,'x')",
		"Name is null":                    "write Name eq null",
		"Name is not null":                "write Name neq null",
		"A between 1 and 2":               "write A ge … and A le …",
		"A not in (1)":                    "write neq",
		"A in(1,2)":                       "write a blank on each side of in",
		"A in 1":                          "in needs a list in parentheses; such as A in (1,2)",
		"A in ('x,y')":                    "must not hold commas",
		"A has 1":                         "operators: eq, neq, gt, ge, lt, le, in",
		"A eq":                            "after A eq a value is expected",
		"1 eq 1":                          "not a name of a column",
		"'x' eq Name":                     "not a name of a column",
		"Paſſword eq 'x'":                 "not a name of a column",
		"contains(Paſſword,'x')":          "not a name of a column",
		"Name gt Paſſword":                "texts stand in single quotes",
		"A":                               "an operator and a value are expected",
		"A eq 1 and":                      "it ends where a condition is expected",
		"A eq 1 && B eq 2":                "write and, or",
		"Name eq Joe Block":               "put single quotes around a text with blanks",
		`Name eq "Joe"`:                   "texts stand in single quotes; write 'Joe'",
		"contains(Name,Joe)":              "contains(Name,'Joe')",
		"contains(Name)":                  "takes a column and a text",
		"Contains(Name,'x')":              "write contains in small letters",
		"substringof('x',Name)":           "functions: contains, startswith",
		"contains(length(Name),'x')":      "functions: contains, startswith",
		"not (A eq 1)":                    "negate the condition",
		"not A eq 1":                      "negate the condition",
		"contains(Name,'a (b)')":          "must not hold parentheses",
		"(A eq 1":                         "no partner",
		"A eq 1)":                         "no partner",
		"Name eq 'O''Brien'":              "search for a part without it",
		"Name eq 'O''Brien and Sons'":     "search for a part without it",
		"contains(Name,'O''Brien')":       "search for a part without it",
		"Name in ('O''Brien','x')":        "search for a part without it",
		"Name eq 'O'Brien'":               "search for a part without it",
		`Name eq 'O\'Brien'`:              "search for a part without it",
		"Name eq 'O'Brien' and A eq 1":    "search for a part without it",
		"Name eq 'x'; DROP TABLE c_order": "ends before its last character",
		"A eq \x00":                       "NUL",
		strings.Repeat("(", 300) + "A eq 1" + strings.Repeat(")", 300): "too deep",
	} {
		_, err := erp.FilterTerms(text)
		require.ErrorIs(t, err, erp.ErrInvalid, text)
		assert.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"Name eq 'O''Brien'", "contains(Name,'O''Brien')", "Name in ('O''Brien')", "Name eq 'O'Brien' and A eq 1", "A in ('x,y')", "not (A eq 1)"} {
		_, err := erp.FilterTerms(text)
		assert.ErrorIs(t, err, erp.ErrInexpressible, text)
	}
}

// FuzzFilterTerms looks for text that it cannot bear.
func FuzzFilterTerms(f *testing.F) {
	for _, seed := range []string{"A eq 1 and (B in ('x') or not contains(tolower(C),'y'))", "A='x'", "'", "(", "not", "a(b)c('", ",,()", "in ()"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms, err := erp.FilterTerms(text)
		if err != nil {
			require.ErrorIs(t, err, erp.ErrInvalid)
			require.Less(t, len(err.Error()), 1000)
			return
		}
		for _, term := range terms {
			require.NotEmpty(t, term.Column)
			require.NotEmpty(t, term.Values)
		}
	})
}
