package app

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// Only a clear yes deletes.
func TestConfirm(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, typed string
		want        bool
	}{
		{"yes", "yes\n", true}, {"y", "Y\n", true}, {"without line end", "y", true},
		{"no", "n\n", false}, {"return", "\n", false}, {"end of input", "", false}, {"something else", "yess\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked bytes.Buffer
			a := &app{streams: Streams{In: strings.NewReader(tt.typed), Err: &asked}}
			got, err := a.confirm(t.Context(), "Delete C_BPartner 118 \x1b[2J?")
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.NotContains(t, asked.String(), "\x1b")
		})
	}
}

// Text for a terminal is cleaned however it is cut into pieces.
func TestPrintableWriter(t *testing.T) {
	t.Parallel()
	const text = "Größe €5 \x1b[31mred\u009b0m 木\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := &printableWriter{to: &out}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			written, err := w.Write(rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		assert.Equal(t, "Größe €5 \uFFFD[31mred\uFFFD0m 木\n", out.String(), "in pieces of %d", size)
		assert.True(t, utf8.Valid(out.Bytes()))
	}
}

// The words of the server that name a column it does not know.
func TestNoColumn(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		"Nmae is not a valid column of table C_BPartner": "Nmae",
		"Invalid column for filter: Nmae":                "Nmae",
		"Column Nmae does not exist":                     "Nmae",
		"Invalid date":                                   "",
		"Foreign ID 999 not found in C_BPartner_ID":      "",
	} {
		got := ""
		if m := noColumn.FindStringSubmatch(detail); m != nil {
			got = m[1] + m[2]
		}
		assert.Equal(t, want, got, detail)
	}
}

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
				assert.Equal(t, exitUsage, exitCode(err))
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
		got, err := (&app{}).saveFile(dir, &erp.ProcessResult{ExportFileName: name, ExportFile: erp.FileData("x")})
		require.NoError(t, err, name)
		assert.Equal(t, dir+"/evil", got, name)
	}
	for _, name := range []string{"..", "/", ".bashrc", "a\nb", ".", ""} {
		_, err := (&app{}).saveFile(t.TempDir(), &erp.ProcessResult{ExportFileName: name, ExportFile: erp.FileData("x")})
		require.Error(t, err, name)
	}
}

// Nobody's choice of columns shows the key and what people know a record by.
func TestInteresting(t *testing.T) {
	t.Parallel()
	rec, err := erp.ParseRecord([]byte(`{"id":1,"uid":"u","AD_Client_ID":{"id":11},"IsActive":true,"Help":"h","Name":"n","Value":"v","A":1,"B":2,"C":3}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"id", "Value", "Name", "Help", "A", "B"}, interesting([]erp.Record{rec}))
	assert.Equal(t, []string{"uid"}, interesting(nil))
}
