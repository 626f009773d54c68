package erptest

import (
	"context"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// expansion is one item of a $expand with its names resolved. A master (the
// record a column references) has column set, children have link.
type expansion struct {
	name       string // of the property; dots nest in views
	shape      *shape // of the records brought; nil for nodes of trees
	properties []property

	column *store.Column // of the expanded record: master, or nil
	look   *lookup

	link       *store.Column // of the child
	parent     *store.Column // of the expanded record: what link must equal
	parentID   int64         // AD_Table_ID for links by Record_ID, else 0
	item       filter.Expansion
	cond       string // filter and label
	condArgs   []any
	orderBy    string
	expansions []*expansion
	recursive  bool
}

// maxRecursion bounds how deep a table expanded on itself is followed.
const maxRecursion = 20

func expandError(format string, args ...any) error {
	return failf(http.StatusBadRequest, "Expand error", format, args...)
}

// expansions resolves the items of a $expand on records of a shape.
func (rd *reader) expansions(ctx context.Context, s *shape, items []filter.Expansion, depth int) ([]*expansion, error) {
	var out []*expansion
	for _, item := range items {
		x, err := rd.expansion(ctx, s, item, depth)
		if err != nil {
			return nil, err
		}
		if x != nil {
			out = append(out, x)
		}
	}
	return out, nil
}

// expansion is nil for what the role may not see, and for names a view does not
// have, which the ERP passes over.
func (rd *reader) expansion(ctx context.Context, s *shape, item filter.Expansion, depth int) (*expansion, error) {
	if s.view == nil {
		if col, ok := s.table.Column(item.Name); ok {
			return rd.masterExpansion(ctx, s.table, col, nil, &expansion{name: rd.propertyName(col.Name), item: item})
		}
		return rd.childExpansion(ctx, s, item, depth)
	}
	if col, ok := s.named(item.Name); ok {
		ref, err := rd.viewByID(ctx, col.row.Int("REST_ReferenceView_ID"))
		if err != nil {
			return nil, err
		}
		return rd.masterExpansion(ctx, s.table, col.col, ref, &expansion{name: col.name(), item: item})
	}
	if depth > maxRecursion {
		return nil, nil
	}
	return rd.childExpansion(ctx, s, item, depth)
}

// masterExpansion replaces a reference by the record it references, through a view if
// there is one.
func (rd *reader) masterExpansion(ctx context.Context, t *store.Table, col *store.Column, ref *shape, x *expansion) (*expansion, error) {
	x.column = col
	tree := ref == nil && isTreeNode(t, col) // the table differs from tree to tree
	if !tree {
		var err error
		if x.look, err = rd.lookupOf(ctx, col); err != nil {
			return nil, err
		}
		if x.look == nil || x.look.key == "" || col.IsMultiLookup() || col.Secure || col.Encrypted {
			return nil, expandError("Column %s cannot be expanded", x.item.Name)
		}
	}
	if !x.item.OnlySelect() {
		return nil, expandError("Expanding a master only support the $select query operator")
	}
	if !rd.c.session.Role.CanSeeColumn(t, col) {
		return nil, nil
	}
	if tree {
		return x, nil
	}
	if ref == nil {
		return x, rd.expandTable(ctx, x, x.look.table)
	}
	if !strings.EqualFold(x.look.table, ref.table.Name) {
		return nil, expandError("Column %s does not reference the table of the view %s", x.item.Name, ref.name())
	}
	return x, rd.expandShape(ctx, x, ref)
}

// expandTable resolves the table brought and what is selected of it.
func (rd *reader) expandTable(ctx context.Context, x *expansion, name string) error {
	t, err := rd.c.session.FindTable(ctx, rd.tx, name, false)
	if err != nil {
		return err
	}
	return rd.expandShape(ctx, x, &shape{table: t})
}

// expandShape resolves what is selected of the records brought.
func (rd *reader) expandShape(ctx context.Context, x *expansion, s *shape) (err error) {
	if s.view != nil {
		if err := rd.checkView(ctx, s, false); err != nil {
			return err
		}
	}
	x.shape = s
	x.properties, err = rd.shown(ctx, s, x.item.Select)
	return err
}

// childExpansion brings the records that reference the expanded one: of the table, or
// of the related view, that the item names.
func (rd *reader) childExpansion(ctx context.Context, s *shape, item filter.Expansion, depth int) (*expansion, error) {
	x := &expansion{name: item.Name, item: item}
	table, column, dotted := strings.Cut(item.Name, ".")
	var err error
	if s.view == nil {
		err = rd.expandTable(ctx, x, table)
	} else {
		related, findErr := rd.relation(ctx, s, item.Name)
		if findErr != nil || related == nil {
			return nil, findErr
		}
		table, dotted = related.table.Name, false
		err = rd.expandShape(ctx, x, related)
	}
	switch {
	case err != nil:
	case dotted:
		err = rd.linkByName(ctx, x, s.table, column)
	default:
		err = rd.findLink(ctx, x, s.table, table)
	}
	if err != nil {
		return nil, err
	}
	if !dotted || x.link.Name == column {
		// Typed in another casing the link stays, as in the ERP.
		x.properties = without(x.properties, x.link)
	}
	if err := rd.childCondition(ctx, x); err != nil {
		return nil, err
	}
	x.expansions, err = rd.expansions(ctx, x.shape, item.Expand, depth+1)
	return x, err
}

// childCondition resolves which of the children are brought, and in which order.
func (rd *reader) childCondition(ctx context.Context, x *expansion) (err error) {
	if x.cond, x.condArgs, err = rd.filterSQL(x.shape.table, x.item.Filter); err != nil {
		return err
	}
	if x.item.Label != "" {
		labelled, labelArgs, err := rd.labelCondition(ctx, x.shape.table, x.item.Label)
		if err != nil {
			return err
		}
		if x.cond != "" {
			x.cond += " AND "
		}
		x.cond += labelled
		x.condArgs = append(x.condArgs, labelArgs...)
	}
	x.orderBy, err = filter.OrderBy(x.item.OrderBy, x.shape.table)
	return err
}

// findLink finds the child's column that holds the parent: one named like the
// parent's key, else the first that references the parent's table. A table
// under itself is linked by Parent_ID or another reference to itself, and
// followed all the way down.
func (rd *reader) findLink(ctx context.Context, x *expansion, parent *store.Table, child string) error {
	key := parent.KeyColumn()
	if key == nil {
		if uu := parent.UUColumn(); uu != nil {
			if c, ok := x.shape.table.Column(uu.Name); ok && c != uu {
				x.link, x.parent = c, uu
				return nil
			}
		}
		return noLink(child)
	}
	x.parent = key
	if x.shape.table == parent {
		x.recursive = true
		if c, ok := parent.Column("Parent_ID"); ok {
			x.link = c
			return nil
		}
	} else if c, ok := x.shape.table.Column(key.Name); ok {
		x.link = c
		return nil
	}
	for _, c := range x.shape.table.Columns {
		if !strings.HasSuffix(strings.ToUpper(c.Name), "_ID") || c == key {
			continue
		}
		target, err := rd.tx.TargetTable(ctx, c)
		if err != nil {
			return err
		}
		if strings.EqualFold(target, parent.Name) && !c.IsMultiLookup() {
			x.link = c
			return nil
		}
	}
	return noLink(child)
}

func noLink(child string) error {
	return failf(http.StatusInternalServerError, "Wrong detail", "Cannot expand to the detail table because it has no column that links to the parent table: %s", child)
}

// linkByName takes the link column the client named.
func (rd *reader) linkByName(ctx context.Context, x *expansion, parent *store.Table, name string) error {
	link, ok := x.shape.table.Column(name)
	if !ok || strings.HasPrefix(link.ColumnSQL, "@") || link.Secure || link.Encrypted {
		return expandError("%s is not a column of %s", name, x.shape.table.Name)
	}
	x.link, x.parent = link, parent.KeyColumn()
	if link.Kind() == store.KindUUID {
		x.parent = parent.UUColumn()
	}
	switch strings.ToUpper(link.Name) {
	case "RECORD_ID", "RECORD_UU":
		if _, ok := x.shape.table.Column("AD_Table_ID"); !ok || x.parent == nil {
			return expandError("%s does not link %s to %s", name, x.shape.table.Name, parent.Name)
		}
		x.parentID = parent.ID
		return nil
	}
	target, err := rd.tx.TargetTable(ctx, link)
	if err != nil {
		return err
	}
	if strings.EqualFold(target, parent.Name) && x.parent != nil && !link.IsMultiLookup() {
		return nil
	}
	shared, ok := parent.Column(link.Name)
	if !ok || shared.Secure || shared.Encrypted || strings.HasPrefix(shared.ColumnSQL, "@") {
		return expandError("%s does not link %s to %s", name, x.shape.table.Name, parent.Name)
	}
	if !rd.c.session.Role.CanSeeColumn(parent, shared) {
		return expandError("%s does not link %s to %s", name, x.shape.table.Name, parent.Name)
	}
	x.parent = shared
	return nil
}

// without leaves one column out.
func without(properties []property, col *store.Column) []property {
	var out []property
	for _, p := range properties {
		if p.col != col {
			out = append(out, p)
		}
	}
	return out
}

// parentColumns are the columns of a record its expansions start from.
func parentColumns(list []*expansion) []string {
	var names []string
	for _, x := range list {
		switch {
		case x.column == nil:
			names = append(names, x.parent.Name)
		case x.look == nil:
			names = append(names, x.column.Name, "AD_Tree_ID")
		default:
			names = append(names, x.column.Name)
		}
	}
	return names
}

// expandInto adds to the object of a row what its expansions bring.
func (rd *reader) expandInto(ctx context.Context, row store.Row, o *wire.Object, list []*expansion, level int) error {
	for _, x := range list {
		var err error
		if x.column != nil {
			err = rd.expandMaster(ctx, row, o, x, level)
		} else {
			err = rd.expandChildren(ctx, row, o, x, level)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (rd *reader) expandMaster(ctx context.Context, row store.Row, o *wire.Object, x *expansion, level int) error {
	value := row[x.column.Name]
	if value == nil {
		return nil
	}
	key := ""
	if x.look == nil {
		node, ok, err := rd.treeNode(ctx, row, x)
		if err != nil || !ok {
			return err
		}
		x, key = node, node.shape.table.KeyColumn().Name
	} else {
		key = x.look.key
	}
	keyColumn, _ := x.shape.table.Column(key)
	where, args := store.Expr(x.shape.table, keyColumn)+"=?", []any{value}
	access, more, err := rd.c.session.RowFilter(ctx, rd.tx, x.shape.table)
	if err != nil {
		return err
	}
	if access != "" {
		where, args = where+" AND ("+access+")", append(args, more...)
	}
	rows, err := rd.tx.Read(ctx, x.shape.table, store.Selection{Columns: sources(x.shape.table, x.properties), Where: where, Args: args, Limit: 1})
	if err != nil {
		return err
	}
	if rows.Len() == 0 { // the reference stays
		return nil
	}
	found := rows.Row(0)
	objects, err := rd.shaped(ctx, x.shape, x.properties, rows)
	if err != nil {
		return err
	}
	rd.finishShaped(objects[0], x.shape)
	setPath(o, x.name, objects[0])
	return rd.labelExpanded(ctx, x.shape.table, found, objects[0], level)
}

func (rd *reader) expandChildren(ctx context.Context, row store.Row, o *wire.Object, x *expansion, level int) error {
	value := row[x.parent.Name]
	if value == nil || level > maxRecursion {
		return nil
	}
	sel, err := rd.childSelection(ctx, x)
	if err != nil {
		return err
	}
	sel.Args = append([]any{value}, sel.Args...)
	rows, err := rd.tx.Read(ctx, x.shape.table, sel)
	if err != nil || rows.Len() == 0 {
		return err
	}
	objects, err := rd.shaped(ctx, x.shape, x.properties, rows)
	if err != nil {
		return err
	}
	for i, child := range objects {
		row := rows.Row(i)
		if err := rd.expandInto(ctx, row, child, x.expansions, level+1); err != nil {
			return err
		}
		if x.recursive {
			if err := rd.expandChildren(ctx, row, child, x, level+1); err != nil {
				return err
			}
		}
		if err := rd.labelExpanded(ctx, x.shape.table, row, child, level); err != nil {
			return err
		}
	}
	o.Set(x.name, objects)
	return nil
}

// childSelection reads the children of one parent, whose key is the first
// argument and not among those it has. As in the ERP the client's condition
// follows the parent's without parentheses.
func (rd *reader) childSelection(ctx context.Context, x *expansion) (store.Selection, error) {
	cond, args := store.Expr(x.shape.table, x.link)+"=?", x.condArgs
	if x.parentID != 0 {
		table, _ := x.shape.table.Column("AD_Table_ID")
		cond += " AND " + store.Expr(x.shape.table, table) + "=?"
		args = append([]any{x.parentID}, args...)
	}
	if x.cond != "" {
		cond += " AND " + x.cond
	}
	where, args, err := rd.condition(ctx, x.shape.table, cond, args)
	columns := append(parentColumns(x.expansions), x.link.Name)
	if x.recursive {
		columns = append(columns, x.parent.Name)
	}
	return store.Selection{
		Columns: sources(x.shape.table, x.properties, columns...),
		Where:   where, Args: args, OrderBy: x.orderBy,
		Limit: rd.limit(x.item.Top), Offset: max(x.item.Skip, 0),
	}, err
}

// addStatement adds the statement the expansion runs.
func (x *expansion) addStatement(o *wire.Object) {
	if x.shape == nil {
		return
	}
	link, column := x.link, ""
	if link == nil {
		link, _ = x.shape.table.Column(x.look.key)
		column = x.column.Name
	} else {
		column = link.Name
	}
	where := store.Expr(x.shape.table, link) + "=?"
	if x.cond != "" {
		where += " AND " + x.cond
	}
	sel := store.Selection{Where: where, OrderBy: x.orderBy}
	o.Set("sql-command-"+x.shape.table.Name+"["+column+"]", erpSQL(store.SelectSQL(x.shape.table, sources(x.shape.table, x.properties), sel)))
}
