package erptest

import (
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// switches tells whether PUT /auth/tokens changes role, organization or
// warehouse of a log-in that is complete already. The real server refuses
// that, and so does a strict one; so does every server when nothing is named,
// or when the token was made without a log-in and is to stay what it is.
func (c *call) switches(p choiceParams) bool {
	s := c.session
	return !c.srv.opts.Strict && s.role != nil && s.loggedIn && len(s.Clients) == 0 && (p.hasRole || p.hasOrg || p.hasWarehouse)
}

// switchLogin is the second step with a completed log-in: the user and the
// tenant stay, what is not named stays as long as it can, and only what the
// user has been granted can be chosen.
func (c *call) switchLogin(p choiceParams) error {
	s := c.session
	keep := func(given *bool, value *string, id int64) {
		if !*given {
			*given, *value = true, strconv.FormatInt(id, 10)
		}
	}
	roleNamed, orgNamed := p.hasRole, p.hasOrg
	keep(&p.hasClient, &p.client, s.ClientID)
	keep(&p.hasRole, &p.role, s.RoleID)
	if !roleNamed {
		keep(&p.hasOrg, &p.org, s.OrgID)
	}
	if !roleNamed && !orgNamed {
		keep(&p.hasWarehouse, &p.warehouse, s.WarehouseID)
	}
	if p.language == "" {
		p.language = s.Language
	}
	ctx := c.ctx()
	answer := &wire.Object{}
	err := c.update(ctx, func(tx *store.Tx) error {
		r, err := c.srv.erp.resolve(ctx, tx, []int64{s.UserID}, []int64{s.ClientID}, p)
		if err != nil {
			return err
		}
		return c.finishLogin(ctx, tx, answer, s.UserName, "", r)
	})
	if err != nil {
		return err
	}
	c.json(200, answer)
	return nil
}
