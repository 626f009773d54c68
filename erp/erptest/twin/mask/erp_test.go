package mask_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/testkit/masktest"
)

// described is a table of the embedded ERP as masking needs it.
func described(ctx context.Context, t testing.TB, tx *store.Tx, table *store.Table) mask.Table {
	d := mask.Table{Name: table.Name, AccessLevel: table.AccessLevel, EntityType: table.EntityType}
	for _, c := range table.Columns {
		if c.IsVirtual() {
			continue
		}
		target, err := tx.TargetTable(ctx, c)
		require.NoError(t, err)
		d.Columns = append(d.Columns, mask.Column{Name: c.Name, ElementName: c.Label, DisplayType: c.Ref, Length: c.Length, RefTable: target,
			Secure: c.Secure, Encrypted: c.Encrypted, Identifier: c.Identifier, Mandatory: c.Mandatory, Key: c.Key})
	}
	return d
}

// TestEmbeddedERP masks every row of the embedded ERP's data. Nothing that was
// masked is left in what comes out, keys and references are as they were, and no
// dictionary text has changed.
func TestEmbeddedERP(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := seed.Open(ctx, "", seed.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	var finder masktest.Finder
	var out bytes.Buffer
	rows, masked := 0, map[string]int64{}
	require.NoError(t, s.View(ctx, func(tx *store.Tx) error {
		names, err := tx.TableNames(ctx)
		require.NoError(t, err)
		var all []mask.Table
		var tables []*store.Table
		for _, name := range names {
			table, err := tx.Table(ctx, name)
			require.NoError(t, err)
			if table.IsView {
				continue
			}
			tables = append(tables, table)
			all = append(all, described(ctx, t, tx, table))
		}
		m, err := mask.New(all, mask.Options{Key: mask.FixedKey("embedded"), Own: tenants(ctx, t, tx), Observe: finder.Observe})
		require.NoError(t, err)
		for _, table := range tables {
			rows += maskTable(ctx, t, tx, m, table, &out)
		}
		for _, r := range m.Report() {
			masked[r.Table+"."+r.Column] = r.Masked
		}
		return nil
	}))
	assert.Greater(t, rows, 5_000)
	for _, column := range []string{"C_BPartner.Name", "AD_User.Name", "AD_User.Password", "C_Location.Address1", "AD_Client.Name"} {
		assert.Positive(t, masked[column], column)
	}
	for _, column := range []string{"AD_Column.Name", "AD_Element.Name", "AD_Message.MsgText", "C_Country.Name", "C_Currency.Description"} {
		assert.Zero(t, masked[column], column)
	}
	path := filepath.Join(t.TempDir(), "rows")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	found, err := finder.Search(path)
	require.NoError(t, err)
	assert.Empty(t, found)
	searched, skipped := finder.Values()
	assert.Greater(t, searched, 50, "%+v", skipped)
	t.Logf("%d rows, %d values searched, %+v", rows, searched, skipped)
	for _, tenant := range []string{"GardenWorld", "Fern Hollow"} {
		assert.False(t, bytes.Contains(out.Bytes(), []byte(tenant)), "the name %s is in a kept text", tenant)
	}
}

// tenants are the names and search keys of all tenants but System.
func tenants(ctx context.Context, t *testing.T, tx *store.Tx) (names []string) {
	rows, err := tx.Query(ctx, "SELECT Name, Value FROM AD_Client WHERE AD_Client_ID>0")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name, value string
		require.NoError(t, rows.Scan(&name, &value))
		names = append(names, name, value)
	}
	require.NoError(t, rows.Err())
	return names
}

func maskTable(ctx context.Context, t *testing.T, tx *store.Tx, m *mask.Masker, table *store.Table, out *bytes.Buffer) (n int) {
	var columns []*store.Column
	var names []string
	for _, c := range table.Columns {
		if !c.IsVirtual() {
			columns, names = append(columns, c), append(names, sqlquote.Name(c.Name))
		}
	}
	limit := -1
	if table.AccessLevel == "4" {
		limit = 200 // the rest of the dictionary is more of the same
	}
	rows, err := tx.Query(ctx, "SELECT "+strings.Join(names, ",")+" FROM "+sqlquote.Name(table.Name)+" LIMIT ?", limit)
	if err != nil {
		require.ErrorContains(t, err, "no such table")
		return 0
	}
	defer rows.Close()
	values := make([]any, len(columns))
	pointers := make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	row := map[string]any{}
	for rows.Next() {
		require.NoError(t, rows.Scan(pointers...))
		clear(row)
		for i, c := range columns {
			row[c.Name] = values[i]
		}
		require.NoError(t, m.Row(table.Name, row))
		n++
		for i, c := range columns {
			if c.Key || slices.Contains([]int{displaytype.TableDir, displaytype.Table, displaytype.Search, displaytype.YesNo, displaytype.List}, c.Ref) {
				require.Equal(t, values[i], row[c.Name], "%s.%s", table.Name, c.Name)
			}
			fmt.Fprintf(out, "%v\x00", row[c.Name])
		}
	}
	require.NoError(t, rows.Err())
	return n
}
