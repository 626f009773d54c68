package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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
	denied, err := newExplainer(client).denied(ctx, roleID, tables)
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

// denied compares the tables with the role's level and rules, but for those that a
// window shows which the role may change.
func (x *explainer) denied(ctx context.Context, roleID int, names []string) ([]Denied, error) {
	rec, err := x.client.Get(ctx, "AD_Role", erp.IntID(int64(roleID)), &erp.GetOptions{Select: append(roleColumns, "Name")})
	if err != nil {
		return nil, err
	}
	r, err := x.load(ctx, rec, 0)
	if err != nil || r.partly || r.level == "" || len(names) == 0 {
		return nil, err
	}
	tables, _, err := x.all(ctx, "AD_Table", erp.In("TableName", names...), "TableName", "AccessLevel")
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	shown, err := x.changeable(ctx, &r, tables)
	if err != nil {
		return nil, err
	}
	rules, _, err := x.tableRules(ctx, &r)
	if err != nil || len(x.unread) > 0 {
		return nil, err
	}
	var denied []Denied
	for _, t := range tables {
		level, _ := t.Code("AccessLevel")
		if level == "" || shown[key(t)] {
			continue
		}
		r.reasons = nil
		ruledTable(&r, rules, key(t), text(t, "TableName"))
		if reason := deniedReason(&r, level); reason != "" {
			denied = append(denied, Denied{Table: text(t, "TableName"), Reason: reason})
		}
	}
	slices.SortFunc(denied, func(a, b Denied) int { return slices.Index(names, a.Table) - slices.Index(names, b.Table) })
	return denied, nil
}

// changeable are the tables that a window shows in which the role, or one that it
// includes, may change data.
func (x *explainer) changeable(ctx context.Context, r *role, tables []erp.Record) (map[int64]bool, error) {
	var ids []int64
	for _, t := range tables {
		ids = append(ids, key(t))
	}
	tabs, _, err := x.all(ctx, "AD_Tab", erp.In("AD_Table_ID", ids...), "AD_Table_ID", "AD_Window_ID")
	shows := map[int64][]int64{} // tables by window
	for _, tab := range tabs {
		window, _ := number(tab, "AD_Window_ID")
		table, _ := number(tab, "AD_Table_ID")
		shows[window] = append(shows[window], table)
	}
	found := map[int64]bool{}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(shows)), 200) { // as they travel in an address
		if err != nil {
			break
		}
		var grants []erp.Record
		grants, _, err = x.all(ctx, "AD_Window_Access", erp.And(erp.In("AD_Role_ID", r.ids()...), erp.In("AD_Window_ID", part...), erp.Eq("IsReadWrite", true)), "AD_Window_ID")
		for _, grant := range grants {
			window, _ := number(grant, "AD_Window_ID")
			for _, table := range shows[window] {
				found[table] = true
			}
		}
	}
	return found, err
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
