package records

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// Parameters that a process does not have, or cannot do without, are found
// before anything runs.
func TestCheckParams(t *testing.T) {
	t.Parallel()
	p := &erp.Process{Slug: "trial", Parameters: []erp.ProcessParameter{
		{Parameter: "C_BPartner_ID", IsMandatory: true},
		{Parameter: "DateAcct", IsRange: true},
		{Parameter: "Mode", IsMandatory: true, Default: "A"},
	}}
	tests := []struct {
		name   string
		values map[string]any
		want   string // part of the error; empty: none
	}{
		{"enough", map[string]any{"C_BPartner_ID": "118"}, ""},
		{"another case, and a range", map[string]any{"c_bpartner_id": "118", "dateacct_to": "2026-01-31"}, ""},
		{"missing", map[string]any{"DateAcct": "2026-01-01"}, "cannot do without C_BPartner_ID"},
		{"mistyped", map[string]any{"C_BPartnr_ID": "118"}, `did you mean "C_BPartner_ID"`},
		{"end of what is no range", map[string]any{"C_BPartner_ID": "118", "Mode_to": "B"}, `no parameter "Mode_to"`},
		{"a control member", map[string]any{"C_BPartner_ID": "118", "record-id": 5}, `no parameter "record-id"`},
		{"twice", map[string]any{"C_BPartner_ID": "118", "c_bpartner_id": "119"}, "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := checkedParams(p, tt.values)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want)
				assert.Equal(t, shell.ExitUsage, shell.ExitCode(err))
				return
			}
			require.NoError(t, err)
			assert.Contains(t, tt.values, "C_BPartner_ID", "the spelling of the dictionary")
		})
	}
}

// The name of a report's file is the server's; it never leads out of the folder.
func TestSaveFileStaysInTheFolder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../../evil", `..\..\evil`, "/etc/evil", "a/b/evil", "evil"} {
		dir := t.TempDir()
		got, err := (&app{&shell.Shell{}}).saveFile(dir, &erp.ProcessResult{ExportFileName: name, ExportFile: erp.FileData("x")})
		require.NoError(t, err, name)
		assert.Equal(t, dir+"/evil", got, name)
	}
	for _, name := range []string{"..", "/", ".bashrc", "a\nb", ".", ""} {
		_, err := (&app{&shell.Shell{}}).saveFile(t.TempDir(), &erp.ProcessResult{ExportFileName: name, ExportFile: erp.FileData("x")})
		require.Error(t, err, name)
	}
}

// Nobody's choice of columns shows the key, what people know a record by, and of a
// document whose it is, when, how far and how much.
func TestInteresting(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		record  string
		columns []string
		more    int
	}{
		"a name": {`{"id":1,"uid":"u","AD_Client_ID":{"id":11},"IsActive":true,"Help":"h","Name":"n","Value":"v","A":1,"B":2,"C":3}`,
			[]string{"id", "Value", "Name", "Help", "A", "B"}, 4},
		"a document": {`{"id":1,"DocumentNo":"80","C_DocType_ID":{"id":2},"DocStatus":{"id":"CO"},"Description":"d","GrandTotal":3,"DateOrdered":"2026-08-01","C_BPartner_ID":{"id":4}}`,
			[]string{"id", "DocumentNo", "C_BPartner_ID", "DateOrdered", "DocStatus", "GrandTotal"}, 2},
		"a line": {`{"id":1,"C_Order_ID":{"id":2},"Line":10,"LineNetAmt":5,"M_Product_ID":{"id":3},"QtyEntered":2,"PriceEntered":1}`,
			[]string{"id", "Line", "M_Product_ID", "QtyEntered", "LineNetAmt", "C_Order_ID"}, 1},
	} {
		rec, err := erp.ParseRecord([]byte(tt.record))
		require.NoError(t, err, name)
		columns, more := interesting([]erp.Record{rec}, output.FormatVertical)
		assert.Equal(t, tt.columns, columns, name)
		assert.Equal(t, tt.more, more, name)
	}
	columns, _ := interesting(nil, output.FormatTable)
	assert.Equal(t, []string{"uid"}, columns)
}
