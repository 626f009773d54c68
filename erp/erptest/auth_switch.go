package erptest

import (
	"cmp"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine/login"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// switches reports whether PUT /auth/tokens changes role, organization or
// warehouse of a log-in that is complete already. The real server refuses
// that, and so does a strict one; so does every server when nothing is named,
// or when the token was made without a log-in and is to stay what it is.
func (c *call) switches(p login.Request) bool {
	s := c.session
	return !c.srv.opts.Strict && s.Role != nil && s.LoggedIn && len(s.Clients) == 0 && (p.HasRole || p.HasOrg || p.HasWarehouse)
}

// switchLogin is the second step with a completed log-in: the user and the
// tenant stay, what is not named stays as long as it can, and only what the
// user has been granted can be chosen.
func (c *call) switchLogin(p login.Request) error {
	s := c.session
	keep := func(given *bool, value *string, id int64) {
		if !*given {
			*given, *value = true, strconv.FormatInt(id, 10)
		}
	}
	roleNamed, orgNamed := p.HasRole, p.HasOrg
	keep(&p.HasClient, &p.Client, s.ClientID)
	keep(&p.HasRole, &p.Role, s.RoleID)
	if !roleNamed {
		keep(&p.HasOrg, &p.Org, s.OrgID)
	}
	if !roleNamed && !orgNamed {
		keep(&p.HasWarehouse, &p.Warehouse, s.WarehouseID)
	}
	p.Language = cmp.Or(p.Language, s.Language)
	ctx := c.ctx()
	response := &wire.Object{}
	err := c.update(ctx, func(tx *store.Tx) error {
		r, err := c.resolve(ctx, tx, []int64{s.UserID}, []int64{s.ClientID}, p)
		if err != nil {
			return err
		}
		return c.finishLogin(ctx, tx, response, s.UserName, "", r)
	})
	if err != nil {
		return err
	}
	c.json(200, response)
	return nil
}
