package board

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// maxPromoted bounds how many runs of a promotion are listed.
const maxPromoted = 100

// versionsResponse is the body of /api/deployments/versions.
type versionsResponse struct {
	Clients []clientVersions `json:"clients"`
}

// clientVersions is what runs in the environments of a tenant, and what bringing
// each environment's version to the next one would mean.
type clientVersions struct {
	deploylog.Inventory
	Promotions []promotion
}

// promotion is a deploylog.Promotion with the runs as lists show them.
type promotion struct {
	deploylog.Promotion
	Runs []shown `json:"runs"`
}

// MarshalJSON adds the promotions to what runs where.
func (v clientVersions) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(v.Inventory)
	if err != nil {
		return nil, err
	}
	promotions, err := json.Marshal(v.Promotions)
	if err != nil {
		return nil, err
	}
	return slices.Concat(text[:len(text)-1], []byte(`,"promotions":`), promotions, []byte("}")), nil
}

func (b *Board) getVersions(ctx context.Context, _ *http.Request, q url.Values) (any, error) {
	client, err := clientID(q)
	if err != nil {
		return nil, err
	}
	return b.versions.get(ctx, client, func(ctx context.Context) (versionsResponse, error) {
		if err := b.probe(ctx); err != nil { // it takes long, which is in vain when the ERP does not respond
			return versionsResponse{}, err
		}
		list, err := b.runs.Inventory(ctx, deploylog.InventoryQuery{Client: client})
		if err != nil {
			return versionsResponse{}, err
		}
		a := versionsResponse{Clients: make([]clientVersions, len(list))}
		for i, inv := range list {
			a.Clients[i] = clientVersions{inv, promotions(inv)}
		}
		return a, nil
	})
}

// promotions are those from each environment in use to the next more important
// one.
func promotions(inv deploylog.Inventory) []promotion {
	list := []promotion{}
	for i := range len(inv.Environments) - 1 {
		p := inv.Compare(inv.Environments[i].Environment, inv.Environments[i+1].Environment).Promotion
		short := promotion{p, make([]shown, min(len(p.Runs), maxPromoted))}
		short.Complete = p.Complete && len(p.Runs) <= maxPromoted
		for j := range short.Runs {
			short.Runs[j] = summary(p.Runs[j])
		}
		list = append(list, short)
	}
	return list
}

// versionsCache keeps what runs where, by tenant.
type versionsCache = cache[erp.ID, versionsResponse]
