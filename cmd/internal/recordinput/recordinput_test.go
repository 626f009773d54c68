package recordinput_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/recordinput"
)

func TestPairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, empty, binary := filepath.Join(dir, "help.txt"), filepath.Join(dir, "empty"), filepath.Join(dir, "binary")
	for name, text := range map[string]string{file: "first\nsecond\r\n", empty: "", binary: "\xff\x00"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	tests := []struct {
		name string
		args []string
		want string // JSON; empty: an error
	}{
		{"text stays text", []string{"Value=007", "Name=true", "SO_CreditLimit=1.50"}, `{"Name":"true","SO_CreditLimit":"1.50","Value":"007"}`},
		{"an equals sign in the value", []string{"Help=a=b:=c"}, `{"Help":"a=b:=c"}`},
		{"context variables are text", []string{"DefaultValue=@#AD_Org_ID@"}, `{"DefaultValue":"@#AD_Org_ID@"}`},
		{"cleared", []string{"Description=", "C_BP_Group_ID=", "V_Liability_Acct="}, `{"C_BP_Group_ID":-1,"Description":null,"V_Liability_Acct":-1}`},
		{"JSON", []string{`Line:=10`, `C_BPartner_ID:={"identifier":"Joe"}`, `Amt:=12345678901234567890.12`}, `{"Amt":12345678901234567890.12,"C_BPartner_ID":{"identifier":"Joe"},"Line":10}`},
		{"a file", []string{"Help@=" + file, "Name=x"}, `{"Help":"first\nsecond","Name":"x"}`},
		{"an empty file clears", []string{"Help@=" + empty}, `{"Help":null}`},
		{"standard input", []string{"Help@=-"}, `{"Help":"from in"}`},
		{"no such file", []string{"Help@=" + file + "x"}, ""},
		{"a file that is not text", []string{"Help@=" + binary}, ""},
		{"no name of a file", []string{"@=" + file}, ""},
		{"none", nil, `{}`},
		{"no value", []string{"Name"}, ""},
		{"no name", []string{"=x"}, ""},
		{"no name of JSON", []string{":=1"}, ""},
		{"twice", []string{"Name=a", "Name=b"}, ""},
		{"bad JSON", []string{"Line:=ten"}, ""},
		{"two JSON values", []string{"Line:=1 2"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := recordinput.Pairs(tt.args, strings.NewReader("from in\n"))
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			text, err := json.Marshal(got)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(text))
		})
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"Name":"from file","Line":10}`+"\n"), 0o600))
	tests := []struct {
		name, data string
		pairs      []string
		in         string
		want       string // JSON; empty: an error
	}{
		{"text", `{"Name":"x"}`, nil, "", `{"Name":"x"}`},
		{"file", "@" + file, nil, "", `{"Line":10,"Name":"from file"}`},
		{"stream", "-", nil, `{"Name":"s"}`, `{"Name":"s"}`},
		{"pairs win", "@" + file, []string{"Name=y"}, "", `{"Line":10,"Name":"y"}`},
		{"data and a value of a stream", `{"Name":"x"}`, []string{"Help@=-"}, "long\n", `{"Help":"long","Name":"x"}`},
		{"the stream twice", "-", []string{"Help@=-"}, `{"Name":"s"}`, ""},
		{"a text like a stream", "", []string{"Help@=-", "Description=a@=-"}, "long", `{"Description":"a@=-","Help":"long"}`},
		{"the stream twice, as a file", "@-", []string{"Help@=-"}, `{"Name":"s"}`, ""},
		{"the stream for two values", "", []string{"Help@=-", "Description@=-"}, "long", ""},
		{"nothing", "", nil, "", ""},
		{"empty object", "{}", nil, "", ""},
		{"a list", `[{"Name":"x"}]`, nil, "", ""},
		{"null", `null`, nil, "", ""},
		{"empty stream", "-", nil, "", ""},
		{"no such file", "@" + file + ".none", nil, "", ""},
		{"more than one", `{"a":1}{"b":2}`, nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := recordinput.Values(tt.data, tt.pairs, strings.NewReader(tt.in))
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			text, err := json.Marshal(got)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(text))
		})
	}
}
