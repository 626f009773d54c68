package erptest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/login"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// choiceQuery is the query of the lists to choose from after the first step.
type choiceQuery struct{ client, role, org int64 }

func (c *call) choiceQuery() (*choiceQuery, error) {
	q := &choiceQuery{}
	for name, to := range map[string]*int64{"client": &q.client, "role": &q.role, "organization": &q.org} {
		v := c.query.get(name)
		if v == "" {
			continue // counts as 0
		}
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return nil, page(http.StatusNotFound)
		}
		*to = n
	}
	return q, nil
}

// isAuthError reports whether the error is a refusal rather than a failure.
func isAuthError(err error) bool {
	var api *apiError
	return asAPI(err, &api) && api.status == http.StatusUnauthorized
}

// candidates are the users who may be behind the token's name.
func (c *call) candidates(tx *store.Tx) ([]int64, error) {
	users, err := login.FindUsers(c.ctx(), tx, c.session.UserName)
	users = slices.DeleteFunc(users, func(u login.User) bool { return u.Locked })
	return login.UserIDs(users), err
}

func listRoles(c *call, tx *store.Tx, q *choiceQuery) ([]login.Choice, error) {
	if !slices.Contains(c.session.Clients, q.client) {
		return nil, login.Refused("Invalid client")
	}
	users, err := c.candidates(tx)
	if err != nil {
		return nil, err
	}
	return login.RoleChoices(c.ctx(), tx, users, q.client)
}

func listOrganizations(c *call, tx *store.Tx, q *choiceQuery) ([]login.Choice, error) {
	roles, err := listRoles(c, tx, q)
	if err != nil {
		return nil, err
	}
	if !login.HasChoice(roles, q.role) {
		return nil, login.Refused("Invalid role")
	}
	users, err := c.candidates(tx)
	if err != nil {
		return nil, err
	}
	user, err := login.RoleUser(c.ctx(), tx, users, q.client, q.role)
	if err != nil {
		return nil, err
	}
	return login.OrgChoices(c.ctx(), c.srv.erp, tx, user, q.client, q.role)
}

func listWarehouses(c *call, tx *store.Tx, q *choiceQuery) ([]login.Choice, error) {
	orgs, err := listOrganizations(c, tx, q)
	if err != nil {
		return nil, err
	}
	if !login.HasChoice(orgs, q.org) {
		return nil, login.Refused("Invalid organization")
	}
	return login.WarehouseChoices(c.ctx(), tx, q.client, q.org)
}

// clientLanguage handles GET /auth/language.
func clientLanguage(c *call) error {
	q, err := c.choiceQuery()
	if err != nil {
		return err
	}
	if q.client <= 0 {
		return page(http.StatusBadRequest)
	}
	var lang string
	err = c.view(c.ctx(), func(tx *store.Tx) error {
		ids, err := engine.LookUpIDs(c.ctx(), tx, `SELECT AD_Client_ID FROM AD_Client WHERE AD_Client_ID=?`, q.client)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return page(http.StatusBadRequest)
		}
		lang, err = login.Language(c.ctx(), tx, "", q.client, -1)
		return err
	})
	if err != nil {
		return err
	}
	c.json(http.StatusOK, wire.NewObject("AD_Language", lang))
	return nil
}

// choiceList handles one of the GET lists of the first step.
func choiceList(name string, list func(c *call, tx *store.Tx, q *choiceQuery) ([]login.Choice, error)) handler {
	return func(c *call) error {
		q, err := c.choiceQuery()
		if err != nil {
			return err
		}
		var found []login.Choice
		err = c.view(c.ctx(), func(tx *store.Tx) error {
			found, err = list(c, tx, q)
			return err
		})
		if err != nil {
			return err
		}
		raw, err := json.Marshal(found)
		if err != nil {
			return err
		}
		c.json(http.StatusOK, wire.NewObject(name, json.RawMessage(raw)))
		return nil
	}
}
