package restdict

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// schema tells which columns the server's tables have, and their display types:
// requesting a column that a release does not have is an error. Keys are in
// lower case.
type schema map[string]map[string]dict.DisplayType

// columns is the schema, read once.
func (s *Source) columns(ctx context.Context, tables []registry.SourceTable) (schema, error) {
	s.mu.Lock()
	has := s.schema
	s.mu.Unlock()
	if has != nil {
		return has, nil
	}
	has, err := s.readSchema(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		own, ok := has[strings.ToLower(t.Name)]
		for _, c := range t.Columns {
			if _, there := own[strings.ToLower(c.Name)]; ok && !there && !c.Optional {
				return nil, fmt.Errorf("the table %s of the server has no column %s; is this the ERP, and does the role see it?", t.Name, c.Name)
			}
		}
	}
	s.mu.Lock()
	s.schema = has
	s.mu.Unlock()
	return has, nil
}

func (s *Source) forget() {
	s.mu.Lock()
	s.schema = nil
	s.mu.Unlock()
}

// readSchema requests the columns of all tables that a cache may want.
func (s *Source) readSchema(ctx context.Context) (schema, error) {
	var names, ids []string
	for _, t := range registry.SourceTables() {
		names = append(names, t.Name)
	}
	has := schema{}
	byID := map[int64]string{}
	tables := erp.Query{Select: []string{"TableName"}, Filter: erp.In("TableName", names...)}
	err := s.all(ctx, "AD_Table", "AD_Table_ID", tables, func(r erp.Record) {
		id, ok := r.ID().Int()
		name, _ := r.Text("TableName")
		if name = strings.ToLower(name); ok && name != "" {
			has[name] = map[string]dict.DisplayType{}
			byID[id] = name
			ids = append(ids, r.ID().String())
		}
	})
	if err != nil {
		return nil, fmt.Errorf("look for the tables of the dictionary: %w", err)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("look for the tables of the dictionary: the server shows none of them; may the role read AD_Table?")
	}
	columns := erp.Query{
		Select: []string{"AD_Table_ID", "ColumnName", "AD_Reference_ID"},
		Filter: erp.Raw("AD_Table_ID in (" + strings.Join(ids, ",") + ")"),
	}
	err = s.all(ctx, "AD_Column", "AD_Column_ID", columns, func(r erp.Record) {
		table, _ := r.Ref("AD_Table_ID")
		kind, _ := r.Ref("AD_Reference_ID")
		id, _ := table.ID.Int()
		display, _ := kind.ID.Int()
		if own := has[byID[id]]; own != nil {
			name, _ := r.Text("ColumnName")
			own[strings.ToLower(name)] = dict.DisplayType(display)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("look for the columns of the dictionary: %w", err)
	}
	return has, nil
}
