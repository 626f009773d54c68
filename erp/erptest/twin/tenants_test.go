package twin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// A database shows all tenants. Whose rows are copied has to be said, and no others
// are: not by references either. -short takes one tenant and all, and compares none again.
func TestTenants(t *testing.T) {
	t.Parallel()
	opts := orders()
	for name, c := range map[string]struct {
		tenants []string
		want    []string
		refused string
	}{
		"nothing said":   {nil, nil, "it has 2 tenants: GardenWorld (11), Fern Hollow Nursery (1000000); name those whose rows"},
		"an unknown one": {[]string{"11", "Nobody"}, nil, `it shows no tenant "Nobody"; it has: GardenWorld (11), Fern Hollow`},
		"by name":        {[]string{"fern hollow nursery"}, []string{"0", "1000000"}, ""},
		"by number":      {[]string{"11"}, []string{"0", "11"}, ""},
		"two":            {[]string{"11", "Fern Hollow Nursery"}, []string{"0", "11", "1000000"}, ""},
		"all":            {[]string{"*"}, []string{"0", "11", "1000000"}, ""},
	} {
		if testing.Short() && (name == "by number" || name == "two") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			opts.Tenants = c.tenants
			dir := t.TempDir()
			_, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, opts)
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			srv := erptest.New(t, erptest.FromTwin(dir))
			for _, table := range []string{"AD_Client", "AD_Org", "AD_User", "C_Order", "C_OrderLine", "C_BPartner"} {
				got := texts(t, srv, `SELECT DISTINCT CAST(AD_Client_ID AS TEXT) FROM `+table+` ORDER BY AD_Client_ID`)
				if table[0] == 'C' && len(got) < len(c.want) {
					got = append([]string{"0"}, got...) // System has no business
				}
				assert.Equal(t, c.want, got, table)
			}
			if testing.Short() {
				return
			}
			d, err := twin.Diff(t.Context(), newSmall(database(t, live())), dir, twin.Options{})
			require.NoError(t, err)
			assert.Empty(t, d.Changes)
		})
	}
	// Over REST, the role's tenant is the only one.
	opts.Tenants = nil
	_, err := twin.Clone(t.Context(), newSmall(twin.NewREST(client(t, live(), "FernAdmin", 1000000, 1000000), nil)), t.TempDir(), opts)
	require.NoError(t, err)
}

// A few rows of a parent come with their parts, and a part of a part, but not with
// those of other rows. -short takes the cases of which others are a part.
func TestParts(t *testing.T) {
	t.Parallel()
	link := func(to string) inventedColumn {
		return inventedColumn{name: to + "_ID", display: 19, parent: true, mandatory: true}
	}
	tables := map[string]inventedTable{
		"XX_Order": {id: 990_041, columns: []inventedColumn{keyColumn("XX_Order"), nameText}, rows: [][]any{{int64(1), "old"}, {int64(2), "newer"}, {int64(3), "newest"}}},
		"XX_Line": {id: 990_042, columns: []inventedColumn{keyColumn("XX_Line"), nameText, link("XX_Order")},
			rows: [][]any{{int64(11), "of old", int64(1)}, {int64(12), "first", int64(3)}, {int64(13), "second", int64(3)}, {int64(14), "of newer", int64(2)}}},
		"XX_Lot": {id: 990_043, columns: []inventedColumn{keyColumn("XX_Lot"), nameText, link("XX_Line")},
			rows: [][]any{{int64(21), "of the first", int64(12)}, {int64(22), "of old", int64(11)}}},
		"XX_Seen": {id: 990_044, columns: []inventedColumn{keyColumn("XX_Seen"), nameText, {name: "XX_Order_ID", display: 19}}, rows: [][]any{{int64(31), "no part", int64(3)}}},
	}
	for name, c := range map[string]struct {
		tables     []string
		rows       int
		lines, lot []string
	}{
		"the parent alone": {[]string{"XX_Order"}, 1, []string{"first", "second"}, []string{"of the first"}},
		"the part, too":    {[]string{"XX_Order", "XX_Line"}, 1, []string{"first", "second", "of newer"}, []string{"of the first"}},
		"two":              {[]string{"XX_Order"}, 2, []string{"first", "second", "of newer"}, []string{"of the first"}},
		"the whole table":  {[]string{"XX_Order"}, 0, nil, nil},
	} {
		if testing.Short() && (name == "the parent alone" || name == "two") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			srv, report := cloneInvented(t, tables, func(o *twin.Options) { o.Tables, o.Rows = c.tables, c.rows })
			assert.Equal(t, c.lines, texts(t, srv, `SELECT Name FROM XX_Line ORDER BY XX_Line_ID`))
			assert.Equal(t, c.lot, texts(t, srv, `SELECT Name FROM XX_Lot ORDER BY XX_Lot_ID`))
			assert.Empty(t, texts(t, srv, `SELECT Name FROM XX_Seen`))
			if c.lines != nil {
				line := table(t, report, "XX_Line")
				assert.Equal(t, twin.Business, line.Part)
				assert.Empty(t, line.LeftOut)
			}
		})
	}
}
