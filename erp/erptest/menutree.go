package erptest

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func menuTreeRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/menutree/{id}", handle: reading(singleErrorOf("menu tree"), getMenuTree)}}
}

// menuColumns are what the API tells of an entry of the menu.
var menuColumns = []string{
	"Name", "Description", "IsSOTrx", "PredefinedContextVariables", "EntityType", "Action",
	"AD_Window_ID", "AD_Workflow_ID", "AD_Task_ID", "AD_Process_ID", "AD_Form_ID", "AD_InfoWindow_ID",
}

// menuOpens tell which column holds what an entry opens, and how access to
// it is granted.
var menuOpens = map[string]struct {
	column string
	kind   engine.ObjectKind
}{
	"W": {"AD_Window_ID", engine.KindWindow}, "R": {"AD_Process_ID", engine.KindProcess}, "P": {"AD_Process_ID", engine.KindProcess},
	"X": {"AD_Form_ID", engine.KindForm}, "I": {"AD_InfoWindow_ID", engine.KindInfo}, "T": {"AD_Task_ID", engine.KindTask},
	"F": {"AD_Workflow_ID", engine.KindWorkflow},
}

// getMenuTree handles GET /menutree/{id}: the menu as far as the role may open
// it, without empty folders.
func getMenuTree(ctx context.Context, rd *reader) (any, error) {
	tree, err := rd.findTree(ctx, rd.c.param("id"))
	if err != nil {
		return nil, err
	}
	m, err := rd.loadMenu(ctx, tree.Int("AD_Tree_ID"))
	if err != nil {
		return nil, err
	}
	return wire.NewObject("Name", tree.String("Name"), "Description", tree.String("Description"), "entries", m.entries(0)), nil
}

// findTree is the menu tree with that id or UUID. Whatever else is asked for makes
// the real server fail.
func (rd *reader) findTree(ctx context.Context, id string) (store.Row, error) {
	if !engine.IsRecordID(id) {
		return nil, notNumber(id)
	}
	t, err := rd.tx.Table(ctx, "AD_Tree")
	if err != nil {
		return nil, err
	}
	row, err := rd.c.session.FindRow(ctx, rd.tx, t, id)
	var api *apiError
	if asAPI(err, &api) || err == nil && row.String("TreeType") != "MM" {
		return nil, engine.PublicError("There is no tree of the menu with the id " + engine.JSONOf(id))
	}
	return row, err
}

// menu is what the entries of a menu are made of.
type menu struct {
	below   map[int64][]int64 // by the entry above, 0 for the top
	objects map[int64]*wire.Object
	folders map[int64]bool
	seen    map[int64]bool // entries written, so that a circle ends
}

func (rd *reader) loadMenu(ctx context.Context, treeID int64) (*menu, error) {
	nodes, err := engine.RowsWhere(ctx, rd.tx, "AD_TreeNodeMM", "SeqNo, Node_ID", "AD_Tree_ID=? AND IsActive='Y' AND Node_ID<>0", treeID)
	if err != nil {
		return nil, err
	}
	records, err := rd.dictionary(ctx, dictionaryQuery{table: "AD_Menu", columns: menuColumns})
	if err != nil {
		return nil, err
	}
	m := &menu{below: map[int64][]int64{}, objects: map[int64]*wire.Object{}, folders: map[int64]bool{}, seen: map[int64]bool{}}
	for _, r := range records {
		id := r.row.Int("AD_Menu_ID")
		if r.row.Bool("IsSummary") {
			m.objects[id], m.folders[id] = r.object, true
			continue
		}
		target, ok := menuOpens[r.row.String("Action")]
		if !ok {
			continue
		}
		read, _, err := rd.c.session.ObjectAccess(ctx, rd.tx, target.kind, r.row.Int(target.column))
		if err != nil {
			return nil, err
		}
		if read {
			m.objects[id] = r.object
		}
	}
	slices.SortStableFunc(nodes, func(a, b store.Row) int { return cmp.Compare(a.Int("SeqNo"), b.Int("SeqNo")) })
	var lost []int64 // below what is not a folder: they stand at the end of the top
	for _, n := range nodes {
		parent, id := n.Int("Parent_ID"), n.Int("Node_ID")
		if parent != 0 && !m.folders[parent] {
			lost = append(lost, id)
			continue
		}
		m.below[parent] = append(m.below[parent], id)
	}
	m.below[0] = append(m.below[0], lost...)
	return m, nil
}

// entries are what stands below an entry. Folders without entries are left
// out.
func (m *menu) entries(parent int64) []*wire.Object {
	out := []*wire.Object{}
	for _, id := range m.below[parent] {
		o := m.objects[id]
		if o == nil || m.seen[id] {
			continue
		}
		m.seen[id] = true
		if m.folders[id] {
			inside := m.entries(id)
			if len(inside) == 0 {
				continue
			}
			o.Set("entries", inside)
		}
		out = append(out, o)
	}
	return out
}
