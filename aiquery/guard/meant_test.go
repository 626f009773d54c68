package guard

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	api "github.com/erphub/erphub/aiquery/api"
)

// What a refusal is about is a value, and so are the names that resemble it. They
// are names the caller may use, as the statement can have them.
func TestMeant(t *testing.T) {
	t.Parallel()
	const capitals = "a name in quotes keeps its capital letters, which the database does not have: write "
	for name, tt := range map[string]struct {
		sql     string
		object  api.Object
		hint    string
		because Kind
	}{
		"table": {"SELECT 1 FROM c_ordr", api.Object{Kind: api.TableObject, Name: "c_ordr", Similar: []string{"C_Order"}}, "did you mean C_Order?", Denied},
		"item of WITH": {`WITH "Totals" AS (SELECT 1) SELECT 1 FROM totalz`,
			api.Object{Kind: api.TableObject, Name: "totalz", Similar: []string{`"Totals"`}}, `did you mean "Totals"?`, Denied},
		"table of another schema": {"SELECT 1 FROM public.c_order",
			api.Object{Kind: api.TableObject, Name: "public.c_order", Similar: []string{"C_Order"}}, "write the table's name without a schema: C_Order", Denied},
		"table in quotes": {`SELECT 1 FROM "C_Order"`,
			api.Object{Kind: api.TableObject, Name: "C_Order", Similar: []string{"C_Order"}}, capitals + "c_order without quotes", Denied},
		"table that is not permitted": {"SELECT 1 FROM ad_user", api.Object{Kind: api.TableObject, Name: "ad_user"}, "", Denied},
		"table that is not there":     {"SELECT 1 FROM ad_usex", api.Object{Kind: api.TableObject, Name: "ad_usex"}, "", Denied},
		"view that cannot be secured": {"SELECT 1 FROM rv_hidden", api.Object{Kind: api.TableObject, Name: "rv_hidden"}, "", Denied},
		"view like one that cannot":   {"SELECT 1 FROM rv_hiddem", api.Object{Kind: api.TableObject, Name: "rv_hiddem"}, "", Denied},
		"view that is its own":        {"SELECT 1 FROM rv_loopp", api.Object{Kind: api.TableObject, Name: "rv_loopp"}, "", Denied},
		"such a view in quotes":       {`SELECT 1 FROM "RV_Hidden"`, api.Object{Kind: api.TableObject, Name: "RV_Hidden"}, "", Denied},
		"rule that cannot be secured": {"SELECT 1 FROM c_brokem", api.Object{Kind: api.TableObject, Name: "c_brokem"}, "", Denied},
		"view":                        {"SELECT 1 FROM rv_ordr", api.Object{Kind: api.TableObject, Name: "rv_ordr", Similar: []string{"RV_Order"}}, "did you mean RV_Order?", Denied},
		"column":                      {"SELECT documentnr FROM c_order", api.Object{Kind: api.ColumnObject, Name: "documentnr", Similar: []string{"documentno"}}, "did you mean documentno?", Denied},
		"column of an alias": {"SELECT o.grandtotl FROM c_order o, c_bpartner",
			api.Object{Kind: api.ColumnObject, Name: "o.grandtotl", Similar: []string{"o.grandtotal"}}, "did you mean o.grandtotal?", Denied},
		"column of another table": {"SELECT o.taxid FROM c_order o JOIN c_bpartner USING (c_bpartner_id)",
			api.Object{Kind: api.ColumnObject, Name: "o.taxid", Similar: []string{"c_bpartner.taxid"}}, "did you mean c_bpartner.taxid?", Denied},
		"column behind a wrong alias": {"SELECT ordr.grandtotal FROM c_order o, c_bpartner",
			api.Object{Kind: api.ColumnObject, Name: "ordr.grandtotal", Similar: []string{"o.grandtotal"}}, "did you mean o.grandtotal?", Denied},
		"column in quotes": {`SELECT "DocumentNo" FROM c_order`,
			api.Object{Kind: api.ColumnObject, Name: "DocumentNo", Similar: []string{"documentno"}}, capitals + "documentno without quotes", Denied},
		"column that is not permitted": {"SELECT so_creditlimit FROM c_bpartner", api.Object{Kind: api.ColumnObject, Name: "so_creditlimit"}, "", Denied},
		"column of an outer level": {"SELECT 1 FROM c_order o WHERE EXISTS (SELECT 1 FROM c_bpartner b WHERE b.name = documentnr)",
			api.Object{Kind: api.ColumnObject, Name: "documentnr", Similar: []string{"documentno"}}, "did you mean documentno?", Denied},
		"column of nothing permitted": {"SELECT x.totl FROM (SELECT 1 AS total) x",
			api.Object{Kind: api.ColumnObject, Name: "x.totl", Similar: []string{"x.total"}}, "did you mean x.total?", Syntax},
		"column of a join": {"SELECT 1 FROM c_order JOIN c_bpartner USING (taxid)", api.Object{Kind: api.ColumnObject, Name: "taxid"}, "", Denied},
		"function":         {"SELECT substrng(name, 1) FROM c_bpartner", api.Object{Kind: api.FunctionObject, Name: "substrng", Similar: []string{"substring", "substr"}}, "did you mean substring or substr?", Denied},
		"function with advice": {"SELECT repeat(name, 3) FROM c_bpartner",
			api.Object{Kind: api.FunctionObject, Name: "repeat"}, "use lpad with a constant length", Denied},
		"function in FROM": {"SELECT 1 FROM now() x", api.Object{Kind: api.FunctionObject, Name: "now"}, "write (SELECT … AS name) AS alias", Denied},
		"nothing of these": {"SELECT 1 FROM c_order FOR UPDATE", api.Object{}, "leave it out: nothing is changed here", Unsupported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(nil).Secure(t.Context(), testPolicy(), tt.sql, 0, 10)
			var r *Refusal
			require.ErrorAs(t, err, &r)
			assert.Equal(t, tt.because, r.Kind)
			assert.Equal(t, tt.object, r.Object)
			assert.Equal(t, tt.hint, r.Hint)
		})
	}
}

// What is suggested for a name is the same whether it is that of something
// hidden or of nothing.
func TestMeantTellsNothingHidden(t *testing.T) {
	t.Parallel()
	bare := testPolicy()
	bare.Version, bare.Denied = "bare", nil
	delete(bare.Tables, "rv_hidden")
	delete(bare.Tables, "c_broken")
	g := New(nil)
	for _, sql := range []string{
		"SELECT 1 FROM ad_user", "SELECT 1 FROM AD_Usr", `SELECT 1 FROM "AD_User"`, "SELECT 1 FROM rv_hidden", "SELECT 1 FROM rv_hiden", "SELECT 1 FROM c_broken",
		"SELECT 1 FROM c_brken", `SELECT 1 FROM "RV_Hidden"`, "SELECT 1 FROM public.ad_user",
	} {
		refusal := func(p *Policy) Refusal {
			_, err := g.Secure(t.Context(), p, sql, 0, 10)
			var r *Refusal
			require.ErrorAs(t, err, &r)
			return Refusal{Kind: r.Kind, Reason: r.Reason, Hint: r.Hint, Object: r.Object, Position: r.Position}
		}
		assert.Equal(t, refusal(bare), refusal(testPolicy()), sql)
	}
}
