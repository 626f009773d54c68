package ddl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
)

func plan(t *testing.T, tables ...dict.Table) *dict.Plan {
	t.Helper()
	p, err := dict.NewPlan(nil, tables...)
	require.NoError(t, err)
	return p
}

// The example of the reference on migration scripts: its table has the seven
// standard columns, key, UUID and name, with the options its text shows.
func TestCreateTableOfTheReference(t *testing.T) {
	t.Parallel()
	table := &dict.Physical{Table: "XX_Tag", Columns: []dict.PhysicalColumn{
		{Name: "AD_Client_ID", Type: dict.TypeTableDir, Length: 10, Mandatory: true, Default: "@#AD_Client_ID@"},
		{Name: "AD_Org_ID", Type: dict.TypeTableDir, Length: 10, Mandatory: true, Default: "@AD_Org_ID@"},
		{Name: "Created", Type: dict.TypeDateTime, Length: 7, Mandatory: true},
		{Name: "CreatedBy", Type: dict.TypeSearch, Length: 10, Mandatory: true},
		{Name: "IsActive", Type: dict.TypeYesNo, Length: 1, Mandatory: true, Default: "Y"},
		{Name: "Name", Type: dict.TypeString, Length: 60, Mandatory: true},
		{Name: "Updated", Type: dict.TypeDateTime, Length: 7, Mandatory: true},
		{Name: "UpdatedBy", Type: dict.TypeSearch, Length: 10, Mandatory: true},
		{Name: "XX_Tag_ID", Type: dict.TypeID, Length: 22, Mandatory: true, Key: true},
		{Name: "XX_Tag_UU", Type: dict.TypeUUID, Length: 36, UUID: true},
	}}
	assert.Equal(t, "CREATE TABLE XX_Tag (AD_Client_ID NUMERIC(10) NOT NULL, AD_Org_ID NUMERIC(10) NOT NULL, Created TIMESTAMP NOT NULL, "+
		"CreatedBy NUMERIC(10) NOT NULL, IsActive CHAR(1) DEFAULT 'Y' CHECK (IsActive IN ('Y','N')) NOT NULL, Name VARCHAR(60) NOT NULL, "+
		"Updated TIMESTAMP NOT NULL, UpdatedBy NUMERIC(10) NOT NULL, XX_Tag_ID NUMERIC(10) NOT NULL, XX_Tag_UU UUID DEFAULT NULL, "+
		"CONSTRAINT XX_Tag_Key PRIMARY KEY (XX_Tag_ID), CONSTRAINT XX_Tag_UU_idx UNIQUE (XX_Tag_UU))",
		ddl.CreateTable(table, dict.PostgreSQL, ddl.Script))
	oracle := ddl.CreateTable(table, dict.Oracle, ddl.Script)
	for _, part := range []string{"AD_Client_ID NUMBER(10) NOT NULL", "Created DATE NOT NULL", "Name VARCHAR2(60 CHAR) NOT NULL", "XX_Tag_UU VARCHAR2(36) DEFAULT NULL"} {
		assert.Contains(t, oracle, part)
	}
	assert.Contains(t, ddl.CreateTable(table, dict.PostgreSQL, ddl.Native),
		"IsActive CHAR(1) NOT NULL CHECK (IsActive IN ('Y','N')) DEFAULT 'Y'")
}

func TestForeignKeyOfTheReference(t *testing.T) {
	t.Parallel()
	column := dict.PhysicalColumn{Name: "AD_Client_ID", Foreign: &dict.ForeignKey{
		Name: "ADClient_XXTag", Table: "AD_Client", Column: "AD_Client_ID", Rule: dict.FKNoAction}}
	text, ok := ddl.AddForeignKey("XX_Tag", column, dict.PostgreSQL)
	require.True(t, ok)
	assert.Equal(t, "ALTER TABLE XX_Tag ADD CONSTRAINT ADClient_XXTag FOREIGN KEY (AD_Client_ID) REFERENCES ad_client(ad_client_id) DEFERRABLE INITIALLY DEFERRED", text)
	for rule, want := range map[dict.FKRule]string{
		dict.FKCascade: " ON DELETE CASCADE DEFERRABLE", dict.FKSetNull: " ON DELETE SET NULL DEFERRABLE", dict.FKModelCascade: ") DEFERRABLE"} {
		column.Foreign.Rule = rule
		text, _ := ddl.AddForeignKey("XX_Tag", column, dict.PostgreSQL)
		assert.Contains(t, text, want)
	}
	column.Foreign.Rule = dict.FKNone
	_, ok = ddl.AddForeignKey("XX_Tag", column, dict.PostgreSQL)
	assert.False(t, ok)
}

func TestAddColumnOfTheReference(t *testing.T) {
	t.Parallel()
	column := dict.PhysicalColumn{Name: "XX_Remark", Type: dict.TypeString, Length: 255}
	assert.Equal(t, []string{"ALTER TABLE C_BPartner ADD COLUMN XX_Remark VARCHAR(255) DEFAULT NULL"},
		ddl.AddColumn("C_BPartner", column, dict.PostgreSQL, ddl.Script))
	assert.Equal(t, []string{"ALTER TABLE C_BPartner ADD XX_Remark VARCHAR2(255 CHAR) DEFAULT NULL"},
		ddl.AddColumn("C_BPartner", column, dict.Oracle, ddl.Script))
	assert.Equal(t, []string{"ALTER TABLE T ADD COLUMN T_UU UUID DEFAULT NULL", "ALTER TABLE T ADD CONSTRAINT T_UU_idx UNIQUE (T_UU)"},
		ddl.AddColumn("T", dict.PhysicalColumn{Name: "T_UU", Type: dict.TypeUUID, UUID: true}, dict.PostgreSQL, ddl.Script))
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		column           dict.PhysicalColumn
		postgres, oracle string
	}{
		{"date", dict.PhysicalColumn{Type: dict.TypeDateTime, Default: "SYSDATE"}, "getDate()", "SYSDATE"},
		{"list", dict.PhysicalColumn{Type: dict.TypeList, Default: "DR"}, "'DR'", "'DR'"},
		{"list in quotes", dict.PhysicalColumn{Type: dict.TypeList, Default: "'DR'"}, "'DR'", "'DR'"},
		{"button", dict.PhysicalColumn{Name: "DocAction", Type: dict.TypeButton, Default: "CO"}, "'CO'", "'CO'"},
		{"button of a record", dict.PhysicalColumn{Name: "X_ID", Type: dict.TypeButton, Default: "0"}, "0", "0"},
		{"number", dict.PhysicalColumn{Type: dict.TypeAmount, Default: "1.5"}, "1.5", "1.5"},
		{"no id", dict.PhysicalColumn{Type: dict.TypeTableDir, Default: "-1"}, "", ""},
		{"minus one", dict.PhysicalColumn{Type: dict.TypeInteger, Default: "-1"}, "-1", "-1"},
		{"of the program", dict.PhysicalColumn{Type: dict.TypeString, Default: "@Name@"}, "", ""},
		{"language", dict.PhysicalColumn{Name: "AD_Language", Type: dict.TypeTable, Default: "en_US"}, "'en_US'", "'en_US'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.postgres, ddl.Default(tt.column, dict.PostgreSQL))
			assert.Equal(t, tt.oracle, ddl.Default(tt.column, dict.Oracle))
		})
	}
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	name := "XX_" + strings.Repeat("a", 57)
	text := ddl.CreateTable(&dict.Physical{Table: name, Columns: []dict.PhysicalColumn{
		{Name: name + "_ID", Type: dict.TypeID, Key: true, Mandatory: true},
		{Name: name + "_UU", Type: dict.TypeUUID, UUID: true},
		{Name: "Data", Type: dict.TypeJSON},
	}}, dict.Oracle, ddl.Native)
	assert.Contains(t, text, "CONSTRAINT "+name[:59]+"_Key PRIMARY KEY")
	assert.Contains(t, text, "CONSTRAINT "+name[:58]+"uuidx UNIQUE")
	assert.Contains(t, text, "_isjson CHECK (Data IS JSON)")
	for word := range strings.FieldsSeq(text) {
		assert.LessOrEqual(t, len(strings.Trim(word, "(),")), 63)
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("XX_Demo").With(dict.Standard).
		Column(
			dict.Column{Name: "Action", Type: dict.TypeString, Length: 10},
			dict.Column{Name: "Partner_ID", Type: dict.TypeTable, Reference: dict.ExistingReference("C_BPartner\n(Trx)", 0, "")},
			dict.Column{Name: "Code", Type: dict.TypeString, Length: 10, Unique: true}).
		Index(dict.Index{Name: "XX_Demo_Action", Columns: []string{"Action", "Code"}})
	p := plan(t, table)
	got, err := ddl.Statements(p, dict.PostgreSQL, nil)
	require.NoError(t, err)
	var about []string
	for _, s := range got {
		about = append(about, s.About)
	}
	assert.Equal(t, []string{"table XX_Demo", "foreign key ADClient_XXDemo", "foreign key ADOrg_XXDemo", "foreign key CreatedBy_XXDemo",
		"foreign key Partner_XXDemo", "foreign key UpdatedBy_XXDemo", "index XX_Demo_Action", "index XX_Demo_Code_key"}, about)
	assert.Contains(t, got[0].Text, `"action" VARCHAR(10) DEFAULT NULL`)
	assert.True(t, got[4].Comment)
	assert.Equal(t, `CREATE INDEX XX_Demo_Action ON XX_Demo ("action",Code)`, got[6].Text)
	assert.Equal(t, "ALTER TABLE XX_Demo ADD CONSTRAINT XX_Demo_Code_key UNIQUE (Code)", got[7].Text)

	got, err = ddl.Statements(p, dict.Oracle, &ddl.Options{Resolve: func(reference string) (string, string, bool) {
		return "C_BPartner", "C_BPartner_ID", strings.HasPrefix(reference, "C_BPartner")
	}})
	require.NoError(t, err)
	assert.Contains(t, got[4].Text, "REFERENCES c_bpartner(c_bpartner_id)")

	files, err := ddl.Files(p, dict.PostgreSQL, nil)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		for line := range strings.Lines(f.Content) {
			assert.NotContains(t, strings.TrimSuffix(line, "\n"), "\n")
		}
	}
	assert.Equal(t, []string{"01_table_XX_Demo.sql", "02_foreign_keys.sql", "03_indexes.sql"}, names)
	_, err = ddl.Statements(p, "mysql", nil)
	require.Error(t, err)
}
