package erp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// WriteDenied is a table that a role may not write.
type WriteDenied struct {
	Table  string
	Reason string
}

// userLevels are the user levels of roles (AD_Role.UserLevel) with the access levels
// of tables that they may write.
var userLevels = map[string]struct{ name, writes string }{
	"S": {"System", "467"}, "C": {"Client", "267"}, "CO": {"Client+Organization", "12367"}, "O": {"Organization", "137"},
}

// accessLevels are the access levels of tables.
var accessLevels = map[string]string{
	"1": "Organization", "2": "Client", "3": "Client+Organization", "4": "System", "6": "System+Client", "7": "All",
}

// WriteDenied tells which of the tables a role may not write at all, as the ERP's
// role administration says: no window that shows the table may be changed with it,
// and its user level or its table rules exclude the table. What the role of the
// session may not read of the administration is not held against it, and neither are
// tables that are not there: the ERP decides then. A table that is not in the result
// may still be closed to single records. It takes at most seven requests.
func (c *Client) WriteDenied(ctx context.Context, roleID int, tables ...string) ([]WriteDenied, error) {
	denied, err := accessReader{c, roleID}.denied(ctx, tables)
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
	var refused *Error
	return errors.As(err, &refused) && !errors.Is(err, ErrUnauthorized) && !errors.Is(err, ErrRateLimited) && !errors.Is(err, ErrUnavailable)
}

type accessReader struct {
	c    *Client
	role int
}

// accessTable is a table with what its access depends on.
type accessTable struct {
	name, level string
	windows     []int64
}

func (a accessReader) denied(ctx context.Context, names []string) ([]WriteDenied, error) {
	role, err := a.c.Get(ctx, "AD_Role", IntID(int64(a.role)), &GetOptions{Select: []string{"UserLevel"}})
	if err != nil {
		return nil, err
	}
	level, _ := role.Code("UserLevel")
	user, known := userLevels[strings.TrimSpace(level)]
	tables, err := a.tables(ctx, names)
	if err != nil || len(tables) == 0 || !known {
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
	rules, err := a.rules(ctx)
	if err != nil {
		return nil, err
	}
	var denied []WriteDenied
	for _, name := range names {
		for id, t := range tables {
			if t.name != name || slices.ContainsFunc(t.windows, func(w int64) bool { return granted[w] }) {
				continue
			}
			reason := rules.against(id)
			if !strings.Contains(user.writes, t.level) {
				reason = fmt.Sprintf("its access level is %s, and the user level of the role is %s", accessLevels[t.level], user.name)
			}
			if reason != "" {
				denied = append(denied, WriteDenied{Table: name, Reason: reason})
			}
		}
	}
	return denied, nil
}

// tables are those that exist, by number.
func (a accessReader) tables(ctx context.Context, names []string) (map[int64]*accessTable, error) {
	if len(names) == 0 {
		return nil, nil
	}
	tables := map[int64]*accessTable{}
	err := a.each(ctx, "AD_Table", In("TableName", names...), []string{"TableName", "AccessLevel"}, func(r Record) {
		id, ok := r.ID().Int()
		name, _ := r.Text("TableName")
		if level, _ := r.Code("AccessLevel"); ok && level != "" {
			tables[id] = &accessTable{name: name, level: level}
		}
	})
	return tables, err
}

// roles are the role and those that it includes, directly or not.
func (a accessReader) roles(ctx context.Context) ([]int64, error) {
	roles := []int64{int64(a.role)}
	for next := roles; len(next) > 0 && len(roles) < 50; {
		var found []int64
		err := a.each(ctx, "AD_Role_Included", In("AD_Role_ID", next...), []string{"Included_Role_ID"}, func(r Record) {
			if id, ok := refNumber(r, "Included_Role_ID"); ok && !slices.Contains(roles, id) && !slices.Contains(found, id) {
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
func (a accessReader) windows(ctx context.Context, tables map[int64]*accessTable, roles []int64) (map[int64]bool, error) {
	var ids, windows []int64
	for id := range tables {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	err := a.each(ctx, "AD_Tab", In("AD_Table_ID", ids...), []string{"AD_Table_ID", "AD_Window_ID"}, func(r Record) {
		table, ok := refNumber(r, "AD_Table_ID")
		window, shown := refNumber(r, "AD_Window_ID")
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
		filter := And(In("AD_Role_ID", roles...), In("AD_Window_ID", part...), Eq("IsReadWrite", true))
		err := a.each(ctx, "AD_Window_Access", filter, []string{"AD_Window_ID"}, func(r Record) {
			if id, ok := refNumber(r, "AD_Window_ID"); ok {
				granted[id] = true
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return granted, nil
}

// tableRules are the rules of a role about tables.
type tableRules struct {
	of       map[int64]string // why the table is closed for writing; empty: it is open
	includes bool             // tables without a rule are closed
}

func (a accessReader) rules(ctx context.Context) (tableRules, error) {
	rules := tableRules{of: map[int64]string{}}
	filter := And(Eq("AD_Role_ID", a.role), Eq("AccessTypeRule", "A"))
	err := a.each(ctx, "AD_Table_Access", filter, []string{"AD_Table_ID", "IsExclude", "IsReadOnly"}, func(r Record) {
		id, ok := refNumber(r, "AD_Table_ID")
		exclude, _ := r.Bool("IsExclude")
		readOnly, _ := r.Bool("IsReadOnly")
		rules.includes = rules.includes || !exclude
		switch {
		case !ok:
		case exclude:
			rules.of[id] = "a table rule of the role excludes it"
		case readOnly:
			rules.of[id] = "a table rule of the role makes it read only"
		default:
			rules.of[id] = ""
		}
	})
	return rules, err
}

func (r tableRules) against(table int64) string {
	if reason, has := r.of[table]; has {
		return reason
	}
	if r.includes {
		return "the table rules of the role list others only"
	}
	return ""
}

// each visits all records of a filter.
func (a accessReader) each(ctx context.Context, table string, filter Filter, columns []string, visit func(Record)) error {
	for r, err := range a.c.Records(ctx, table, &Query{Filter: filter, Select: columns}) {
		if err != nil {
			return err
		}
		visit(r)
	}
	return nil
}

// refNumber is the number that a reference has.
func refNumber(r Record, column string) (int64, bool) {
	ref, ok := r.Ref(column)
	if !ok {
		return 0, false
	}
	return ref.ID.Int()
}
