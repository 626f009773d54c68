package erptest

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func referenceRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/reference/{id}", handle: reading(readError, getReference)}}
}

// getReference handles GET /reference/{id}: the entries of a list, or the rows
// of the table a reference is validated by.
func getReference(ctx context.Context, rd *reader) (any, error) {
	row, err := rd.findReference(ctx, rd.c.param("id"))
	if err != nil {
		return nil, err
	}
	switch row.String("ValidationType") {
	case "L":
		return rd.listReference(ctx, row)
	case "T":
		return rd.tableReference(ctx, row)
	}
	return nil, fail(http.StatusNotImplemented, "References with data validation are not implemented.", "Not implemented AD_Reference_ID: "+rd.c.param("id"))
}

// findReference finds a reference by number, UUID or exact name.
func (rd *reader) findReference(ctx context.Context, id string) (store.Row, error) {
	where, arg := "Name=?", any(id)
	switch {
	case onlyDigits(id):
		n, err := strconv.ParseInt(id, 10, 32)
		if err != nil {
			return nil, page(http.StatusInternalServerError) // outside the real handler's guard
		}
		where, arg = "AD_Reference_ID=?", n
	case engine.IsUUID(id):
		where = "AD_Reference_UU=?"
	}
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_Reference", "AD_Reference_ID", where+" AND AD_Client_ID IN (0,?)", arg, rd.c.session.ClientID)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fail(http.StatusNotFound, "Invalid reference id", "No match found for AD_Reference_ID: "+id)
	}
	return rows[0], nil
}

func onlyDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func (rd *reader) listReference(ctx context.Context, row store.Row) (*wire.Object, error) {
	t, err := rd.tx.Table(ctx, "AD_Reference")
	if err != nil {
		return nil, err
	}
	records, err := rd.dictionaryObjects(ctx, t, []store.Row{row}, []string{"Name", "Description", "Help", "ValidationType", "VFormat"})
	if err != nil {
		return nil, err
	}
	values, err := engine.RowsWhere(ctx, rd.tx, "AD_Ref_List", "AD_Ref_List_ID", "AD_Reference_ID=? AND IsActive='Y' AND AD_Client_ID IN (0,?)",
		row.Int("AD_Reference_ID"), rd.c.session.ClientID)
	if err != nil {
		return nil, err
	}
	lists, err := rd.tx.Table(ctx, "AD_Ref_List")
	if err != nil {
		return nil, err
	}
	name, _ := lists.Column("Name")
	if values, err = rd.translate(ctx, lists, []*store.Column{name}, values); err != nil {
		return nil, err
	}
	slices.SortStableFunc(values, func(a, b store.Row) int { return cmp.Compare(a.String("Name"), b.String("Name")) })
	entries := make([]*wire.Object, len(values))
	for i, v := range values {
		entries[i] = wire.NewObject("value", v.String("Value"), "name", v.String("Name"))
	}
	response := records[0].object
	response.Set("reflist", entries)
	return response, nil
}

// tableReference is all active rows of the table, each with its key, what is
// displayed of it, and its search key where that is displayed too.
func (rd *reader) tableReference(ctx context.Context, row store.Row) (*wire.Object, error) {
	invalid := fail(http.StatusNotFound, "Invalid reference table id", "No ref table match found for AD_Reference_ID: "+rd.c.param("id"))
	ref, err := rd.tx.Reference(ctx, row.Int("AD_Reference_ID"))
	if err != nil {
		return nil, err
	}
	if ref.Table == nil {
		return nil, invalid
	}
	t, err := engine.NamedTable(ctx, rd.tx, ref.Table.Table)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, invalid
	}
	if !rd.c.session.Role.TableAccess(t, false) {
		return wire.NewObject("reftable", []*wire.Object{}), nil
	}
	cond, args, err := rd.condition(ctx, t, "", nil)
	if err != nil {
		return nil, err
	}
	if clause := strings.TrimSpace(ref.Table.Where); clause != "" {
		if strings.Contains(clause, "@") {
			return nil, page(http.StatusInternalServerError) // the ERP does not fill in context here
		}
		bound, err := rd.c.session.GuardedCondition(ctx, rd.tx, t, engine.SQL{Text: clause})
		if err != nil {
			return nil, err
		}
		if cond != "" {
			cond += " AND "
		}
		cond, args = cond+bound.Text, append(args, bound.Args...)
	}
	names := []string{ref.Table.Key, ref.Table.Display}
	if ref.Table.IsValueDisplayed {
		names = append(names, "Value")
	}
	orderBy := filter.Order(strings.ReplaceAll(ref.Table.OrderBy, t.Name+".", ""), t)
	if orderBy == "" {
		if key := t.KeyColumn(); key != nil {
			orderBy = store.Expr(t, key)
		}
	}
	rows, err := rd.tx.Select(ctx, t, store.Selection{Where: cond, Args: args, OrderBy: orderBy})
	if err != nil {
		return nil, err
	}
	records, err := rd.dictionaryObjects(ctx, t, rows, names)
	if err != nil {
		return nil, err
	}
	return wire.NewObject("reftable", objectsOf(records)), nil
}
