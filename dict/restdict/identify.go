package restdict

import (
	"context"
	"fmt"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/adid"
)

// Identify gives what a record of this ERP is known by in others too: its
// official id, or its UUID. Neither means that there is no such record, or more
// than one. It fits the Resolve option of package pack:
//
//	opts.Resolve = restdict.Identify(ctx, client)
func Identify(ctx context.Context, c *erp.Client) func(dict.Existing) (id int, uuid dict.UUID, err error) {
	r := &runner{client: c, existing: map[string]int64{}, byKey: map[dict.Key]*state{}}
	return func(e dict.Existing) (int, dict.UUID, error) {
		if len(e.Match) == 0 {
			return e.ID, "", nil
		}
		var order []*wanted
		var want func(e dict.Existing)
		want = func(e dict.Existing) {
			for _, m := range e.Match {
				if inner, ok := m.Value.(dict.Existing); ok && len(inner.Match) > 0 {
					want(inner)
				}
			}
			if _, known := r.existing[existingName(e)]; !known {
				order = append(order, &wanted{existing: e})
			}
		}
		want(e)
		if err := r.findWanted(ctx, order); err != nil {
			return 0, "", err
		}
		id, ok := r.existing[existingName(e)]
		if !ok {
			return 0, "", nil
		}
		if adid.Official(id) {
			return int(id), "", nil
		}
		rec, err := c.Get(ctx, e.Table, erp.IntID(id), &erp.GetOptions{Select: []string{e.Match[0].Column}})
		if err != nil {
			return 0, "", fmt.Errorf("reading the UUID of %s: %w", existingName(e), err)
		}
		uuid, _ := dict.ParseUUID(rec.UUID())
		return 0, uuid, nil
	}
}
