package ddl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
)

// The statements of the reference on migration scripts for a column that gets
// longer and mandatory.
func TestChangeColumnOfTheReference(t *testing.T) {
	t.Parallel()
	column := dict.PhysicalColumn{Name: "XX_Remark", Type: dict.TypeString, Length: 400, Mandatory: true, Default: "-"}
	all := ddl.Change{Type: true, Default: true, Nullable: true}
	assert.Equal(t, []string{
		"INSERT INTO t_alter_column values('c_bpartner','XX_Remark','VARCHAR(400)',null,'-')",
		"UPDATE C_BPartner SET XX_Remark='-' WHERE XX_Remark IS NULL",
		"INSERT INTO t_alter_column values('c_bpartner','XX_Remark',null,'NOT NULL',null)",
	}, ddl.ChangeColumn("C_BPartner", column, all, dict.PostgreSQL))
	assert.Equal(t, []string{
		"ALTER TABLE C_BPartner MODIFY XX_Remark VARCHAR2(400 CHAR) DEFAULT '-'",
		"UPDATE C_BPartner SET XX_Remark='-' WHERE XX_Remark IS NULL",
		"ALTER TABLE C_BPartner MODIFY XX_Remark NOT NULL",
	}, ddl.ChangeColumn("C_BPartner", column, all, dict.Oracle))
}

func TestChangeColumn(t *testing.T) {
	t.Parallel()
	text := dict.PhysicalColumn{Name: "Action", Type: dict.TypeString, Length: 5}
	assert.Empty(t, ddl.ChangeColumn("T", text, ddl.Change{}, dict.PostgreSQL))
	assert.Equal(t, []string{"INSERT INTO t_alter_column values('t','Action',null,null,'NULL')"},
		ddl.ChangeColumn("T", text, ddl.Change{Default: true}, dict.PostgreSQL), "no default")
	assert.Equal(t, []string{"ALTER TABLE T MODIFY Action DEFAULT NULL"}, ddl.ChangeColumn("T", text, ddl.Change{Default: true}, dict.Oracle))
	assert.Equal(t, []string{"INSERT INTO t_alter_column values('t','Action',null,'NULL',null)"},
		ddl.ChangeColumn("T", text, ddl.Change{Nullable: true}, dict.PostgreSQL), "it becomes optional")
	text.Mandatory = true
	assert.Equal(t, []string{"ALTER TABLE T MODIFY Action NOT NULL"}, ddl.ChangeColumn("T", text, ddl.Change{Nullable: true}, dict.Oracle),
		"without a default there is nothing to fill with")
	text.Default = "it's (x)"
	assert.Equal(t, []string{
		"INSERT INTO t_alter_column values('t','Action',null,null,'''it''''s (x)''')",
		`UPDATE T SET "action"='it''s (x)' WHERE "action" IS NULL`,
		"INSERT INTO t_alter_column values('t','Action',null,'NOT NULL',null)",
	}, ddl.ChangeColumn("T", text, ddl.Change{Default: true, Nullable: true}, dict.PostgreSQL), "with brackets the literal comes whole")
}

// Two tables are pointed at by their code: the ERP's own scripts have these.
func TestForeignKeysToCodes(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{"AD_Language": "ad_language(ad_language)", "AD_EntityType": "ad_entitytype(entitytype)", "C_Order": "c_order(c_order_id)"} {
		text, ok := ddl.AddForeignKey("XX_T", dict.PhysicalColumn{Name: "C", Foreign: &dict.ForeignKey{Name: "C_XXT", Table: target, Column: target + "_ID"}}, dict.Oracle)
		assert.True(t, ok)
		assert.Contains(t, text, "REFERENCES "+want+" DEFERRABLE")
	}
	assert.Equal(t, "ALTER TABLE T DROP CONSTRAINT X", ddl.DropForeignKey("T", "X", dict.Oracle))
	assert.Equal(t, "ALTER TABLE T DROP CONSTRAINT IF EXISTS X", ddl.DropForeignKey("T", "X", dict.PostgreSQL))
}

// What the dictionary holds is not always what a database may be told.
func TestHostileDefaults(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"0; DROP TABLE AD_Table": "", "1) --": "", "SYSDATE": "getDate()", "-1.5": "-1.5", "+3": "+3", "now()": "now()", "_own()": "_own()", "_1": "_1", "1a": "", "x y": "", "1e5": "",
		"'5'": "'5'", "'5' || pg_sleep(9)": "", "''": "''", "'": "", "--1": "", "0x10": "",
	} {
		assert.Equal(t, want, ddl.Default(dict.PhysicalColumn{Type: dict.TypeAmount, Default: value}, dict.PostgreSQL), value)
	}
	for value, want := range map[string]string{"it's": "'it''s'", "it''s": "'it''s'", "'": "''''", "x'; DROP TABLE T; --": "'x''; DROP TABLE T; --'", "'a'": "'a'", "'a'b'": "'''a''b'''"} {
		assert.Equal(t, want, ddl.Default(dict.PhysicalColumn{Type: dict.TypeString, Default: value}, dict.PostgreSQL), value)
	}
}
