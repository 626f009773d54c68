package twin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// foundation copies the tables from which the form of all others is known. The
// form of these is read first.
func (c *clone) foundation(ctx context.Context) error {
	tables, err := c.bootstrap(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		err := c.work.Update(ctx, func(tx *store.Tx) error {
			exists, err := tx.TableExists(ctx, t.Name)
			if err != nil || exists {
				return err
			}
			_, err = createTable(ctx, tx, t)
			return err
		})
		if err != nil {
			return err
		}
		if err := c.copyTable(ctx, t, Dictionary, Query{}, nil); err != nil {
			return err
		}
		var st tableState
		if _, err := load(ctx, c.work, "table:"+t.Name, &st); err != nil {
			return err
		}
		if err := c.index(ctx, t); err != nil {
			return err
		}
		if st.Report.Unreadable != "" || st.Report.Rows == 0 {
			return fatalf("%s has no rows for this login (%s): log in with a role that reads the Application Dictionary", t.Name, st.Report.Unreadable)
		}
	}
	return nil
}

// bootstrap reads how the source has the tables of the foundation.
func (c *clone) bootstrap(ctx context.Context) ([]*store.Table, error) {
	var names []any
	for _, n := range foundation {
		names = append(names, n)
	}
	byID := map[int64]*store.Table{}
	var ids []any
	read := func(q *Query, row func([]any) error) error {
		err := c.retry(ctx, "the table "+q.Table.Name, func() (bool, error) { return false, c.src.Rows(ctx, q, row) })
		if errors.Is(err, ErrNotReadable) {
			return fatalf("%w; log in with a role that reads the Application Dictionary", err)
		}
		return err
	}
	err := read(&Query{
		Table:   &Table{Name: "AD_Table", Key: "AD_Table_ID", HasActive: true},
		Columns: []Column{{Name: "AD_Table_ID", Type: Integer, Display: displaytype.ID}, {Name: "TableName", Display: displaytype.String, Length: 40}},
		By:      "TableName", Keys: names,
	}, func(v []any) error {
		id, _ := v[0].(int64)
		name, _ := v[1].(string)
		if _, ok := byID[id]; !ok && foundationTable(name) {
			byID[id] = &store.Table{ID: id, Name: name, Active: true}
			ids = append(ids, id)
		}
		return nil
	})
	if err == nil && len(byID) < len(foundation) {
		err = fatalf("it shows %d of the %d tables that describe all others (%s): log in with a role that reads the Application Dictionary", len(byID), len(foundation), strings.Join(foundation, ", "))
	}
	if err != nil {
		return nil, err
	}
	text := func(name string) Column { return Column{Name: name, Display: displaytype.String, Length: 60} }
	number := func(name string, display int) Column { return Column{Name: name, Type: Integer, Display: display} }
	flag := func(name string) Column { return Column{Name: name, Type: Flag, Display: displaytype.YesNo, Length: 1} }
	seen := map[int64]bool{}
	err = read(&Query{
		Table: &Table{Name: "AD_Column", Key: "AD_Column_ID", HasActive: true},
		Columns: []Column{
			number("AD_Column_ID", displaytype.ID), number("AD_Table_ID", displaytype.TableDir), text("ColumnName"), number("AD_Reference_ID", displaytype.Table),
			number("AD_Reference_Value_ID", displaytype.Table), number("FieldLength", displaytype.Integer), text("DefaultValue"), text("ColumnSQL"),
			flag("IsKey"), flag("IsParent"), flag("IsMandatory"), flag("IsSecure"), flag("IsActive"),
		},
		By: "AD_Table_ID", Keys: ids,
	}, func(v []any) error {
		values := make([]any, len(v))
		for i, t := range []ValueType{Integer, Integer, Text, Integer, Integer, Integer, Text, Text, Flag, Flag, Flag, Flag, Flag} {
			var err error
			if values[i], err = stored(t, v[i]); err != nil {
				return fmt.Errorf("reading the columns of the dictionary: %w", err)
			}
		}
		row := func(i int) int64 { n, _ := values[i].(int64); return n }
		str := func(i int) string { s, _ := values[i].(string); return s }
		t := byID[row(1)]
		if t == nil || seen[row(0)] || str(12) != "Y" {
			return nil
		}
		seen[row(0)] = true
		t.Columns = append(t.Columns, &store.Column{
			ID: row(0), TableID: row(1), Name: str(2), Ref: int(row(3)), RefValue: row(4), Length: int(row(5)), Default: str(6), ColumnSQL: str(7),
			Key: str(8) == "Y", Parent: str(9) == "Y", Mandatory: str(10) == "Y", Secure: str(11) == "Y",
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []*store.Table
	for _, name := range foundation {
		for _, t := range byID {
			if strings.EqualFold(t.Name, name) {
				if len(t.Columns) == 0 {
					return nil, fatalf("the columns of %s are not shown to this login", name)
				}
				out = append(out, store.NewTable(*t))
			}
		}
	}
	return out, nil
}
