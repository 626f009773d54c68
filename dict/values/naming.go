package values

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/internal/searches"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// Naming is the name that stands for records that a column refers to, in the place of
// their key: the way back of [Reader.Lookup].
type Naming struct {
	Table string
	By    string // column of the table, or "uid"
	ref   reference
}

// Naming returns the naming of records for a target: by UUID, or by the first of their
// names. It is nil where nothing but the key names them: the target refers to nothing, the
// key is a text, or records of the table have no name.
func (r *Reader) Naming(ctx context.Context, t Target, byUUID bool) (*Naming, error) {
	if !t.refers() || t.Type.IsUUID() {
		return nil, nil
	}
	table, err := r.dict.Table(ctx, t.Foreign)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n := &Naming{Table: table.Name, By: "uid"}
	n.ref.RefLookup, n.ref.key = r.lookup(ctx, &t, &table)
	n.ref.numeric = strings.EqualFold(n.ref.key, table.Name+"_ID")
	switch {
	case !n.ref.numeric:
		return nil, nil
	case byUUID:
	case len(n.ref.Columns) == 0:
		return nil, nil
	default:
		n.By = n.ref.Columns[0]
	}
	return n, nil
}

// Read reads the names of records by their keys.
func (n *Naming) Read(ctx context.Context, client *erp.Client, keys []string) (map[string]string, error) {
	names := make(map[string]string, len(keys))
	slices.Sort(keys)
	for _, chunk := range searches.Chunks(keys, 1) {
		filter, _ := n.ref.filter(byKey, chunk)
		q := &erp.Query{Filter: filter, Select: n.ref.Columns, Top: 100}
		for rec, err := range client.Records(ctx, n.Table, q) {
			if err != nil {
				return nil, fmt.Errorf("looking up records of %s: %w", n.Table, err)
			}
			name := rec.UUID()
			if n.By != "uid" {
				name, _ = rec.Text(n.By)
			}
			names[rec.ID().String()] = name
		}
	}
	return names, nil
}
