package seed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// uniqueKeys are unique keys the ERP's database has on its own tables beside
// primary keys and UUIDs.
var uniqueKeys = map[string][]string{
	"AD_EntityType":      {"EntityType"},
	"AD_Message":         {"Value"},
	"AD_Process":         {"Value"},
	"AD_Role":            {"AD_Client_ID", "Name"},
	"C_BP_Group":         {"AD_Client_ID", "Value"},
	"C_BPartner":         {"AD_Client_ID", "Value"},
	"C_Currency":         {"ISO_Code"},
	"C_DocType":          {"AD_Client_ID", "Name"},
	"C_ElementValue":     {"C_Element_ID", "Value"},
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

// indexKeys lets a record be found by its unique key without reading all, and so
// what every request looks up: sequences and configuration keys. The indexes are
// not unique themselves: the key is checked before a record is saved,
// with words of the ERP, and a database of long ago may repeat one.
func indexKeys(ctx context.Context, tx *store.Tx) error {
	for _, table := range slices.Sorted(maps.Keys(uniqueKeys)) {
		key := uniqueKeys[table]
		quoted := make([]string, len(key))
		for i, column := range key {
			quoted[i] = store.Quote(column)
		}
		slices.Reverse(quoted) // the column that tells records apart first
		_, err := tx.Exec(ctx, "CREATE INDEX IF NOT EXISTS "+store.Quote(table+"__key")+" ON "+store.Quote(table)+" ("+strings.Join(quoted, ", ")+")")
		if err != nil {
			return fmt.Errorf("indexing the key of %s: %w", table, err)
		}
	}
	for _, statement := range []string{
		`CREATE INDEX IF NOT EXISTS "AD_Sequence__key" ON "AD_Sequence" ("Name" COLLATE NOCASE)`,
		`CREATE INDEX IF NOT EXISTS "AD_SysConfig__key" ON "AD_SysConfig" ("Name")`,
		`CREATE INDEX IF NOT EXISTS "AD_Table__key" ON "AD_Table" ("TableName" COLLATE NOCASE)`,
		`CREATE INDEX IF NOT EXISTS "AD_Element__key" ON "AD_Element" ("ColumnName" COLLATE NOCASE)`,
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("indexing: %w", err)
		}
	}
	return nil
}
