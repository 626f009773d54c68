package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// order is a record as the ERP's wire reference shows them.
const order = `{"id":1000022,"uid":"5b0c9d4e-6c1f-4a52-9f3e-1d2a7c8b9e01",
 "DocumentNo":"SO,\"9\"","GrandTotal":12345678901234567890.10,"IsSOTrx":true,
 "C_BPartner_ID":{"propertyLabel":"Business Partner","id":118,"identifier":"Joe\nBlock","model-name":"c_bpartner"},
 "DocStatus":{"propertyLabel":"Status","id":"CO","identifier":"Completed","model-name":"ad_ref_list"},
 "AD_User_ID":{"id":101,"Name":"Ann","model-name":"ad_user"},
 "C_OrderLine":[ {"Line":10} ],"Note":null,"model-name":"c_order"}`

func TestCSV(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		columns []string
		names   bool
		want    string
	}{
		{"keys", []string{"id", "DocumentNo", "GrandTotal", "IsSOTrx", "C_BPartner_ID", "DocStatus"}, false,
			"id,DocumentNo,GrandTotal,IsSOTrx,C_BPartner_ID,DocStatus\n1000022,\"SO,\"\"9\"\"\",12345678901234567890.10,true,118,CO\n"},
		{"names", []string{"C_BPartner_ID", "DocStatus"}, true, "C_BPartner_ID,DocStatus\n\"Joe\nBlock\",Completed\n"},
		{"nothing", []string{"Note", "None"}, false, "Note,None\n,\n"},
		{"one empty cell is no empty line", []string{"Note"}, false, "Note\n\"\"\n"},
		{"expanded", []string{"C_OrderLine", "AD_User_ID"}, false,
			"C_OrderLine,AD_User_ID\n\"[{\"\"Line\"\":10}]\",\"{\"\"id\"\":101,\"\"Name\"\":\"\"Ann\"\",\"\"model-name\"\":\"\"ad_user\"\"}\"\n"},
		{"another case", []string{"documentno"}, false, "documentno\n\"SO,\"\"9\"\"\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			n, err := (&Choice{Format: FormatCSV}).WriteRecords(t.Context(), &out, Screen{}, recordsOf(order), &RecordOptions{Columns: tt.columns, Names: tt.names})
			require.NoError(t, err)
			assert.Equal(t, 1, n)
			assert.Equal(t, tt.want, out.String())
		})
	}
}

// What a file leaves out is said once per column.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	var got []string
	_, err := (&Choice{Format: FormatCSV}).WriteRecords(t.Context(), io.Discard, Screen{}, recordsOf(`{"id":1,"A":1}`, `{"id":2,"A":1,"B":2}`, `{"id":3,"B":2}`),
		&RecordOptions{Columns: []string{"ID", "a"}, Unlisted: func(c string) { got = append(got, c) }})
	require.NoError(t, err)
	assert.Equal(t, []string{"B"}, got)
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	n, err := (&Choice{Format: FormatNDJSON}).WriteRecords(t.Context(), &out, Screen{}, recordsOf(order, `{ "id": 2 }`), &RecordOptions{})
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], `"GrandTotal":12345678901234567890.10`)
	assert.Equal(t, `{"id":2}`, lines[1])

	for _, texts := range [][]string{nil, {order}, {order, `{"id":2}`}} {
		out.Reset()
		_, err := (&Choice{Format: FormatJSON}).WriteRecords(t.Context(), &out, Screen{}, recordsOf(texts...), &RecordOptions{})
		require.NoError(t, err)
		var got struct {
			Records []map[string]any `json:"records"`
			Count   *int             `json:"count"`
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &got), out.String())
		assert.Len(t, got.Records, len(texts))
		assert.NotNil(t, got.Records)
		assert.Equal(t, len(texts), *got.Count)
	}
}

// What came before an error is written, whole lines only, and one JSON value
// does not look complete.
func TestErrorInBetween(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection broken")
	source := func(yield func(erp.Record, error) bool) {
		rec, _ := erp.ParseRecord([]byte(`{"id":1}`))
		if yield(rec, nil) {
			yield(erp.Record{}, broken)
		}
	}
	for _, format := range []Format{FormatCSV, FormatNDJSON, FormatJSON} {
		var out bytes.Buffer
		n, err := (&Choice{Format: format}).WriteRecords(t.Context(), &out, Screen{}, source, &RecordOptions{Columns: []string{"id"}})
		require.ErrorIs(t, err, broken)
		assert.Equal(t, 1, n)
		assert.Contains(t, out.String(), "1")
		if format == FormatJSON {
			assert.False(t, json.Valid(out.Bytes()))
		} else {
			assert.True(t, strings.HasSuffix(out.String(), "\n"))
		}
	}
}

// A reader that goes away ends the reading.
func TestWriterFails(t *testing.T) {
	t.Parallel()
	read := 0
	source := func(yield func(erp.Record, error) bool) {
		for {
			read++
			rec, _ := erp.ParseRecord([]byte(`{"id":1}`))
			if !yield(rec, nil) {
				return
			}
		}
	}
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	_, err := (&Choice{Format: FormatNDJSON}).WriteRecords(t.Context(), w, Screen{}, source, &RecordOptions{})
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.LessOrEqual(t, read, 200)
}

// countingWriter counts what reaches the file.
type countingWriter struct{ writes int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return len(p), nil
}

// Lines reach the file a hundred at a time, or when there are 64 KiB of them.
func TestLinesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{FormatCSV, FormatJSON, FormatNDJSON} {
		var w countingWriter
		n, err := (&Choice{Format: format}).WriteRecords(t.Context(), &w, Screen{}, recordsOf(slices.Repeat([]string{order}, 1000)...),
			&RecordOptions{Columns: []string{"id", "DocumentNo"}})
		require.NoError(t, err)
		assert.Equal(t, 1000, n)
		assert.LessOrEqual(t, w.writes, 25, format)
	}
}

// A CSV reader gets back what was in the records.
func FuzzCSV(f *testing.F) {
	f.Add("plain")
	f.Add("=1+1")
	f.Add("a\"b,c\nd")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		var want string
		require.NoError(t, json.Unmarshal(quoted, &want))
		rec := `{"id":1,"Name":` + string(quoted) + `}`
		for _, columns := range [][]string{{"Name"}, {"id", "Name"}} {
			var out bytes.Buffer
			_, err = (&Choice{Format: FormatCSV}).WriteRecords(t.Context(), &out, Screen{}, recordsOf(rec), &RecordOptions{Columns: columns})
			require.NoError(t, err)
			rows, err := csv.NewReader(&out).ReadAll()
			require.NoError(t, err)
			require.Len(t, rows, 2)
			// encoding/csv reads \r\n inside quotes as \n.
			assert.Equal(t, strings.ReplaceAll(want, "\r\n", "\n"), rows[1][len(columns)-1])
		}
	})
}
