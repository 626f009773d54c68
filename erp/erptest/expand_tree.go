package erptest

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// isTreeNode reports whether the column names a node of a tree, whose table is
// the tree's.
func isTreeNode(t *store.Table, col *store.Column) bool {
	_, ok := t.Column("AD_Tree_ID")
	return ok && (strings.EqualFold(col.Name, "Node_ID") || strings.EqualFold(col.Name, "Parent_ID")) &&
		strings.HasPrefix(strings.ToUpper(t.Name), "AD_TREENODE")
}

// treeTables are the tables whose records the trees of a type arrange, where the type tells.
var treeTables = map[string]string{
	"MM": "AD_Menu", "OO": "AD_Org", "BP": "C_BPartner", "PR": "M_Product", "PC": "M_Product_Category", "EV": "C_ElementValue",
	"SR": "C_SalesRegion", "MC": "C_Campaign", "AY": "C_Activity", "PJ": "C_Project", "BB": "M_BOM", "CC": "CM_Container",
}

// treeNode resolves the master of a tree's node; ok is false when the tree
// does not tell.
func (rd *reader) treeNode(ctx context.Context, row store.Row, x *expansion) (node *expansion, ok bool, err error) {
	tree, err := engine.OneRow(ctx, rd.tx, "AD_Tree", row.Int("AD_Tree_ID"))
	if err != nil || tree == nil {
		return nil, false, err
	}
	name := treeTables[tree.String("TreeType")]
	if id := tree.Int("AD_Table_ID"); name == "" && id != 0 {
		t, err := rd.tx.TableByID(ctx, id)
		if errors.Is(err, store.ErrNoTable) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		name = t.Name
	}
	if name == "" {
		return nil, false, nil
	}
	node = &expansion{name: x.name, column: x.column, item: x.item}
	err = rd.expandTable(ctx, node, name)
	return node, err == nil && node.shape.table.KeyColumn() != nil, err
}
