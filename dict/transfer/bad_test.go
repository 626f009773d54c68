package transfer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
)

// What is wrong with a file, or with a row of it, is said with its place, and
// nothing of the file, or of the row, is written.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	reg := demoDictionary()
	for _, value := range []string{"ZG1", "ZG2"} {
		_, err := client.Create(t.Context(), "C_BP_Group", map[string]any{"Value": value, "Name": "Twice"})
		require.NoError(t, err)
	}
	for range 2 {
		_, err := client.Create(t.Context(), "C_UOM", map[string]any{"Name": "Twin", "UOMSymbol": "tw", "X12DE355": "t" + string(rune('a'+len(srv.Faults().Requests())%26))})
		require.NoError(t, err)
	}
	const good = "ZB1,One\n"
	tests := []struct {
		name, file, content string
		opts                transfer.ImportOptions
		want                string // of the error, or of the only problem
	}{
		// the file as a whole
		{name: "empty", file: "f.csv", want: "f.csv: it is empty"},
		{name: "only a byte order mark", file: "f.csv", content: "\ufeff", want: "f.csv: it is empty"},
		{name: "header alone", file: "f.csv", content: "Value,Name\n", want: "f.csv: it has no rows"},
		{name: "UTF-16 little endian", file: "f.csv", content: "\xff\xfeV\x00a\x00", want: "f.csv: it is UTF-16"},
		{name: "UTF-16 big endian", file: "f.csv", content: "\xfe\xff\x00V", want: "f.csv: it is UTF-16"},
		{name: "Latin-1", file: "f.csv", content: "Value,Name\n" + good + "ZB2,M\xfcller\n", want: `f.csv:3: value 2 holds the byte 0xFC behind "M", which is not UTF-8`},
		{name: "NUL byte", file: "f.csv", content: "Value,Name\n" + good + "ZB2,a\x00b\n", want: "f.csv:3: value 2 holds a NUL byte"},
		{name: "workbook called CSV", file: "f.csv", content: "PK\x03\x04...", want: "f.csv: it is a workbook"},
		{name: "old workbook", file: "f.csv", content: "\xd0\xcf\x11\xe0....", want: "f.csv: it is a workbook of an old kind"},
		{name: "gzip", file: "f.csv", content: "\x1f\x8b\x08", want: "f.csv: it is compressed"},
		{name: "PDF", file: "f.csv", content: "%PDF-1.7", want: "f.csv: it is a PDF"},
		{name: "HTML", file: "f.csv", content: "<html><table>", want: "f.csv:1: it begins with <"},
		{name: "quote without end", file: "f.csv", content: "Value,Name\n" + good + "ZB2,\"Two\nZB3,Three\n", want: "f.csv:3: the quote before value 2 has no end"},
		{name: "text behind a quote", file: "f.csv", content: "Value,Name\n" + good + "ZB2,\"Two\"x\n", want: "f.csv:3: value 2 goes on behind its closing quote"},
		{name: "huge value", file: "f.csv", content: "Value,Name\n" + good + "ZB2," + strings.Repeat("x", 17<<20), want: "f.csv:3: value 2 is longer than 16 MiB"},
		{name: "huge value in quotes", file: "f.csv", content: "Value,Name\nZB2,\"" + strings.Repeat("x\n", 9<<20), want: "f.csv:2: value 2 is longer than 16 MiB; does its quote have an end?"},
		{name: "thousands of columns", file: "f.csv", content: strings.Repeat("a,", 3000), want: "f.csv:1: there are more than 2000 columns"},
		{name: "two delimiters", file: "f.csv", content: "Value;Name,Description\n", want: `f.csv:1: the first line has ";" and "," in it`},
		{name: "truncated object", file: "f.ndjson", content: `{"Value":"ZB1","Name":"One"}` + "\n" + `{"Value":"ZB2",`, want: "f.ndjson:2: it ends in the middle of a value"},
		{name: "truncated list", file: "f.json", content: `[{"Value":"ZB1","Name":"One"},`, want: "f.json:1: it ends in the middle"},
		{name: "list in NDJSON", file: "f.ndjson", content: `{"Value":"ZB1","Name":"One"}` + "\n[1,2]\n", want: "f.ndjson:2: there is a list where an object is expected"},
		{name: "number in NDJSON", file: "f.ndjson", content: "5\n", want: "f.ndjson:1: there is a value where an object"},
		{name: "no JSON", file: "f.ndjson", content: "{Value:1}\n", want: "f.ndjson:1: it is not JSON"},
		{name: "object instead of a list", file: "f.json", content: `{"Value":"ZB1"}`, want: "f.json:1: it must be a list of objects"},
		{name: "text instead of a list", file: "f.json", content: `"x"`, want: "f.json:1: it must be a list"},
		{name: "empty list", file: "f.json", content: `[]`, want: "f.json: it has no rows"},
		{name: "JSON in UTF-16", file: "f.json", content: "\xff\xfe[\x00", want: "f.json: it is UTF-16"},
		{name: "too deep", file: "f.json", content: strings.Repeat("[", 20_000), want: "f.json:1: it is not JSON"},
		// its header
		{name: "unknown column", file: "f.csv", content: "Value,Naem\n" + good, want: `f.csv:1:Naem: C_BPartner has no column "Naem"; did you mean "Name"?`},
		{name: "column of the ERP", file: "f.csv", content: "Value,Name,Created\nZB1,One,2026-01-01\n", want: "f.csv:1:Created: Created is written by the ERP itself"},
		{name: "status of documents", file: "f.csv", content: "DocumentNo,DocStatus\nZ1,CO\n", opts: transfer.ImportOptions{Table: "C_Order"}, want: "f.csv:1:DocStatus: DocStatus is changed by processing the document"},
		{name: "heading twice", file: "f.csv", content: "Value,Name,value\nZB1,One,x\n", want: `f.csv:1:value: the headings "Value" and "value" both mean Value`},
		{name: "name and label", file: "f.csv", content: "Value,Search Key,Name\nZB1,x,One\n", want: "both mean Value"},
		{name: "mandatory column missing", file: "f.csv", content: "Value\nZB1\n", want: "f.csv:1: there is no heading for Name, which is mandatory"},
		{name: "key without a heading", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Key: []string{"TaxID"}}, want: "f.csv:1: there is no heading for TaxID, which is the key"},
		{name: "mapped heading missing", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Map: map[string]string{"Nmae": "Name"}}, want: `there is no heading "nmae", which is mapped; did you mean "Name"?`},
		{name: "nothing to import", file: "f.csv", content: "a,b\n1,2\n", opts: transfer.ImportOptions{Map: map[string]string{"a": "", "b": ""}}, want: "no heading names a column"},
		{name: "by a column that is not there", file: "f.csv", content: "Value,Name,C_BP_Group_ID:Valeu\nZB1,One,x\n", want: `did you mean "C_BP_Group_ID:Value"?`},
		{name: "by on a text", file: "f.csv", content: "Value,Name:Value\n" + good, want: "Name refers to no other table"},
		{name: "key twice", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Key: []string{"Value", "value"}}, want: `the key: "value" is named twice`},
		{name: "unknown key", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Key: []string{"Vlaue"}}, want: `the key: C_BPartner has no column "Vlaue"; did you mean "Value"?`},
		{name: "impossible date format", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Values: values.Options{DateFormat: "DD.MM"}}, want: "must have DD, MM and YYYY"},
		{name: "unknown table", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Table: "C_BPartnr"}, want: `close to it: C_BPartner`},
		{name: "view", file: "f.csv", content: "Value,Name\n" + good, opts: transfer.ImportOptions{Table: "RV_BPartner"}, want: "RV_BPartner"},
		// one row of it
		{name: "ragged line", file: "f.csv", content: "Value,Name\nZB1,One,more\n", want: "f.csv:2: the line has 3 values, and the header has 2 columns"},
		{name: "short line", file: "f.csv", content: "Value,Name,TaxID\nZB1,One\n", want: "f.csv:2: the line has 2 values"},
		{name: "value without a heading", file: "f.csv", content: "Value,Name,\nZB1,One,x\n", want: "f.csv:2:column 3: there is a value and no heading over it"},
		{name: "mandatory value missing", file: "f.csv", content: "Value,Name\nZB1,\n", want: "f.csv:2:Name: Name is mandatory"},
		{name: "wrong type", file: "f.csv", content: "Value,Name,NumberEmployees\nZB1,One,many\n", want: `f.csv:2:NumberEmployees: "many" is not a number`},
		{name: "all that is wrong", file: "f.csv", content: "Value,Name,NumberEmployees,IsCustomer,C_BP_Group_ID\nZB1,One,many,maybe,Nix\n",
			want: `f.csv:2:NumberEmployees: "many" is not a number; write it with a point before the decimals and without thousands separators; and IsCustomer: "maybe" is `},
		{name: "a text of an existing record", file: "f.csv", content: "Value,Name\nStandard,\n", opts: transfer.ImportOptions{Key: []string{"Value"}}, want: "f.csv:2:Name: Name is mandatory, and the row has no value for it"},
		{name: "too long", file: "f.csv", content: "Value,Name\nZB1," + strings.Repeat("x", 121) + "\n", want: "f.csv:2:Name: the text has 121 characters, and Name takes 120"},
		{name: "not in the list", file: "f.csv", content: "Value,Name,PaymentRule\nZB1,One,Z\n", want: `f.csv:2:PaymentRule: the list _Payment Rule has no value "Z"; it has `},
		{name: "ambiguous reference", file: "f.csv", content: "Value,Name,C_BP_Group_ID\nZB1,One,Twice\n", want: `f.csv:2:C_BP_Group_ID: 2 records of C_BP_Group are called "Twice"`},
		{name: "dangling reference", file: "f.csv", content: "Value,Name,C_BP_Group_ID\nZB1,One,999999\n", want: `f.csv:2:C_BP_Group_ID: there is no record "999999" in C_BP_Group`},
		{name: "dangling UUID", file: "f.csv", content: "Value,Name,C_BP_Group_ID\nZB1,One,0f0e0d0c-0000-4000-8000-00000000000a\n", want: "f.csv:2:C_BP_Group_ID: no record of C_BP_Group"},
		{name: "no UUID", file: "f.csv", content: "uid,Value,Name\nx,ZB1,One\n", want: `f.csv:2:uid: "x" is not a UUID`},
		{name: "key twice in the file", file: "f.csv", content: "Value,Name\nStandard,Standard\nStandard,Other\n", opts: transfer.ImportOptions{Key: []string{"Value"}}, want: `f.csv:3:Value: the key "Standard" is in line 2, too`},
		{name: "key without a value", file: "f.csv", content: "Value,Name\n,One\n", opts: transfer.ImportOptions{Key: []string{"Value"}}, want: "f.csv:2:Value: the key Value has no value"},
		{name: "key of several records", file: "f.csv", content: "Name,UOMSymbol\nTwin,x\n", opts: transfer.ImportOptions{Table: "C_UOM", Key: []string{"Name"}}, want: `f.csv:2:Name: 2 records have the key "Twin"`},
		{name: "no record of that number", file: "f.csv", content: "id,Name\n99999999,One\n", opts: transfer.ImportOptions{Key: []string{"id"}}, want: "f.csv:2:id: there is no record 99999999"},
		{name: "column that does not change", file: "f.csv", content: "Value,SO_CreditUsed\nStandard,5\n", opts: transfer.ImportOptions{Key: []string{"Value"}}, want: "f.csv:2:SO_CreditUsed: SO_CreditUsed cannot be changed"},
		{name: "unknown member", file: "f.ndjson", content: `{"Value":"ZB1","Nmae":"One"}`, want: `f.ndjson:1:Nmae: C_BPartner has no column "Nmae"; did you mean "Name"?`},
		{name: "member twice", file: "f.ndjson", content: `{"Value":"ZB1","Name":"One","Name":"x"}`, want: `f.ndjson:1: the member "Name" is there twice`},
		{name: "column under two names", file: "f.ndjson", content: `{"Value":"ZB1","Name":"One","name":"x"}`, want: "f.ndjson:1:Name: Name has a value twice in the row"},
		{name: "list for a text", file: "f.ndjson", content: `{"Value":"ZB1","Name":["One"]}`, want: "f.ndjson:1:Name: it is an object or a list, and Name holds text"},
		{name: "NUL in JSON", file: "f.ndjson", content: `{"Value":"ZB1","Name":"a\u0000b"}`, want: "f.ndjson:1:Name: it holds a NUL byte"},
		{name: "what only the ERP knows", file: "f.csv", content: "Value,Name\nStandard,One\n", want: "f.csv:2: the ERP refuses it: Record already exists: Value"},
	}
	before := len(partners(t, client, "Standard", "Name"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := file(t, tt.file, tt.content)
			opts := tt.opts
			if opts.Table == "" {
				opts.Table = "C_BPartner"
			}
			opts.Journal = in.Path + ".import.json"
			result, err := transfer.Import(t.Context(), client, reg, in, opts)
			if err != nil {
				assert.Contains(t, err.Error(), tt.want)
			} else if assert.Len(t, result.Problems, 1) {
				assert.Contains(t, result.Problems[0].Error(), tt.want)
			}
			assert.Zero(t, result.Created+result.Updated)
			assert.NoFileExists(t, opts.Journal, "there is nothing to resume")
			assert.NoFileExists(t, opts.Journal+".lock")
		})
	}
	assert.Empty(t, partners(t, client, "ZB"))
	assert.Len(t, partners(t, client, "Standard", "Name"), before)

	t.Run("folder", func(t *testing.T) {
		in := transfer.File{Path: t.TempDir(), Format: transfer.CSV}
		_, err := transfer.Import(t.Context(), client, reg, in, transfer.ImportOptions{Table: "C_BPartner"})
		require.ErrorIs(t, err, transfer.ErrFile)
		require.ErrorContains(t, err, "it is a folder")
	})
	t.Run("not there", func(t *testing.T) {
		in := transfer.File{Path: filepath.Join(t.TempDir(), "none.csv"), Format: transfer.CSV}
		_, err := transfer.Import(t.Context(), client, reg, in, transfer.ImportOptions{Table: "C_BPartner"})
		require.ErrorIs(t, err, os.ErrNotExist)
	})
	t.Run("changed while it is read", func(t *testing.T) {
		in := file(t, "f.csv", "Value,Name\n"+strings.Repeat("Standard,x\n", 300))
		opts := transfer.ImportOptions{Table: "C_BPartner", BatchSize: 100}
		opts.Progress = func(transfer.Progress) {
			assert.NoError(t, os.WriteFile(in.Path, []byte("Value,Name\nother,content\n"), 0o600))
		}
		_, err := transfer.Import(t.Context(), client, reg, in, opts)
		require.ErrorContains(t, err, "f.csv was changed while it was imported")
	})
}
