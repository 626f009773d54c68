package transfer_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// tenThousand are the rows of many partners.
func tenThousand(rows int) string {
	var b strings.Builder
	b.WriteString("Search Key,Name,C_BP_Group_ID,Customer,SO_CreditLimit\n")
	for i := range rows {
		fmt.Fprintf(&b, "ZS%05d,Partner %d,Standard,Y,%d.50\n", i, i, i)
	}
	return b.String()
}

// Importing ten thousand partners; how long it takes is said, not asserted.
func TestTenThousand(t *testing.T) {
	rows := 500
	if os.Getenv("ERPHUB_PROOF") != "" {
		rows = 10_000
	}
	_, client := start(t)
	in := file(t, "p.csv", tenThousand(rows))
	opts := transfer.ImportOptions{Table: "C_BPartner", Key: []string{"Value"}, Journal: in.Path + ".import.json"}
	for _, want := range []transfer.Counts{{Created: rows}, {Unchanged: rows}} {
		result, err := transfer.Import(t.Context(), client, dictionary(client), in, opts)
		require.NoError(t, err)
		require.Equal(t, want, result.Counts)
		t.Logf("%+v in %s", result.Counts, result.Took)
	}
}

// What an import costs over the requests it makes: Import beside the same records
// sent in batches as they are.
func BenchmarkImport(b *testing.B) {
	const rows = 10_000
	srv, err := erptest.Start(b.Context(), erptest.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, srv.Close()) })
	client := login(b, srv)
	reg := dictionary(client)
	n := 0
	b.Run("Import", func(b *testing.B) {
		for b.Loop() {
			n++
			in := file(b, "p.csv", strings.ReplaceAll(tenThousand(rows), "ZS", fmt.Sprintf("ZI%d-", n)))
			result, err := transfer.Import(b.Context(), client, reg, in, transfer.ImportOptions{Table: "C_BPartner", Key: []string{"Value"}})
			require.NoError(b, err)
			require.Equal(b, rows, result.Created, "%v", result.Problems)
		}
		b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/10,000")
	})
	b.Run("Batch", func(b *testing.B) {
		for b.Loop() {
			n++
			for first := 0; first < rows; first += 100 {
				var requests []erp.BatchRequest
				for i := range 100 {
					requests = append(requests, erp.BatchCreate("C_BPartner", map[string]any{
						"Value": fmt.Sprintf("ZB%d-%05d", n, first+i), "Name": fmt.Sprintf("Partner %d", i), "C_BP_Group_ID": 103, "IsCustomer": true, "SO_CreditLimit": 1.5,
					}))
				}
				_, err := client.Batch(b.Context(), requests, erp.BatchOptions{})
				require.NoError(b, err)
			}
		}
	})
}
