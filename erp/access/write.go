package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
)

// Denied is a table that a role may not write.
type Denied struct {
	Table  string
	Reason string
}

// WriteDenied tells which of the tables a role may not write at all, as the ERP's
// role administration says: no window that shows the table may be changed with it,
// and its user level or its table rules exclude the table. What the role of the
// session may not read of the administration is not held against it, and neither are
// tables that are not there: the ERP decides then. A table that is not in the result
// may still be closed to single records. It takes at most seven requests.
func WriteDenied(ctx context.Context, client *erp.Client, roleID int, tables ...string) ([]Denied, error) {
	denied, err := writeReader{client, roleID}.denied(ctx, tables)
	if unreadable(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what role %d may write: %w", roleID, err)
	}
	return denied, nil
}

// unreadable reports whether the server refused to show a part of the role
// administration, or does not have it.
func unreadable(err error) bool {
	var refused *erp.Error
	return errors.As(err, &refused) && !errors.Is(err, erp.ErrUnauthorized) && !errors.Is(err, erp.ErrRateLimited) && !errors.Is(err, erp.ErrUnavailable)
}

type writeReader struct {
	c    *erp.Client
	role int
}

// writeTable is a table with what its access depends on.
type writeTable struct {
	name, level string
	windows     []int64
}

func (a writeReader) denied(ctx context.Context, names []string) ([]Denied, error) {
	rec, err := a.c.Get(ctx, "AD_Role", erp.IntID(int64(a.role)), &erp.GetOptions{Select: []string{"UserLevel", "Name"}})
	if err != nil {
		return nil, err
	}
	level, _ := rec.Code("UserLevel")
	of := &role{id: int64(a.role), name: text(rec, "Name"), level: strings.TrimSpace(level), names: map[int64]string{}}
	tables, err := a.tables(ctx, names)
	if err != nil || len(tables) == 0 || of.level == "" {
		return nil, err
	}
	roles, err := a.roles(ctx)
	if err != nil {
		return nil, err
	}
	granted, err := a.windows(ctx, tables, roles)
	if err != nil {
		return nil, err
	}
	of.included = roles[1:]
	for _, id := range of.included {
		of.names[id] = fmt.Sprint(id)
	}
	rules, _, err := (&explainer{client: a.c, refused: map[string]bool{}, kept: map[string][]erp.Record{}}).tableRules(ctx, of)
	if err != nil {
		return nil, err
	}
	var denied []Denied
	for _, name := range names {
		for id, t := range tables {
			if t.name != name || slices.ContainsFunc(t.windows, func(w int64) bool { return granted[w] }) {
				continue
			}
			of.reasons = nil
			ruledTable(of, rules, id, name)
			if reason := deniedReason(of, t.level); reason != "" {
				denied = append(denied, Denied{Table: name, Reason: reason})
			}
		}
	}
	return denied, nil
}

// deniedReason is empty if the role writes tables of the level.
func deniedReason(r *role, level string) string {
	if !writes(level, r) {
		return fmt.Sprintf("its access level is %s, and the user level of the role is %s", accessLevels[level], r.levelName())
	}
	for _, found := range slices.Backward(r.reasons) {
		if found.Effect == Denies || found.Effect == ReadOnly {
			return found.Text
		}
	}
	return ""
}

// tables are those that exist, by number.
func (a writeReader) tables(ctx context.Context, names []string) (map[int64]*writeTable, error) {
	if len(names) == 0 {
		return nil, nil
	}
	tables := map[int64]*writeTable{}
	err := a.each(ctx, "AD_Table", erp.In("TableName", names...), []string{"TableName", "AccessLevel"}, func(r erp.Record) {
		id, ok := r.ID().Int()
		name, _ := r.Text("TableName")
		if level, _ := r.Code("AccessLevel"); ok && level != "" {
			tables[id] = &writeTable{name: name, level: level}
		}
	})
	return tables, err
}

// roles are the role and those that it includes, directly or not.
func (a writeReader) roles(ctx context.Context) ([]int64, error) {
	roles := []int64{int64(a.role)}
	for next := roles; len(next) > 0 && len(roles) < 50; {
		var found []int64
		err := a.each(ctx, "AD_Role_Included", erp.In("AD_Role_ID", next...), []string{"Included_Role_ID"}, func(r erp.Record) {
			if id, ok := number(r, "Included_Role_ID"); ok && !slices.Contains(roles, id) && !slices.Contains(found, id) {
				found = append(found, id)
			}
		})
		if err != nil {
			return nil, err
		}
		roles, next = append(roles, found...), found
	}
	return roles, nil
}

// windows fills in which windows show a table, and returns those in which one of the
// roles may change data.
func (a writeReader) windows(ctx context.Context, tables map[int64]*writeTable, roles []int64) (map[int64]bool, error) {
	var ids, windows []int64
	for id := range tables {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	err := a.each(ctx, "AD_Tab", erp.In("AD_Table_ID", ids...), []string{"AD_Table_ID", "AD_Window_ID"}, func(r erp.Record) {
		table, ok := number(r, "AD_Table_ID")
		window, shown := number(r, "AD_Window_ID")
		if t := tables[table]; ok && shown && t != nil {
			t.windows = append(t.windows, window)
			if !slices.Contains(windows, window) {
				windows = append(windows, window)
			}
		}
	})
	granted := map[int64]bool{}
	if err != nil || len(windows) == 0 {
		return granted, err
	}
	slices.Sort(windows)
	for part := range slices.Chunk(windows, 200) { // as they travel in an address
		filter := erp.And(erp.In("AD_Role_ID", roles...), erp.In("AD_Window_ID", part...), erp.Eq("IsReadWrite", true))
		err := a.each(ctx, "AD_Window_Access", filter, []string{"AD_Window_ID"}, func(r erp.Record) {
			if id, ok := number(r, "AD_Window_ID"); ok {
				granted[id] = true
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return granted, nil
}

// each visits all records of a filter.
func (a writeReader) each(ctx context.Context, table string, filter erp.Filter, columns []string, visit func(erp.Record)) error {
	for r, err := range a.c.Records(ctx, table, &erp.Query{Filter: filter, Select: columns}) {
		if err != nil {
			return err
		}
		visit(r)
	}
	return nil
}
