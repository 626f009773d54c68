package transfer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// login is a client of the embedded ERP, logged in as GardenAdmin.
func login(t testing.TB, srv *erptest.Server) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)),
		erp.WithRetryPolicy(erp.RetryPolicy{Max: 3, MinWait: time.Microsecond, MaxWait: time.Millisecond, MaxRetryAfter: 10 * time.Second}))
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func start(t *testing.T) (*erptest.Server, *erp.Client) {
	t.Helper()
	srv := erptest.New(t)
	return srv, login(t, srv)
}

func dictionary(client *erp.Client) values.Dictionary {
	return values.NewDictionary(restdict.NewSource(client, nil))
}

// demoDictionary is what dictionary reads of the demo data, for tests that change nothing
// of it; it is read once, beside an ERP of its own.
var demoDictionary = sync.OnceValue(func() values.Dictionary {
	srv, err := erptest.Open(context.Background(), erptest.Options{})
	if err != nil {
		panic(err)
	}
	source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
	if err != nil {
		panic(err)
	}
	return values.NewDictionary(source)
})

// file writes a file to import.
func file(t testing.TB, name, content string) transfer.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	format, ok := transfer.FormatOf(path)
	require.True(t, ok)
	return transfer.File{Path: path, Format: format, Called: name}
}

// partners are the partners whose search key begins so, a line each.
func partners(t testing.TB, client *erp.Client, prefix string, columns ...string) []string {
	t.Helper()
	var lines []string
	q := &erp.Query{Filter: erp.ActiveOrNot(erp.StartsWith("Value", prefix)), Select: append([]string{"Value"}, columns...), OrderBy: []string{"Value"}}
	for rec, err := range client.Records(t.Context(), "C_BPartner", q) {
		require.NoError(t, err)
		value, _ := rec.Text("Value")
		line := []string{value}
		for _, c := range columns {
			text, ok := rec.Text(c)
			if ref, isRef := rec.Ref(c); !ok && isRef {
				text = ref.ID.String()
			} else if d, isNumber := rec.Decimal(c); !ok && isNumber {
				text = d.String()
			}
			line = append(line, text)
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines
}
