package transfer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/erp"
)

// hard are texts that formats stumble over.
var hard = []string{
	"plain", "with, comma; and\ttab", `"quoted"`, `"`, "two\nlines", "two\r\nlines", "\r", "\n", " blanks around ", "=1+1", "+49 7", "-5", "@x", "007", "1e5", "TRUE",
	"null", "2026-03-09", "Ä 漢字 😀", "_x0041_", "_x0041_x0042_", "<b>&amp;</b>", "'quote", `back\slash`, "a|b", "\\N", "\ufeffmark", ",", ";", "NULL", "#REF!", "{}", "[1]",
}

// randomPartner is a partner with columns of many types, each of which may be empty.
func randomPartner(random *rand.Rand, n int) map[string]any {
	text := func() any { return hard[random.IntN(len(hard))] }
	body := map[string]any{"Value": fmt.Sprintf("ZT%03d", n), "Name": text(), "C_BP_Group_ID": 103}
	for column, value := range map[string]func() any{
		"Description": text, "SO_Description": text, "ReferenceNo": text,
		"SO_CreditLimit":         func() any { return fmt.Sprintf("%d.%02d", random.Int64N(1e14), random.IntN(100)) },
		"AcqusitionCost":         func() any { return fmt.Sprintf("-0.%08d", random.IntN(1e8)) },
		"NumberEmployees":        func() any { return random.IntN(1 << 31) },
		"FirstSale":              func() any { return erp.NewDate(1990+random.IntN(50), 1, 1+random.IntN(365)).String() },
		"IsVendor":               func() any { return random.IntN(2) == 0 },
		"IsTaxExempt":            func() any { return random.IntN(2) == 0 },
		"IsActive":               func() any { return random.IntN(4) > 0 },
		"PaymentRule":            func() any { return []string{"B", "D", "P"}[random.IntN(3)] },
		"AD_Language":            func() any { return "en_US" },
		"SalesRep_ID":            func() any { return 101 },
		"M_PriceList_ID":         func() any { return erp.NoRef },
		"FlatDiscount":           func() any { return "0.5" },
		"C_PaymentTerm_ID":       func() any { return 105 },
		"IsDiscountPrinted":      func() any { return nil },
		"SOCreditStatus":         func() any { return "X" },
		"Is1099Vendor":           func() any { return false },
		"PotentialLifeTimeValue": func() any { return "123456789012.345" },
	} {
		if random.IntN(3) > 0 {
			body[column] = value()
		}
	}
	return body
}

// formats write and read back.
func exportTo(t *testing.T, client *erp.Client, path string, opts transfer.ExportOptions) transfer.Input {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	var w transfer.RowWriter
	var in transfer.Input
	if strings.HasSuffix(path, ".xlsx") {
		w, err = transfer.NewWorkbookWriter(f, opts.Table)
		in = transfer.Workbook{Path: path}
	} else {
		format, _ := transfer.FormatOf(path)
		w, err = transfer.NewWriter(f, format)
		in = transfer.File{Path: path, Format: format}
	}
	require.NoError(t, err)
	n, err := transfer.Export(t.Context(), client, demoDictionary(), w, opts)
	require.NoError(t, err)
	require.Positive(t, n)
	if strings.HasSuffix(path, ".tsv") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, strings.SplitN(string(text), "\n", 2)[0], "id\tuid\t")
	}
	return in
}

// content is what the partners of the test hold, without what the ERP itself writes.
func content(t *testing.T, client *erp.Client) []map[string]any {
	t.Helper()
	var all []map[string]any
	for rec, err := range client.Records(t.Context(), "C_BPartner", &erp.Query{Filter: erp.ActiveOrNot(erp.StartsWith("Value", "ZT")), OrderBy: []string{"Value"}}) {
		require.NoError(t, err)
		m := rec.Map()
		for _, own := range []string{"id", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
			delete(m, own)
		}
		all = append(all, m)
	}
	return all
}

// A round trip is the identity: an export that is imported with its UUIDs changes
// nothing, and imported into another ERP it makes equal records.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	random := rand.New(rand.NewPCG(1, 2))
	var writes []erp.Write
	for i := range 40 {
		writes = append(writes, erp.Write{Body: randomPartner(random, i)})
	}
	results, err := client.WriteRecords(t.Context(), "C_BPartner", writes, nil)
	require.NoError(t, err)
	for i, r := range results {
		require.NoError(t, r.Err, "%v", writes[i].Body)
	}
	want := content(t, client)
	all := erp.ActiveOrNot(erp.StartsWith("Value", "ZT"))
	for _, references := range []string{transfer.ByKey, transfer.ByUUID, transfer.ByValue} {
		for _, ext := range []string{"csv", "tsv", "ndjson", "json", "xlsx"} {
			if references != transfer.ByKey && ext != map[string]string{transfer.ByUUID: "csv", transfer.ByValue: "ndjson"}[references] {
				continue // the format makes no difference to what stands for a reference
			}
			t.Run(ext+" "+references, func(t *testing.T) {
				t.Parallel()
				in := exportTo(t, client, filepath.Join(t.TempDir(), "export."+ext), transfer.ExportOptions{Table: "C_BPartner", Filter: all, References: references})
				result, err := transfer.Import(t.Context(), client, demoDictionary(), in, transfer.ImportOptions{Table: "C_BPartner", Key: []string{"uid"}})
				require.NoError(t, err)
				assert.Equal(t, transfer.Counts{Unchanged: 40}, result.Counts, "%v", result.Problems)

				_, twin := start(t)
				result, err = transfer.Import(t.Context(), twin, dictionary(twin), in, transfer.ImportOptions{Table: "C_BPartner"})
				require.NoError(t, err)
				require.Equal(t, transfer.Counts{Created: 40}, result.Counts, "%v", result.Problems)
				got := content(t, twin)
				require.Len(t, got, len(want))
				for i := range want {
					assert.Empty(t, differences(want[i], got[i]), "%v", want[i]["Value"])
				}
			})
		}
	}
}

func differences(want, got map[string]any) []string {
	var out []string
	for name := range maps.Keys(want) {
		a, isNumber := want[name].(json.Number)
		b, too := got[name].(json.Number)
		if isNumber && too && erp.Decimal(a).Cmp(erp.Decimal(b)) == 0 {
			continue // worksheets do not keep zeros behind the point
		}
		if !assert.ObjectsAreEqual(want[name], got[name]) {
			out = append(out, fmt.Sprintf("%s: %v, not %v", name, got[name], want[name]))
		}
	}
	for name := range maps.Keys(got) {
		if _, ok := want[name]; !ok {
			out = append(out, fmt.Sprintf("%s: %v, not nothing", name, got[name]))
		}
	}
	return out
}

// Columns that are named are those of the file, in their order.
func TestExportColumns(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	var out bytes.Buffer
	w, err := transfer.NewWriter(&out, transfer.CSV)
	require.NoError(t, err)
	n, err := transfer.Export(t.Context(), client, demoDictionary(), w, transfer.ExportOptions{
		Table: "c_uom", Columns: []string{"name", "id", "UOMSymbol"}, Filter: erp.Eq("Name", "Minute"), References: transfer.ByValue,
	})
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Regexp(t, `^Name,id,UOMSymbol\nMinute,\d+,min\n$`, out.String())
	for _, opts := range []transfer.ExportOptions{{Table: "C_UOM", Columns: []string{"Nmae"}}, {Table: "C_UOM", References: "x"}, {Table: "C_UMO"}} {
		_, err = transfer.Export(t.Context(), client, demoDictionary(), w, opts)
		require.Error(t, err)
	}
}
