package aitest

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// added are tables without a row that the ERP or tests write to.
var added = strings.Fields("AD_ChangeLog AD_PInstance AD_PInstance_Log AD_PInstance_Para AD_Session AD_User_OrgAccess AD_User_Substitute C_BankStatement C_InvoicePaySchedule GL_Journal M_Movement M_Replenish")

// Embedded starts the embedded ERP with the rows of the tests. Its dictionary lacks 600
// tables without rows: making them in PostgreSQL would take most of the time.
func Embedded(t testing.TB) *erptest.Server {
	t.Helper()
	srv := erptest.New(t)
	db := srv.Database()
	filled := tableNames(t, db)
	require.NoError(t, db.Close())
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		w := &writer{t: t, ctx: t.Context(), tx: tx}
		w.fewer(srv.EmptyTables())
		w.dictionary()
		w.permissions()
		w.spread()
		w.taint()
		return nil
	}, append(filled, added...)...))
	return srv
}

// fewer takes tables without rows out of the dictionary.
func (w *writer) fewer(tables []string) {
	for _, name := range tables {
		if !slices.Contains(added, name) {
			w.exec(`DELETE FROM AD_Table WHERE TableName=?`, name)
		}
	}
	w.exec(`DELETE FROM AD_Column WHERE AD_Table_ID NOT IN (SELECT AD_Table_ID FROM AD_Table)`)
}

// dictionary adds views, and tables without one or both of the columns that
// rows are filtered by.
func (w *writer) dictionary() {
	table, column := int64(FirstNewID), int64(FirstNewID)
	add := func(name, level, isView string, columns []string) {
		table++
		w.clone("AD_Table", "TableName='C_Order'", values{
			"AD_Table_ID": table, "TableName": name, "Name": name, "AccessLevel": level, "IsView": isView, "AD_Window_ID": nil,
		})
		for _, c := range columns {
			column++
			like := "AD_Table_ID=259 AND ColumnName='Description'"
			switch {
			case strings.HasSuffix(c, "_ID"):
				like = "AD_Table_ID=259 AND ColumnName='C_BPartner_ID'"
			case c == "GrandTotal" || c == "Total" || c == "PayAmt":
				like = "AD_Table_ID=259 AND ColumnName='GrandTotal'"
			case c == "Orders":
				like = "AD_Table_ID=259 AND ColumnName='GrandTotal'"
			case strings.HasPrefix(c, "Date"):
				like = "AD_Table_ID=259 AND ColumnName='DateOrdered'"
			}
			w.clone("AD_Column", like, values{"AD_Column_ID": column, "AD_Table_ID": table, "ColumnName": c, "Name": c, "IsKey": "N"})
		}
	}
	for _, name := range w.strings(`SELECT name FROM sqlite_schema WHERE type='view'`) { // empty ones, which databases beside do not get
		w.exec(`DROP VIEW "` + name + `"`)
	}
	for _, v := range views() {
		w.exec(`DELETE FROM AD_Column WHERE AD_Table_ID=(SELECT AD_Table_ID FROM AD_Table WHERE TableName=?)`, v.name)
		w.exec(`DELETE FROM AD_Table WHERE TableName=?`, v.name)
		add(v.name, "3", "Y", v.columns)
		w.exec(`CREATE VIEW "` + v.name + `" AS ` + v.query)
	}
	add("XX_Loose", "3", "N", []string{"AD_Client_ID", "Description"})
	w.exec(`CREATE TABLE "XX_Loose" ("AD_Client_ID" INTEGER NOT NULL, "Description" VARCHAR(255))`)
	w.exec(`INSERT INTO XX_Loose VALUES (11, 'ours'), (0, 'shared'), (1000000, '` + CanaryText + `loose')`)
	add("XX_Free", "3", "N", []string{"Description"})
	w.exec(`CREATE TABLE "XX_Free" ("Description" VARCHAR(255))`)
	w.exec(`INSERT INTO XX_Free VALUES ('` + CanaryText + `free')`)
	// In the database but not in the dictionary.
	w.exec(`CREATE TABLE "ZZ_Shadow" ("AD_Client_ID" INTEGER, "AD_Org_ID" INTEGER, "Name" VARCHAR(60))`)
	w.exec(`INSERT INTO ZZ_Shadow VALUES (11, 0, '` + CanaryText + `shadow')`)
	w.exec(`ALTER TABLE C_Order ADD COLUMN "ZZ_Shadow" VARCHAR(60)`)
	w.exec(`UPDATE C_Order SET ZZ_Shadow='` + CanaryText + `column'`)
	w.exec(`UPDATE AD_Column SET IsSecure='Y' WHERE ColumnName='DUNS'`)
	// What metadata tells of a column.
	w.exec(`UPDATE AD_Column SET Help='Who orders', ReadOnlyLogic='@DocStatus@=CO', AD_Process_ID=(SELECT MIN(AD_Process_ID) FROM AD_Process) WHERE AD_Table_ID=259 AND ColumnName='C_BPartner_ID'`)
	w.exec(`UPDATE AD_Field SET DisplayLogic='@IsSOTrx@=Y' WHERE AD_Column_ID=(SELECT AD_Column_ID FROM AD_Column WHERE AD_Table_ID=259 AND ColumnName='C_BPartner_ID')
		AND AD_Tab_ID IN (SELECT AD_Tab_ID FROM AD_Tab WHERE AD_Window_ID=143)`)
}

// permissions makes the roles and the users.
func (w *writer) permissions() {
	for id, name := range map[int]string{User: "AiUser", Stranger: "AiStranger", Gone: "AiGone", Standin: "AiStandin"} {
		w.clone("AD_User", "AD_User_ID=103", values{
			"AD_User_ID": id, "Name": name, "Value": name, "AD_Org_ID": 0, "C_BPartner_ID": nil, "IsActive": "Y", "Password": nil,
		})
	}
	w.exec(`UPDATE AD_User SET IsActive='N' WHERE AD_User_ID=?`, Gone)

	role := func(id int, name string, set values, holders ...int) {
		base := values{
			"AD_Role_ID": id, "Name": "AI " + name, "IsManual": "Y", "UserLevel": " CO", "IsAccessAllOrgs": "N", "IsUseUserOrgAccess": "N",
			"IsPersonalAccess": "N", "IsPersonalLock": "N", "AD_Tree_Org_ID": nil, "IsMasterRole": "N", "IsActive": "Y",
			"AD_Client_ID": Tenant, "MaxQueryRecords": 0,
		}
		maps.Copy(base, set)
		w.clone("AD_Role", "AD_Role_ID=103", base)
		for _, user := range holders {
			w.rule("AD_User_Roles", values{"AD_Client_ID": base["AD_Client_ID"], "AD_Role_ID": id, "AD_User_ID": user})
		}
	}
	orgs := func(id int, list ...int64) {
		for _, org := range list {
			w.rule("AD_Role_OrgAccess", values{"AD_Role_ID": id, "AD_Org_ID": org, "IsReadOnly": "N"})
		}
	}
	role(Reader, "Reader", nil, User, Gone)
	orgs(Reader, 11, 12, 50000, 50002, 50004)
	role(Whole, "Whole", values{"IsAccessAllOrgs": "Y", "IsPersonalAccess": "Y", "MaxQueryRecords": 7}, User, Stranger)
	role(Narrow, "Narrow", values{"IsAccessAllOrgs": "Y"}, User)
	role(Including, "Including", nil, User)
	role(Base, "Base", values{"IsMasterRole": "Y"}, User)
	orgs(Base, 12)
	role(ByUser, "ByUser", values{"IsUseUserOrgAccess": "Y"}, User)
	w.rule("AD_User_OrgAccess", values{"AD_User_ID": User, "AD_Org_ID": 50002, "IsReadOnly": "N"})
	role(Tree, "Tree", values{"AD_Tree_Org_ID": 101}, User)
	orgs(Tree, 50007)
	role(Inactive, "Inactive", values{"IsActive": "N", "IsAccessAllOrgs": "Y"}, User)
	role(NoOrg, "NoOrg", nil, User, Standin)
	role(Foreign, "Foreign", values{"AD_Client_ID": OtherTenant, "IsAccessAllOrgs": "Y"}, User)

	w.rule("AD_Role_Included", values{"AD_Role_ID": Including, "Included_Role_ID": Base, "SeqNo": 10})
	w.rule("AD_User_Substitute", values{
		"AD_User_Substitute_ID": FirstNewID, "Name": "holiday", "AD_User_ID": Stranger, "Substitute_ID": Standin,
		"ValidFrom": "2026-01-01 00:00:00", "ValidTo": nil,
	})
	role(2000011, "Org Seven", nil, Stranger) // what Standin gets by standing in
	orgs(2000011, 50006)

	table := func(role int, name, exclude, readOnly string) {
		w.rule("AD_Table_Access", values{
			"AD_Role_ID": role, "AD_Table_ID": w.tableID(name), "AccessTypeRule": "A", "IsExclude": exclude, "IsReadOnly": readOnly,
		})
	}
	table(Reader, "C_Payment", "Y", "N")
	table(Reader, "C_BankAccount", "Y", "Y") // may be read
	table(Base, "M_Product", "Y", "N")
	table(Narrow, "C_Order", "N", "N")
	table(Narrow, "C_BPartner", "N", "Y")

	column := func(role int, name, column, exclude, readOnly string) {
		w.rule("AD_Column_Access", values{
			"AD_Role_ID": role, "AD_Table_ID": w.tableID(name), "AD_Column_ID": w.columnID(name, column), "IsExclude": exclude, "IsReadOnly": readOnly,
		})
	}
	for _, c := range DroppedColumns() {
		column(Reader, c[0], c[1], "Y", "N")
	}
	column(Reader, "C_BPartner", "Description", "Y", "Y") // may be read
	column(Narrow, "C_BPartner", "C_BPartner_ID", "N", "N")
	column(Narrow, "C_BPartner", "Name", "N", "Y")

	record := func(role int, name string, id int, exclude, readOnly, dependent string) {
		w.rule("AD_Record_Access", values{
			"AD_Role_ID": role, "AD_Table_ID": w.tableID(name), "Record_ID": id, "IsExclude": exclude, "IsReadOnly": readOnly,
			"IsDependentEntities": dependent,
		})
	}
	record(Reader, "C_BPartner", HiddenPartner, "Y", "N", "Y")
	record(Reader, "AD_User", HiddenUser, "Y", "N", "Y")
	record(Reader, "M_Product", HiddenProduct, "Y", "N", "N")
	record(Reader, "M_Product", ReadOnlyRecord, "Y", "Y", "N")
	record(Narrow, "C_BPartner", 118, "N", "Y", "Y")
	record(Narrow, "C_BPartner", 119, "N", "N", "Y")

	w.rule("AD_Private_Access", values{"AD_User_ID": Locker, "AD_Table_ID": w.tableID("C_BPartner"), "Record_ID": LockedPartner})
	w.rule("AD_Private_Access", values{"AD_User_ID": User, "AD_Table_ID": w.tableID("C_BPartner"), "Record_ID": OwnLocked})

	w.rule("AD_TableValRule", values{
		"AD_TableValRule_UU": "00000000-0000-4000-8000-000000000001", "AD_Table_ID": w.tableID("C_Invoice"), "AD_Role_ID": Reader,
		"Code": "C_Invoice.DocStatus <> 'DR'",
	})
	w.rule("AD_TableValRule", values{
		"AD_TableValRule_UU": "00000000-0000-4000-8000-000000000002", "AD_Table_ID": w.tableID("C_Project"), "AD_Role_ID": Reader,
		"Code": "C_Project.SalesRep_ID = @#AD_User_ID@ OR C_Project.SalesRep_ID IS NULL",
	})
	w.exec(`UPDATE C_Project SET SalesRep_ID=? WHERE C_Project_ID=(SELECT MIN(C_Project_ID) FROM C_Project WHERE AD_Client_ID=11)`, User)
}

// spread puts the documents of the tenant into its organizations, visible and
// hidden ones alike.
func (w *writer) spread() {
	for _, s := range []struct{ table, key string }{
		{"C_Order", "C_Order_ID"}, {"C_OrderLine", "C_Order_ID"}, {"C_OrderTax", "C_Order_ID"},
		{"C_Invoice", "C_Invoice_ID"}, {"C_InvoiceLine", "C_Invoice_ID"}, {"C_InvoiceTax", "C_Invoice_ID"},
		{"M_InOut", "M_InOut_ID"}, {"M_InOutLine", "M_InOut_ID"}, {"C_Payment", "C_Payment_ID"},
	} {
		w.exec(fmt.Sprintf(`UPDATE %s SET AD_Org_ID=CASE %s %% 8 WHEN 0 THEN 11 WHEN 1 THEN 12 WHEN 2 THEN 50000 WHEN 3 THEN 50002
			WHEN 4 THEN 50004 WHEN 5 THEN 50001 WHEN 6 THEN 50005 ELSE 50006 END WHERE AD_Client_ID=11`, s.table, s.key))
	}
	w.exec(`UPDATE C_BPartner SET AD_Org_ID=50005 WHERE C_BPartner_ID IN (114, 119)`)
	w.exec(`UPDATE M_Product SET AD_Org_ID=50006 WHERE M_Product_ID IN (128, 136)`)
	w.exec(`UPDATE C_Invoice SET DocStatus='DR' WHERE C_Invoice_ID % 5 = 0`)
	w.exec(`UPDATE C_Order SET SalesRep_ID=105 WHERE C_Order_ID % 6 = 1`)
	w.exec(`UPDATE C_Order SET SalesRep_ID=101 WHERE C_Order_ID % 6 = 2`)
	w.exec(`UPDATE C_BPartner SET TaxID='T-' || Value, DUNS='1'`)
	w.exec(`UPDATE C_Order SET POReference='PO-' || DocumentNo, Description='order ' || DocumentNo`)
	w.exec(`UPDATE M_Product SET UPC='4' || M_Product_ID`)
	w.exec(`UPDATE AD_User SET Password='secret', EMailUserPW='secret', UserPIN='1234', Comments='about ' || Name`)
}

// taint puts canaries into everything Reader may not see.
func (w *writer) taint() {
	number, all := 0, w.allColumns()
	for _, name := range w.strings(`SELECT name FROM sqlite_master WHERE type='table' ORDER BY name`) {
		if strings.HasPrefix(name, "AD_") && name != "AD_User" && name != "AD_OrgInfo" {
			continue // the ERP itself runs on these
		}
		t := all[strings.ToLower(name)]
		f := t.facts(name)
		if f.level == "" || !f.has("AD_Client_ID") {
			continue
		}
		hidden := "NOT (" + f.visible() + ")"
		for _, c := range t.texts() {
			where := hidden
			switch {
			case isMasked(c):
				where = "1=1"
			case isDropped(name, c):
				where = "1=1"
			}
			number++
			// The length of the mark is what the shortest of these columns holds.
			w.exec(fmt.Sprintf(`UPDATE "%s" SET "%s"='%s' || printf('%%03d', %d) || CAST(rowid %% 1000 AS TEXT) WHERE %s`,
				name, c, CanaryText, number%1000, where))
		}
		for _, c := range t.amounts() {
			number++
			w.exec(fmt.Sprintf(`UPDATE "%s" SET "%s"='%s' || printf('%%03d', %d) || '.' || printf('%%02d', rowid %% 100) WHERE %s`,
				name, c, CanaryNumber, number%1000, hidden))
		}
	}
}

func isMasked(column string) bool {
	return slices.ContainsFunc(MaskedColumns(), func(m string) bool { return strings.EqualFold(m, column) })
}

func isDropped(table, column string) bool {
	for _, d := range DroppedColumns() {
		if strings.EqualFold(d[0], table) && strings.EqualFold(d[1], column) {
			return true
		}
	}
	return false
}

// tableColumns are the physical columns of a table with what the dictionary
// says of them.
type tableColumns struct {
	level   string // access level, "" when the dictionary does not know the table
	columns []tableColumn
}

type tableColumn struct {
	physical, name string // name as in the dictionary, "" when it does not know it
	kind, length   int    // AD_Reference_ID, FieldLength
	key            bool
}

// allColumns reads those of all tables, by lower-case name, at once: reading
// each table takes long.
func (w *writer) allColumns() map[string]*tableColumns {
	w.t.Helper()
	scan := func(query string, row func(*sql.Rows) error) {
		rows, err := w.tx.QueryContext(w.ctx, query)
		require.NoError(w.t, err)
		defer rows.Close()
		for rows.Next() {
			require.NoError(w.t, row(rows))
		}
		require.NoError(w.t, rows.Err())
	}
	tables := map[int64]string{}
	all := map[string]*tableColumns{}
	scan(`SELECT AD_Table_ID, lower(TableName), AccessLevel FROM AD_Table`, func(r *sql.Rows) error {
		var id int64
		var name, level string
		err := r.Scan(&id, &name, &level)
		tables[id] = name
		all[name] = &tableColumns{level: level}
		return err
	})
	known := map[string]tableColumn{} // by table.column
	scan(`SELECT AD_Table_ID, ColumnName, COALESCE(AD_Reference_ID, 0), COALESCE(FieldLength, 0) FROM AD_Column`, func(r *sql.Rows) error {
		var id int64
		var c tableColumn
		err := r.Scan(&id, &c.name, &c.kind, &c.length)
		known[tables[id]+"."+strings.ToLower(c.name)] = c
		return err
	})
	scan(`SELECT lower(m.name), p.name, p.pk > 0 FROM sqlite_master m CROSS JOIN pragma_table_info(m.name) p WHERE m.type='table' ORDER BY 1, p.cid`, func(r *sql.Rows) error {
		var table, physical string
		var key bool
		err := r.Scan(&table, &physical, &key)
		c := known[table+"."+strings.ToLower(physical)]
		c.physical, c.key = physical, key
		if all[table] == nil {
			all[table] = &tableColumns{}
		}
		all[table].columns = append(all[table].columns, c)
		return err
	})
	return all
}

func (t *tableColumns) facts(name string) facts {
	f := facts{name: name, level: t.level}
	for _, c := range t.columns {
		f.columns = append(f.columns, c.physical)
	}
	return f
}

// named are the dictionary's names of the columns that are so, sorted.
func (t *tableColumns) named(is func(tableColumn) bool) []string {
	var names []string
	for _, c := range t.columns {
		if c.name != "" && !c.key && is(c) {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return names
}

// texts are the columns of free text that hold a mark.
func (t *tableColumns) texts() []string {
	return t.named(func(c tableColumn) bool {
		return slices.Contains([]int{10, 14, 34, 36, 38, 39, 40}, c.kind) && (c.length >= 10 || c.length == 0) && c.name != "AD_Language" && c.name != "EntityType"
	})
}

// amounts are the columns of numbers with decimals.
func (t *tableColumns) amounts() []string {
	return t.named(func(c tableColumn) bool { return slices.Contains([]int{12, 22, 29, 37}, c.kind) })
}

// Leaks are the canaries in a text.
func Leaks(text string) []string {
	var found []string
	for _, mark := range []string{CanaryText, CanaryNumber} {
		for rest := text; ; {
			i := strings.Index(rest, mark)
			if i < 0 {
				break
			}
			found = append(found, rest[i:min(i+len(mark)+8, len(rest))])
			rest = rest[i+len(mark):]
		}
	}
	return found
}
