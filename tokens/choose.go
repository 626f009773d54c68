package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Part is one of the things that a login chooses.
type Part string

// The parts, in the order they are chosen.
const (
	PartClient       Part = "client"
	PartRole         Part = "role"
	PartOrganization Part = "organization"
	PartWarehouse    Part = "warehouse"
)

// Choice is a client (tenant), role, organization or warehouse that the user may
// log in to.
type Choice struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// LeaveToERP is the choice by which a [Chooser] leaves a warehouse to the ERP, which
// takes the default one of the organization.
const LeaveToERP = -1

// Chooser picks one of several choices, by its index. It is called for parts
// that the [Login] leaves open and of which there is more than one.
type Chooser func(ctx context.Context, part Part, from []Choice) (int, error)

// LoginChoosing is [Manager.Login] for people: it requests from the ERP the
// clients, roles and so on that the user has, takes the only one, and calls choose
// where there are more; a nil choose makes that an error. A part that is given can be
// an id or a name. A warehouse is chosen only where something else is open; it is left
// to the ERP otherwise. The names of all parts are stored, see [Status].
//
// That user name and password are refused is an [ErrCredentials].
//
// While choose is called nothing is locked and nothing has changed. What it
// returns as an error is the error of the login.
func (m *Manager) LoginChoosing(ctx context.Context, l Login, choose Chooser) error {
	if err := l.check(); err != nil {
		return err
	}
	// An unreadable store is found before the password is sent.
	if _, err := m.load(ctx); err != nil {
		return err
	}
	first, _, fail := m.wire.login(ctx, m.log, Login{Username: l.Username, Password: l.Password})
	if fail != nil {
		if fail.Kind == ErrAuthentication {
			fail.Advice = "check user name and password"
		}
		if fail.Status == http.StatusUnauthorized {
			fail.Kind = ErrCredentials
		}
		return fail
	}
	s := &steps{m: m, first: first, choose: choose, login: l}
	s.given = l.Client != "" && l.Role != "" && l.Organization != ""
	if err := s.all(ctx); err != nil {
		return err
	}
	return s.complete(ctx)
}

// steps is a login that is being made up.
type steps struct {
	m      *Manager
	first  response
	choose Chooser
	login  Login
	given  bool // nothing is open but the warehouse, which is left to the ERP
	names  Names
	// warehouses are those of the organization.
	warehouses []Choice
	// ids of what was chosen so far; -1 where only the ERP knows it.
	client, role, org int
}

// all chooses the parts one after the other; each list depends on those before.
func (s *steps) all(ctx context.Context) error {
	list, err := decodeChoices(s.first.Clients)
	if err != nil {
		return s.fail(err)
	}
	if s.client, err = s.pick(ctx, PartClient, list, &s.login.Client, &s.names.Client); err != nil || s.client < 0 {
		return err
	}
	query := url.Values{"client": {strconv.Itoa(s.client)}}
	if list, err = s.list(ctx, "/auth/roles", query, func(a response) json.RawMessage { return a.Roles }); err != nil {
		return err
	}
	if s.role, err = s.pick(ctx, PartRole, list, &s.login.Role, &s.names.Role); err != nil || s.role < 0 {
		return err
	}
	query.Set("role", strconv.Itoa(s.role))
	if list, err = s.list(ctx, "/auth/organizations", query, func(a response) json.RawMessage { return a.Organizations }); err != nil {
		return err
	}
	if s.org, err = s.pick(ctx, PartOrganization, list, &s.login.Organization, &s.names.Organization); err != nil || s.org <= 0 {
		return err // the organization * has no warehouse
	}
	query.Set("organization", strconv.Itoa(s.org))
	if list, err = s.list(ctx, "/auth/warehouses", query, func(a response) json.RawMessage { return a.Warehouses }); err != nil {
		return err
	}
	s.warehouses = list
	if len(list) > 0 && (!s.given || s.login.Warehouse != "") {
		_, err = s.pick(ctx, PartWarehouse, list, &s.login.Warehouse, &s.names.Warehouse)
	}
	return err
}

// pick finds what is given among the choices, takes the only one, or asks. given
// becomes the id; a word that is not one of the choices stays, for the ERP knows
// search keys, too. -1 is an id that is not known.
func (s *steps) pick(ctx context.Context, part Part, from []Choice, given, name *string) (int, error) {
	i := 0
	switch {
	case *given != "":
		if i = find(from, *given); i < 0 {
			return -1, nil
		}
	case len(from) == 0:
		return -1, s.fail(fmt.Errorf("this user has no %s to log in to", part))
	case len(from) > 1 && s.choose == nil:
		return -1, s.fail(fmt.Errorf("this user has more than one %s to log in to, and none was named", part))
	case len(from) > 1:
		var err error
		if i, err = s.choose(ctx, part, slices.Clone(from)); err != nil {
			return -1, err
		}
		if i == LeaveToERP && part == PartWarehouse {
			return -1, nil
		}
		if i < 0 || i >= len(from) {
			return -1, fmt.Errorf("choosing the %s: there is no choice %d", part, i)
		}
	}
	*given, *name = strconv.Itoa(from[i].ID), clean(from[i].Name, s.first.access())
	return from[i].ID, nil
}

// find returns the index of the choice with the id or name, -1 for none. A name
// of two choices finds none: the ERP refuses it.
func find(from []Choice, word string) int {
	if id, ok := numeric(word); ok {
		return slices.IndexFunc(from, func(c Choice) bool { return c.ID == id })
	}
	same := func(c Choice) bool { return strings.EqualFold(c.Name, word) }
	i := slices.IndexFunc(from, same)
	if i >= 0 && slices.ContainsFunc(from[i+1:], same) {
		return -1
	}
	return i
}

func (s *steps) list(ctx context.Context, path string, query url.Values, of func(response) json.RawMessage) ([]Choice, error) {
	a, fail := s.m.wire.choices(ctx, s.m.log, path, query, s.first.access())
	if fail != nil {
		return nil, fail
	}
	list, err := decodeChoices(of(a))
	if err != nil {
		return nil, s.fail(err)
	}
	return list, nil
}

// maxChoices bounds how many choices are looked at.
const maxChoices = 10_000

func decodeChoices(raw json.RawMessage) ([]Choice, error) {
	var list []Choice
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil, errors.New("the response is not what the ERP's REST API sends")
	}
	return list[:min(len(list), maxChoices)], nil
}

func (s *steps) fail(err error) *Error {
	return &Error{Op: "log in", Server: s.m.wire.base, Kind: ErrAuthentication, Err: err,
		Advice: "ask an administrator of the ERP, or check the address (ERP_URL)"}
}

// complete makes the login of what was chosen, and stores it.
func (s *steps) complete(ctx context.Context) (err error) {
	m := s.m
	defer func() { m.logins.add(err) }()
	st, release, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	a := s.first
	if !s.done() {
		var fail *Error
		if a, fail = m.wire.complete(ctx, m.log, s.login, s.first.access()); fail != nil {
			if fail.Kind == ErrAuthentication {
				fail.Advice = adviceCreds
			}
			return fail
		}
		if !s.first.refresh().IsZero() {
			// The first step had made a session of its own, which nobody needs.
			if _, fail := m.wire.logout(ctx, m.log, s.first.access()); fail != nil {
				m.log.DebugContext(ctx, "the session of the first step was not ended", "error", fail)
			}
		}
	}
	if c, err := UnverifiedClaims(a.Token); err == nil && s.names.Warehouse == "" {
		if i := find(s.warehouses, strconv.Itoa(c.WarehouseID)); i >= 0 {
			s.names.Warehouse = clean(s.warehouses[i].Name, s.first.access())
		}
	}
	session, err := m.accept(ctx, st, a, s.login, s.names)
	if err != nil {
		return err
	}
	m.settle(session)
	return nil
}

// done reports whether the first step has logged in to what was chosen: it does
// so for users with one client and one role.
func (s *steps) done() bool {
	c, err := UnverifiedClaims(s.first.Token)
	return !s.first.refresh().IsZero() && err == nil && s.login.matches(c) && s.login.Language == "" &&
		!slices.Contains([]int{s.client, s.role, s.org}, -1)
}
