package main

import (
	"context"

	"github.com/erphub/erphub/internal/lazyregexp"

	"github.com/erphub/erphub/erp/erptest"
)

var modelTable = lazyregexp.New(`\bTable_Name\s*=\s*"(\w+)"`)
var modelColumn = lazyregexp.New(`\bCOLUMNNAME_\w+\s*=\s*"(\w+)"`)

// addTables adds tables of model interfaces with their columns, and reports whether
// there are any.
func addTables(tables map[string]bool, sources []string) (found bool) {
	for _, java := range sources {
		if name := modelTable().FindStringSubmatch(java); name != nil {
			tables[name[1]], found = true, true
			for _, column := range modelColumn().FindAllStringSubmatch(java, -1) {
				tables[name[1]+within+column[1]] = true
			}
		}
	}
	return found
}

// embeddedTables are the same of the embedded ERP's dictionary.
func embeddedTables(ctx context.Context) (map[string]bool, error) {
	srv, err := erptest.Open(ctx, erptest.Options{})
	if err != nil {
		return nil, err
	}
	defer srv.Close()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT TableName, ColumnName FROM AD_Table JOIN AD_Column USING (AD_Table_ID)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	tables := map[string]bool{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		tables[table], tables[table+within+column] = true, true
	}
	return tables, rows.Err()
}
