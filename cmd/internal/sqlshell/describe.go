package sqlshell

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/internal/nearest"
)

// names are the names that completion and descriptions know. They are read when
// they are needed first.
type names struct {
	tables  []Table
	columns map[string][]api.ColumnMetadata // by table, in small letters
}

func (n *names) forget() {
	n.tables, n.columns = nil, map[string][]api.ColumnMetadata{}
}

func (s *Shell) tables(ctx context.Context) ([]Table, error) {
	if s.names.tables == nil {
		tables, err := s.Tables(ctx)
		if err != nil {
			return nil, err
		}
		s.names.tables = tables
	}
	return s.names.tables, nil
}

func (s *Shell) listTables(ctx context.Context, pattern string) error {
	tables, err := s.tables(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, t := range tables {
		if pattern == "" || matches(pattern, t) {
			rows = append(rows, []string{t.Name, t.Label})
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("no table has %q in its name", pattern)
	}
	s.List([]string{"table", "label"}, rows)
	return nil
}

func (s *Shell) describe(ctx context.Context, table string) error {
	if table == "" || strings.ContainsAny(table, "*?") {
		return s.listTables(ctx, table)
	}
	meta, err := s.client.TableMetadata(ctx, table)
	if err != nil {
		return s.meantTable(ctx, table, err)
	}
	rows := make([][]string, 0, len(meta.Columns))
	for _, c := range meta.Columns {
		if c.Virtual {
			continue // not in the database
		}
		rows = append(rows, []string{c.Name, c.Type, c.SQLType, about(c), c.Label})
	}
	title := meta.Name
	if meta.Label != "" {
		title += " (" + meta.Label + ")"
	}
	s.note("%s", title)
	if !meta.Queryable {
		s.note("Queries may not read it: %s", meta.WhyNot)
	}
	s.List([]string{"column", "type", "in SQL", "", "label"}, rows)
	if len(meta.ReferencedBy) > 0 {
		from := make([]string, 0, len(meta.ReferencedBy))
		for _, f := range meta.ReferencedBy {
			from = append(from, f.Table+"."+f.Column)
		}
		s.note("Referenced by %s.", output.Listed(from, 12))
	}
	return nil
}

// about is what there is to say of a column in short.
func about(c api.ColumnMetadata) string {
	n := output.ColumnNotes{Key: c.Key, Mandatory: c.Mandatory, Masked: c.Redacted, PointsTo: c.References}
	for _, v := range c.Values {
		n.Values = append(n.Values, v.Value)
	}
	return n.String()
}

// meantTable adds the nearest table to an error.
func (s *Shell) meantTable(ctx context.Context, table string, err error) error {
	tables, listErr := s.tables(ctx)
	if listErr != nil {
		return err
	}
	known := make([]string, len(tables))
	for i, t := range tables {
		known[i] = t.Name
	}
	if near := nearest.Name(table, known); near != "" && !strings.EqualFold(near, table) {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
}
