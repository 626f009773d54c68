package dict_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

// referenceFile opens a file of the reference texts, which are not part of the
// module.
func referenceFile(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "reference")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("the reference texts are not here (set ERPHUB_REFERENCE): %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Every display type of the reference's table is known under its name, with the
// Java type and the database types it names.
func TestDisplayTypesMatchTheReference(t *testing.T) {
	t.Parallel()
	f := referenceFile(t, "application-dictionary.md")
	row := regexp.MustCompile(`^\| (\d+) \| ([^|]+) \| (\w+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	count := 0
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		m := row.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		count++
		id, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		d := dict.DisplayType(id)
		name := strings.TrimSuffix(strings.TrimSpace(m[2]), " (inactive)")
		assert.True(t, d.Known(), m[1])
		assert.Equal(t, name, d.String())
		java, _, _ := strings.Cut(strings.TrimSpace(m[6]), " ")
		assert.Equal(t, java, d.JavaType(), name)
		for _, written := range []string{m[1], strings.TrimSpace(m[2]), m[3], strings.ToLower(m[3])} {
			parsed, ok := dict.ParseDisplayType(strings.TrimSuffix(written, " (inactive)"))
			assert.True(t, ok, written)
			assert.Equal(t, d, parsed, written)
		}
		for dialect, cell := range map[dict.Dialect]string{dict.PostgreSQL: m[4], dict.Oracle: m[5]} {
			cell = strings.TrimSpace(cell)
			got := d.SQLType(dialect, "Some_UU", 77)
			got = strings.ReplaceAll(got, "77", "n")
			switch {
			case cell == "id rule":
				assert.Equal(t, map[dict.Dialect]string{dict.PostgreSQL: "NUMERIC(10)", dict.Oracle: "NUMBER(10)"}[dialect],
					d.SQLType(dialect, "Some_ID", 22), name)
			case regexp.MustCompile(`^[A-Z0-9 ()nCHAR]+$`).MatchString(cell):
				assert.Equal(t, cell, got, "%s on %s", name, dialect)
			}
		}
	}
	require.NoError(t, s.Err())
	assert.Equal(t, 52, count, "rows of the reference's table")
}

func TestSQLType(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		typ        dict.DisplayType
		column     string
		length     int
		postgres   string
		oracle     string
		unknownToo bool
	}{
		{"entity type is always text", dict.TypeTable, "EntityType", 40, "VARCHAR(40)", "VARCHAR2(40 CHAR)", false},
		{"language is always text", dict.TypeTable, "AD_Language", 6, "VARCHAR(6)", "VARCHAR2(6 CHAR)", false},
		{"id by suffix", dict.TypeTable, "C_BPartner_ID", 22, "NUMERIC(10)", "NUMBER(10)", false},
		{"id to", dict.TypeTable, "AD_User_ID_To", 22, "NUMERIC(10)", "NUMBER(10)", false},
		{"created by", dict.TypeTable, "CreatedBy", 10, "NUMERIC(10)", "NUMBER(10)", false},
		{"account", dict.TypeAccount, "C_Receivable_Acct", 10, "NUMERIC(10)", "NUMBER(10)", false},
		{"short key without suffix", dict.TypeTable, "Country", 2, "CHAR(2)", "CHAR(2)", false},
		{"long key without suffix", dict.TypeTable, "Country", 4, "VARCHAR(4)", "VARCHAR2(4 CHAR)", false},
		{"text unlimited", dict.TypeText, "Help", 0, "TEXT", "CLOB", false},
		{"text large", dict.TypeText, "Help", 4000, "TEXT", "CLOB", false},
		{"text limited", dict.TypeText, "Help", 2000, "VARCHAR(2000)", "VARCHAR2(2000 CHAR)", false},
		{"list of one character", dict.TypeList, "Status", 1, "CHAR(1)", "CHAR(1)", false},
		{"list of more", dict.TypeList, "Status", 2, "VARCHAR(2)", "VARCHAR2(2 CHAR)", false},
		{"button with a record", dict.TypeButton, "C_ProjectType_ID", 22, "NUMERIC(10)", "NUMBER(10)", false},
		{"button", dict.TypeButton, "DocAction", 2, "CHAR(2)", "CHAR(2)", false},
		{"image data", dict.TypeImage, "BinaryData", 0, "BYTEA", "BLOB", false},
		{"image", dict.TypeImage, "AD_Image_ID", 10, "NUMERIC(10)", "NUMBER(10)", false},
		{"uuid", dict.TypeUUID, "XX_Foo_UU", 36, "UUID", "VARCHAR2(36)", false},
		{"json", dict.TypeJSON, "Data", 0, "JSONB", "CLOB", false},
		{"custom", dict.DisplayType(1_000_007), "Data", 33, "VARCHAR(33)", "VARCHAR2(33 CHAR)", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.postgres, tt.typ.SQLType(dict.PostgreSQL, tt.column, tt.length))
			assert.Equal(t, tt.oracle, tt.typ.SQLType(dict.Oracle, tt.column, tt.length))
			assert.Equal(t, !tt.unknownToo, tt.typ.Known())
		})
	}
}

func TestTargetTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		column dict.Column
		want   string
		ok     bool
	}{
		{"direct", dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir}, "C_BPartner", true},
		{"direct by UUID", dict.Column{Name: "C_BPartner_UU", Type: dict.TypeTableDirUU}, "C_BPartner", true},
		{"search", dict.Column{Name: "M_Product_ID", Type: dict.TypeSearch}, "M_Product", true},
		{"search with reference", dict.Column{Name: "SalesRep_ID", Type: dict.TypeSearch,
			Reference: dict.ExistingReference("AD_User - SalesRep", 190, "AD_User")}, "AD_User", true},
		{"table", dict.Column{Name: "CreatedBy", Type: dict.TypeTable,
			Reference: dict.ExistingReference("AD_User", 110, "AD_User")}, "AD_User", true},
		{"reference only the ERP knows", dict.Column{Name: "Bill_ID", Type: dict.TypeTable,
			Reference: dict.ExistingReference("C_BPartner (Trx)", 0, "")}, "", true},
		{"view of all users", dict.Column{Name: "AD_AllUsers_V_ID", Type: dict.TypeTableDir}, "AD_User", true},
		{"locator", dict.Column{Name: "M_Locator_ID", Type: dict.TypeLocator}, "M_Locator", true},
		{"attribute set instance", dict.Column{Name: "M_AttributeSetInstance_ID", Type: dict.TypePAttribute}, "M_AttributeSetInstance", true},
		{"button", dict.Column{Name: "C_ProjectType_ID", Type: dict.TypeButton}, "C_ProjectType", true},
		{"other button", dict.Column{Name: "C_Order_ID", Type: dict.TypeButton}, "", false},
		{"string", dict.Column{Name: "C_Order_ID", Type: dict.TypeString}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := tt.column.TargetTable()
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.ok, ok)
		})
	}
}

func TestParseDisplayType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]dict.DisplayType{
		"string": dict.TypeString, "Table Direct": dict.TypeTableDir, "yes-no": dict.TypeYesNo, "date+time": dict.TypeDateTime,
		"19": dict.TypeTableDir, " 10 ": dict.TypeString, "1000007": 1_000_007,
		"": 0, "41": 0, "-1": 0, "varchar": 0, "'; --": 0, "99999999999": 0,
	} {
		got, ok := dict.ParseDisplayType(text)
		assert.Equal(t, want != 0, ok, "%q", text)
		if ok {
			assert.Equal(t, want, got, "%q", text)
		}
	}
}
