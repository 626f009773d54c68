package sqlshell

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/internal/nearest"
)

// names are the names that completion and descriptions know. They are read when
// they are needed first.
type names struct {
	tables  []Table
	columns map[string][]aiclient.ColumnMetadata // by table, in small letters
}

func (n *names) forget() {
	n.tables, n.columns = nil, map[string][]aiclient.ColumnMetadata{}
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
		s.note("Referenced by %s.", listed(from, 12))
	}
	return nil
}

// listed is a list in a sentence, cut after some.
func listed(list []string, most int) string {
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

// about is what there is to say of a column in short.
func about(c aiclient.ColumnMetadata) string {
	var parts []string
	if c.Key {
		parts = append(parts, "key")
	}
	if c.Mandatory {
		parts = append(parts, "mandatory")
	}
	if c.Redacted {
		parts = append(parts, "masked")
	}
	if c.References != "" {
		parts = append(parts, "→ "+c.References)
	}
	if len(c.Values) > 0 {
		var values []string
		for _, v := range c.Values {
			values = append(values, v.Value)
		}
		parts = append(parts, listed(values, 8))
	}
	return strings.Join(parts, ", ")
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
