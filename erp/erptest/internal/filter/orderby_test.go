package filter

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// userTable is AD_User of the demo data, in a database that is closed with
// the test.
func userTable(t testing.TB) (*store.Store, *store.Table) {
	s, err := seed.Open(t.Context(), "", seed.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	var table *store.Table
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) (err error) {
		table, err = tx.Table(t.Context(), "AD_User")
		return err
	}))
	return s, table
}

func TestOrderBy(t *testing.T) {
	t.Parallel()
	_, user := userTable(t)
	const name, created = `"AD_User"."Name"`, `"AD_User"."Created"`
	for text, want := range map[string]string{
		"":                        "",
		"Name":                    name + " ASC NULLS LAST",
		"name DESC, created asc ": name + " DESC NULLS FIRST, " + created + " ASC NULLS LAST",
		"Name  desc":              "",
		"Name,":                   "",
		"Name,Nope":               "",
		"Name sideways":           "",
		"Password":                "",
		"id":                      "",
		"Name; DROP TABLE x":      "",
		strings.Repeat("Name,", MaxItems+1) + "Name": "",
	} {
		assert.Equal(t, want, Order(text, user), text)
	}
}

func TestOrderByEndsWithComma(t *testing.T) {
	t.Parallel()
	_, user := userTable(t)
	for text, refused := range map[string]bool{",": true, "Name,": true, "Name,,": true, ",Name": false, "Nope,": false, "Name": false} {
		_, err := OrderBy(text, user)
		assert.Equal(t, refused, err != nil, text)
		if refused {
			requireRefusal(t, err)
		}
	}
}

func FuzzOrderBy(f *testing.F) {
	for _, seed := range []string{"Name", "name desc,Created", "AD_User_ID asc, Value", ",", "Name -- x", "Password", "1"} {
		f.Add(seed)
	}
	s, user := userTable(f)
	f.Fuzz(func(t *testing.T, text string) {
		order := Order(text, user)
		if strings.ContainsAny(order, "';-") || strings.Contains(order, "Password") {
			t.Fatalf("%q: %s", text, order)
		}
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Select(t.Context(), user, store.Selection{Columns: user.Columns[:1], OrderBy: order, Limit: 1})
			return err
		}))
	})
}

// The longest filters that are accepted still fit into the database's limits.
func TestLongFilters(t *testing.T) {
	t.Parallel()
	s, user := userTable(t)
	for name, text := range map[string]string{
		"terms":       strings.TrimSuffix(strings.Repeat("tolower(Name) eq 'x' or ", MaxTerms), " or "),
		"parentheses": strings.Repeat("(", MaxDepth) + "IsActive eq true" + strings.Repeat(")", MaxDepth),
		"values":      "AD_User_ID in (" + strings.TrimSuffix(strings.Repeat("1,", (MaxLength-100)/2), ",") + ")",
	} {
		sql, err := Translate(text, ForTable(user), time.UTC)
		require.NoError(t, err, name)
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Count(t.Context(), user, "("+sql.Where+")", sql.Args...)
			return err
		}), name)
	}
}
