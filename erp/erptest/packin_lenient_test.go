package erptest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// What archives of other programs and releases have and the ERP takes.
func TestImportForeignForms(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	head := `<AD_Client_ID>0</AD_Client_ID><AD_Org_ID>0</AD_Org_ID><IsActive>true</IsActive>`
	entity := `<AD_EntityType type="table">` + head + `<AD_EntityType_UU>` + uuidA + `</AD_EntityType_UU><EntityType>ZZ</EntityType>` +
		`<Name>Zed</Name><Processing>%s</Processing></AD_EntityType>`

	t.Run("true and false for a button that is a boolean", func(t *testing.T) {
		for text, want := range map[string]string{"true": "Y", "false": "N", "": "N"} {
			r := importXML(t, w, fmt.Sprintf(entity, text))
			require.False(t, r.failed, r.summary)
			assert.Len(t, rows(t, w, "AD_EntityType", "EntityType eq 'ZZ' and Processing eq '"+want+"'"), 1, "%q", text)
		}
	})
	t.Run("an index with a column of the ERP that is not here", func(t *testing.T) {
		r := importXML(t, w, `<AD_TableIndex type="table">`+head+`<AD_TableIndex_UU>`+uuidA+`</AD_TableIndex_UU><AD_Table_ID reference="id" reference-key="AD_Table">394</AD_Table_ID>`+
			`<Name>xx_greeting</Name><IsUnique>N</IsUnique><EntityType>U</EntityType><AD_IndexColumn type="table">`+head+`<AD_IndexColumn_UU>`+uuidB+`</AD_IndexColumn_UU>`+
			`<AD_TableIndex_ID reference="uuid" reference-key="AD_TableIndex">`+uuidA+`</AD_TableIndex_ID><AD_Column_ID reference="id" reference-key="AD_Column">999998</AD_Column_ID>`+
			`<SeqNo>10</SeqNo><EntityType>U</EntityType></AD_IndexColumn></AD_TableIndex>`)
		require.False(t, r.failed, r.summary)
		assert.Contains(t, strings.Join(r.logs, "\n"), "Skipped xx_greeting: the index has a column that the embedded ERP does not have")
	})
	t.Run("a value that the dictionary wants and the database does not", func(t *testing.T) {
		r := importXML(t, w, `<AD_PrintFormatItem type="table">`+head+
			`<AD_PrintFormatItem_UU>`+uuidB+`</AD_PrintFormatItem_UU><AD_PrintFormat_ID reference="id" reference-key="AD_PrintFormat">124</AD_PrintFormat_ID>`+
			`<Name>Active</Name><PrintFormatType>F</PrintFormatType><MaxHeight>0</MaxHeight><MaxWidth>0</MaxWidth><XPosition>0</XPosition>`+
			`<YPosition>0</YPosition><XSpace>0</XSpace><YSpace>0</YSpace><SortNo>0</SortNo><FieldAlignmentType>L</FieldAlignmentType>`+
			`<LineAlignmentType>X</LineAlignmentType></AD_PrintFormatItem>`)
		require.False(t, r.failed, r.summary)
		assert.Len(t, rows(t, w, "AD_PrintFormatItem", "AD_PrintFormatItem_UU eq '"+uuidB+"'"), 1)
	})
	t.Run("blanks around UUIDs", func(t *testing.T) {
		r := importXML(t, w, `<AD_Reference type="table">`+head+`<AD_Reference_UU>`+uuidA+`</AD_Reference_UU><Name>XX Kind</Name><ValidationType>L</ValidationType>`+
			`<EntityType>U</EntityType></AD_Reference><AD_Ref_List type="table">`+head+`<AD_Ref_List_UU>`+uuidB+`</AD_Ref_List_UU>`+
			"<AD_Reference_ID reference=\"uuid\" reference-key=\"AD_Reference\">"+uuidA+"\n\t</AD_Reference_ID><Value>A</Value><Name>One</Name><EntityType>U</EntityType></AD_Ref_List>")
		require.False(t, r.failed, r.summary)
		assert.Len(t, rows(t, w, "AD_Ref_List", "AD_Ref_List_UU eq '"+uuidB+"'"), 1)
	})
	t.Run("another UUID of a reference's table", func(t *testing.T) {
		user := rows(t, w, "AD_Ref_Table", "AD_Reference_ID eq 110")
		require.Len(t, user, 1)
		r := importXML(t, w, `<AD_Ref_Table type="table">`+head+`<AD_Ref_Table_UU>`+uuidC+`</AD_Ref_Table_UU><AD_Reference_ID reference="id" reference-key="AD_Reference">110</AD_Reference_ID>`+
			`<WhereClause>AD_User.IsActive='Y'</WhereClause><EntityType>U</EntityType></AD_Ref_Table>`)
		require.False(t, r.failed, r.summary)
		after := rows(t, w, "AD_Ref_Table", "AD_Reference_ID eq 110")
		require.Len(t, after, 1)
		assert.Equal(t, uuidC, after[0].(map[string]any)["uid"])
		assert.Equal(t, user[0].(map[string]any)["AD_Table_ID"], after[0].(map[string]any)["AD_Table_ID"], "what is left out is kept")
	})
	t.Run("a value of a list, and a field, whose UUIDs nobody knows here", func(t *testing.T) {
		value := rows(t, w, "AD_Ref_List", "AD_Ref_List_ID ge 700001 and AD_Ref_List_ID le 720000")[0].(map[string]any)
		field := rows(t, w, "AD_Field", "AD_Field_ID ge 800001 and AD_Field_ID lt 1000000")[0].(map[string]any)
		id := func(row map[string]any, column string) any { return row[column].(map[string]any)["id"] }
		r := importXML(t, w, fmt.Sprintf(`<AD_Ref_List type="table">`+head+`<AD_Ref_List_UU>`+uuidD+`</AD_Ref_List_UU>`+
			`<AD_Reference_ID reference="id" reference-key="AD_Reference">%v</AD_Reference_ID><Value>%v</Value><Name>XX Renamed</Name><EntityType>U</EntityType></AD_Ref_List>`+
			`<AD_Field type="table">`+head+`<AD_Field_UU>`+uuidD+`</AD_Field_UU><AD_Tab_ID reference="id" reference-key="AD_Tab">%v</AD_Tab_ID>`+
			`<AD_Column_ID reference="id" reference-key="AD_Column">%v</AD_Column_ID><Name>XX Field</Name><IsCentrallyMaintained>false</IsCentrallyMaintained><EntityType>U</EntityType></AD_Field>`,
			id(value, "AD_Reference_ID"), value["Value"], id(field, "AD_Tab_ID"), id(field, "AD_Column_ID")))
		require.False(t, r.failed, r.summary)
		for table, was := range map[string]map[string]any{"AD_Ref_List": value, "AD_Field": field} {
			after := rows(t, w, table, table+"_UU eq '"+uuidD+"'")
			require.Len(t, after, 1)
			assert.Equal(t, was["id"], after[0].(map[string]any)["id"], "the same record of %s", table)
		}
	})
	t.Run("a workflow that names its first node", func(t *testing.T) {
		r := importXML(t, w, `<AD_Workflow type="table">`+head+`<AD_Workflow_UU>`+uuidA+`</AD_Workflow_UU><Value>XX_Flow</Value><Name>Flow</Name><AccessLevel>7</AccessLevel>`+
			`<EntityType>U</EntityType><AD_WF_Node_ID reference="uuid" reference-key="AD_WF_Node">`+uuidB+`</AD_WF_Node_ID>`+
			`<AD_WF_Node type="table">`+head+`<AD_WF_Node_UU>`+uuidB+`</AD_WF_Node_UU><AD_Workflow_ID reference="uuid" reference-key="AD_Workflow">`+uuidA+`</AD_Workflow_ID>`+
			`<Value>start</Value><Name>Start</Name><Action>Z</Action><EntityType>U</EntityType></AD_WF_Node></AD_Workflow>`)
		require.False(t, r.failed, r.summary)
		flow := rows(t, w, "AD_Workflow", "AD_Workflow_UU eq '"+uuidA+"'")[0].(map[string]any)
		node := rows(t, w, "AD_WF_Node", "AD_WF_Node_UU eq '"+uuidB+"'")[0].(map[string]any)
		assert.Equal(t, node["id"], flow["AD_WF_Node_ID"].(map[string]any)["id"])
	})
	t.Run("a column without its table", func(t *testing.T) {
		r := importXML(t, w, `<AD_Column type="table">`+head+`<AD_Column_UU>`+uuidC+`</AD_Column_UU><ColumnName>XX_Alone</ColumnName><Name>x</Name><EntityType>U</EntityType></AD_Column>`)
		require.True(t, r.failed)
		assert.NotContains(t, r.summary, "official id")
	})
	t.Run("folders of a program for zips", func(t *testing.T) {
		r := importZip(t, w, zipOf(t, [2]string{"p/dict/PackOut.xml", packHead + "</idempiere>"}, [2]string{"__MACOSX/p/._dict", "x"}), "")
		require.False(t, r.failed, r.summary)
	})
}

// References by official id to records that only the embedded ERP lacks do not
// stop an archive; those by UUID do.
func TestImportLackingRecords(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	process := `<AD_Process type="table"><AD_Process_UU>` + uuidA + `</AD_Process_UU><Value>XX_Run</Value><Name>Run</Name><AccessLevel>7</AccessLevel><EntityType>U</EntityType>` +
		`<AD_PrintFormat_ID reference="id" reference-key="AD_PrintFormat">899999</AD_PrintFormat_ID></AD_Process>`
	list := `<AD_Ref_List type="table"><AD_Ref_List_UU>` + uuidB + `</AD_Ref_List_UU><AD_Reference_ID reference="id" reference-key="AD_Reference">899999</AD_Reference_ID>` +
		`<Value>A</Value><Name>One</Name><EntityType>U</EntityType></AD_Ref_List>`
	r := importXML(t, w, process+list)
	require.False(t, r.failed, r.summary)
	logs := strings.Join(r.logs, "\n")
	assert.Contains(t, logs, "New AD_Process XX_Run (line 1): left empty: AD_PrintFormat_ID refers to AD_PrintFormat 899999, which is not there")
	assert.Contains(t, logs, "Skipped AD_Ref_List One (line 1): AD_Reference_ID refers to AD_Reference 899999, which is not there")
	assert.Contains(t, r.summary, "1 new, 0 updated, 0 unchanged, 1 skipped; 2 lack records of the ERP that the embedded one does not have")
	assert.Len(t, rows(t, w, "AD_Process", "AD_Process_UU eq '"+uuidA+"'"), 1)
	assert.Empty(t, rows(t, w, "AD_Ref_List", "AD_Ref_List_UU eq '"+uuidB+"'"))

	r = importXML(t, w, strings.Replace(list, `"id" reference-key="AD_Reference">899999`, `"uuid" reference-key="AD_Reference">`+uuidC, 1))
	require.True(t, r.failed)
	assert.Contains(t, r.summary, "AD_Reference_ID refers to AD_Reference "+uuidC)
}

const step = `<%s type="custom"><DBType>%s</DBType><statement>%s</statement></%[1]s>`

// Steps in SQL: those that are understood run, the others are passed over or, if
// they are mandatory, stop the archive.
func TestImportSQL(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asSystem)
	before := fmt.Sprintf(message, uuidA, "XX_One", "text") + fmt.Sprintf(message, uuidB, "XX_Two", "text")
	tests := []struct{ name, kind, db, sql, want string }{
		{"update", "SQLMandatory", "ALL", "UPDATE AD_Message SET MsgText=chr(64)||'it''s'||chr(64), Updated=SYSDATE WHERE Value='XX_One' /* one */;", "Execute SQLMandatory ALL (line 1): UPDATE AD_Message: 1 rows"},
		{"other database", "SQLMandatory", "Oracle", "UPDATE AD_Message SET MsgText='x'", "Skipped SQLMandatory Oracle (line 1): the step is for another database"},
		{"Postgres", "SQLMandatory", "Postgres", "update ad_message set msgtip=null where ad_message_uu in ('" + uuidA + "') and not (isactive &lt;&gt; 'Y' or msgtype is null)", "Execute SQLMandatory Postgres (line 1): UPDATE ad_message: 1 rows"},
		{"function for Postgres", "SQLMandatory", "Postgres", "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$", "Skipped SQLMandatory Postgres (line 1): not run: the embedded ERP does not understand it"},
		{"subquery", "SQLStatement", "ALL", "UPDATE AD_Column SET EntityType='U' WHERE AD_Table_ID IN (SELECT AD_Table_ID FROM AD_Table WHERE TableName='AD_Message') AND ColumnName='Value'", "UPDATE AD_Column: 1 rows"},
		{"insert", "SQLStatement", "ALL", "INSERT INTO AD_Message (Value,MsgText,MsgType,EntityType,AD_Client_ID,AD_Org_ID,Created) VALUES ('XX_Sql1','a','I','U',0,0,NOW()),('XX_Sql2','b','I','U',0,0,NOW())", "INSERT AD_Message: 2 rows"},
		{"delete", "SQLStatement", "ALL", "DELETE FROM AD_Message WHERE Value IN ('XX_Two','XX_None')", "DELETE AD_Message: 1 rows"},
		{"foreign key", "SQLMandatory", "ALL", "ALTER TABLE ad_message ADD CONSTRAINT x FOREIGN KEY (ad_org_id) REFERENCES ad_org(ad_org_id) DEFERRABLE INITIALLY DEFERRED; COMMIT", "keeps foreign keys without declarations"},
		{"a failing one is passed over", "SQLStatement", "ALL", "DELETE FROM XX_Nowhere", "not run: there is no table XX_Nowhere"},
		{"no table of the dictionary", "SQLStatement", "ALL", "DELETE FROM sqlite_master", "not run: there is no table sqlite_master"},
		{"passwords", "SQLStatement", "ALL", "UPDATE AD_User SET Password='x'", "not run: column AD_User.Password is protected"},
		{"passwords in conditions", "SQLStatement", "ALL", "UPDATE AD_User SET Description='x' WHERE Password &gt; 'a'", "not run: column AD_User.Password is protected"},
		{"keys", "SQLStatement", "ALL", "UPDATE AD_Message SET AD_Message_ID=5", "not run: column AD_Message_ID is never changed"},
		{"two statements", "SQLStatement", "ALL", "DELETE FROM AD_Message; DROP TABLE AD_User", "not run: the embedded ERP does not understand it (DROP is not understood)"},
		{"value that does not fit", "SQLStatement", "ALL", "UPDATE AD_Message SET IsActive='maybe'", "not run: column IsActive cannot hold text maybe"},
		{"reference to nothing", "SQLStatement", "ALL", "UPDATE AD_Message SET EntityType='NOPE' WHERE Value='XX_One'", "not run: EntityType refers to a record NOPE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := importXML(t, &writes{t, w.srv, w.token}, before+fmt.Sprintf(step, tt.kind, tt.db, tt.sql))
			require.False(t, r.failed, r.summary)
			assert.Contains(t, r.logs[len(r.logs)-1], tt.want)
		})
	}
	one := rows(t, w, "AD_Message", "Value eq 'XX_One'")[0].(map[string]any)
	assert.Equal(t, "text", one["MsgText"], "the archive brings it again")
	assert.Len(t, rows(t, w, "AD_Message", "startswith(Value,'XX_Sql')"), 2)

	for sql, want := range map[string]string{
		"":                       "the SQL step has no statement",
		"DROP TABLE AD_User":     "the SQL step is mandatory and cannot be run: the embedded ERP does not understand it (DROP is not understood)",
		"DELETE FROM XX_Nowhere": "the SQL step is mandatory and cannot be run: there is no table XX_Nowhere",
		"DELETE FROM AD_EntityType WHERE EntityType='D'": "the SQL step is mandatory and cannot be run: ",
	} {
		r := importXML(t, w, fmt.Sprintf(step, "SQLMandatory", "ALL", sql))
		require.True(t, r.failed, sql)
		assert.Contains(t, r.summary, want)
	}
}

// A tenant's steps do not reach beyond its rows.
func TestImportSQLOfTenant(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	system, garden, fern := writeAs(t, srv, asSystem), writeAs(t, srv, asGardenAdmin), writeAs(t, srv, asFernAdmin)
	run := func(sql string) string {
		r := importZip(t, garden, zipOf(t, [2]string{"p/dict/PackOut.xml", strings.Replace(packHead, "0-SYSTEM-System", "11-x-y", 1) +
			fmt.Sprintf(step, "SQLStatement", "ALL", sql) + "</idempiere>"}), "")
		require.False(t, r.failed, r.summary)
		return r.logs[0]
	}
	count := func(w *writes, table, filter string) int { return len(rows(t, w, table, filter)) }
	groups := count(garden, "C_BP_Group", "AD_Client_ID eq 11")
	assert.Contains(t, run("UPDATE C_BP_Group SET Description='reached'"), fmt.Sprintf("UPDATE C_BP_Group: %d rows", groups))
	assert.Zero(t, count(fern, "C_BP_Group", "Description eq 'reached'"))
	assert.Equal(t, groups, count(garden, "C_BP_Group", "Description eq 'reached'"))
	assert.Contains(t, run("UPDATE AD_Column SET IsUpdateable='Y' WHERE AD_Column_ID IN (827, 836)"), "UPDATE AD_Column: 0 rows")
	assert.Contains(t, run("DELETE FROM AD_Message"), "DELETE AD_Message: 0 rows")
	assert.NotZero(t, count(system, "AD_Message", "IsActive eq true"))
	assert.Contains(t, run("UPDATE C_BP_Group SET AD_Client_ID=1000000"), "never changed")
	assert.Contains(t, run("INSERT INTO C_BP_Group (Value,Name,AD_Client_ID) VALUES ('x','x',0)"), "not run: ")
	assert.Contains(t, run("UPDATE C_BP_Group SET Description='seen' WHERE C_BP_Group_ID IN (SELECT C_BP_Group_ID FROM C_BPartner WHERE AD_Client_ID &lt;&gt; 11)"),
		"UPDATE C_BP_Group: 0 rows")
}
