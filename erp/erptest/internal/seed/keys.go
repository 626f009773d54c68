package seed

import (
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// uniqueKeys are unique keys the ERP's database has on its own tables beside
// primary keys and UUIDs.
var uniqueKeys = map[string][]string{
	"AD_EntityType":      {"EntityType"},
	"AD_Field":           {"AD_Tab_ID", "AD_Column_ID"},
	"AD_Message":         {"Value"},
	"AD_Process":         {"Value"},
	"AD_Ref_List":        {"AD_Reference_ID", "Value"},
	"AD_Role":            {"AD_Client_ID", "Name"},
	"C_BP_Group":         {"AD_Client_ID", "Value"},
	"C_BPartner":         {"AD_Client_ID", "Value"},
	"C_Currency":         {"ISO_Code"},
	"C_DocType":          {"AD_Client_ID", "Name"},
	"C_ElementValue":     {"C_Element_ID", "Value"},
	"C_Order":            {"DocumentNo", "C_DocType_ID", "C_BPartner_ID"},
	"C_PaymentTerm":      {"AD_Client_ID", "Value"},
	"C_Project":          {"AD_Client_ID", "Value"},
	"M_PriceList":        {"AD_Client_ID", "Name"},
	"M_Product":          {"AD_Client_ID", "Value"},
	"M_Product_Category": {"AD_Client_ID", "Value"},
	"M_Warehouse":        {"AD_Client_ID", "Name"},
}

// UniqueKey is the unique key the ERP's database has on one of its own tables
// beside the primary key and the UUID, by the table's name in any case; nil for
// none.
func UniqueKey(table string) []string {
	if key, ok := uniqueKeys[table]; ok {
		return key
	}
	for name, key := range uniqueKeys {
		if strings.EqualFold(name, table) {
			return key
		}
	}
	return nil
}

// keyIndexes let a record be found by its unique key without reading all, and so
// what every request looks up: sequences and configuration keys. The indexes are
// not unique themselves: the key is checked before a record is saved,
// with words of the ERP.
func keyIndexes() []index {
	var out []index
	for _, table := range slices.Sorted(maps.Keys(uniqueKeys)) {
		columns := slices.Clone(uniqueKeys[table])
		slices.Reverse(columns) // the column that tells records apart first
		out = append(out, index{name: table + "__key", table: table, columns: columns})
	}
	return append(out,
		index{name: "AD_Sequence__key", table: "AD_Sequence", columns: []string{"Name"}, noCase: true},
		index{name: "AD_SysConfig__key", table: "AD_SysConfig", columns: []string{"Name"}},
		index{name: "AD_Table__key", table: "AD_Table", columns: []string{"TableName"}, noCase: true},
		index{name: "AD_Element__key", table: "AD_Element", columns: []string{"ColumnName"}, noCase: true},
	)
}

// index is one of the indexes by which the server finds records without reading
// all.
type index struct {
	name, table string
	columns     []string
	noCase      bool
}

func (x index) statement() string {
	quoted := make([]string, len(x.columns))
	for i, c := range x.columns {
		quoted[i] = sqlquote.Name(c)
		if x.noCase {
			quoted[i] += " COLLATE NOCASE"
		}
	}
	return "CREATE INDEX " + sqlquote.Name(x.name) + " ON " + sqlquote.Name(x.table) + " (" + strings.Join(quoted, ", ") + ")"
}

// indexesOf are the indexes of a table beside those of keys and UUIDs. Those of
// parents are for tables with rows of the demo or of the dictionary: a table
// without a key column has its parents in the primary key.
func indexesOf(t *store.Table) []index {
	var out []index
	if t.KeyColumn() != nil {
		for _, c := range t.Columns {
			if c.Parent && !c.IsVirtual() {
				out = append(out, index{name: t.Name + "_" + c.Name, table: t.Name, columns: []string{c.Name}})
			}
		}
	}
	return append(out, slices.DeleteFunc(keyIndexes(), func(x index) bool { return x.table != t.Name })...)
}
