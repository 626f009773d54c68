package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// thing is a record with its name.
type thing struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
}

type whoAmIOut struct {
	User             *thing   `json:"user,omitempty"`
	Role             *thing   `json:"role,omitempty"`
	Tenant           *thing   `json:"tenant,omitempty"`
	Organization     *thing   `json:"organization,omitempty"`
	Warehouse        *thing   `json:"warehouse,omitempty"`
	Currency         string   `json:"currency,omitempty" jsonschema:"of the tenant's accounting"`
	Language         string   `json:"language,omitempty"`
	Date             string   `json:"date" jsonschema:"today"`
	UserLevel        string   `json:"userLevel,omitempty" jsonschema:"letters of S System, C Client, O Organization"`
	AllOrganizations bool     `json:"allOrganizations,omitempty"`
	Organizations    []string `json:"organizations,omitempty" jsonschema:"of the role; [read only] marks those"`
	noted
}

func (b *Toolbox) whoAmI() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "whoAmI", Title: "Who am I", Sets: []string{SetAccess, SetChat}, Hints: readOnly,
		Description: "Who you act for: user, role, tenant, organization, warehouse, currency, language, and today's date.", Cost: mcp.Cost{APICalls: 6},
	}, func(ctx context.Context, c *mcp.Call, _ struct{}) (*whoAmIOut, error) {
		w := whoami{b: b, c: c, out: &whoAmIOut{Date: b.now().Format(time.DateOnly)}}
		known, err := w.identify(ctx)
		if err != nil {
			return nil, err
		}
		if known {
			w.look(ctx)
		}
		w.date(ctx)
		slices.Sort(w.out.Notes)
		return w.out, ctx.Err()
	})
}

// whoami finds out who calls.
type whoami struct {
	b      *Toolbox
	c      *mcp.Call
	claims tokens.Claims

	mu  sync.Mutex // guards out
	out *whoAmIOut
}

func (w *whoami) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.AddNote(fmt.Sprintf(format, args...))
}

func (w *whoami) set(change func(out *whoAmIOut)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w.out)
}

// identify takes the numbers from the verified token, or from that of the server's
// own login.
func (w *whoami) identify(ctx context.Context) (bool, error) {
	claims, known, err := w.b.identity(ctx, w.c.Caller)
	switch {
	case known && err != nil:
		w.note("the warehouse and the language are in a token that is not at hand")
	case known:
	case err != nil && !errors.Is(err, errors.ErrUnsupported) && ctx.Err() == nil && mcp.ErrorOf(err).Code == mcp.CodeUnauthorized:
		return false, err
	default:
		w.note("user, role, tenant and organization are not known: there is no token that names them")
		return false, ctx.Err()
	}
	w.claims = claims
	w.out.User, w.out.Role = &thing{ID: claims.UserID}, &thing{ID: claims.RoleID}
	w.out.Tenant, w.out.Organization = &thing{ID: claims.ClientID}, &thing{ID: claims.OrgID}
	if claims.WarehouseID > 0 {
		w.out.Warehouse = &thing{ID: claims.WarehouseID}
	}
	w.out.Language = claims.Language
	return true, nil
}

// look reads what the numbers stand for, as the caller. What cannot be read is
// noted.
func (w *whoami) look(ctx context.Context) {
	if !backend.Can[backend.Recorder](w.b.pool) {
		w.note("names, currency and organizations are not known: no backend in use reads records")
		return
	}
	var work sync.WaitGroup
	name := func(table, about string, to *thing) {
		work.Go(func() {
			if r, ok := w.one(ctx, about, table, to.ID, "Name"); ok {
				w.set(func(*whoAmIOut) { to.Name, _ = r.Text("Name") })
			}
		})
	}
	name("AD_User", "the user's name", w.out.User)
	name("AD_Org", "the organization's name", w.out.Organization)
	if w.out.Warehouse != nil {
		name("M_Warehouse", "the warehouse's name", w.out.Warehouse)
	}
	work.Go(func() { w.role(ctx) })
	work.Go(func() { w.tenant(ctx) })
	work.Wait()
}

// role takes what the rules of the role say.
func (w *whoami) role(ctx context.Context) {
	s := w.b.scope(ctx, w.c, nil)
	if s == nil {
		w.note("the role and its organizations are not known: its rules cannot be read")
		return
	}
	for _, table := range s.Unread {
		w.note("what %s says of the role is not known: your role may not read it", table)
	}
	w.set(func(out *whoAmIOut) {
		out.Role.Name, out.UserLevel, out.AllOrganizations = s.Role, s.UserLevel, s.AllOrganizations
		for _, o := range s.Organizations {
			name := o.Name
			if o.ReadOnly {
				name += " [read only]"
			}
			out.Organizations = append(out.Organizations, name)
		}
	})
}

func (w *whoami) tenant(ctx context.Context) {
	if r, ok := w.one(ctx, "the tenant's name", "AD_Client", w.claims.ClientID, "Name"); ok {
		w.set(func(out *whoAmIOut) { out.Tenant.Name, _ = r.Text("Name") })
	}
	if w.claims.ClientID == 0 {
		return // System has no accounting
	}
	info, ok := w.one(ctx, "the accounting currency", "AD_ClientInfo", w.claims.ClientID, "C_AcctSchema1_ID")
	if !ok {
		return
	}
	schema, _ := info.Ref("C_AcctSchema1_ID")
	id, ok := schema.ID.Int()
	if !ok {
		w.note("the tenant has no accounting schema, so no currency")
		return
	}
	if r, ok := w.one(ctx, "the accounting currency", "C_AcctSchema", int(id), "C_Currency_ID"); ok {
		currency, _ := r.Ref("C_Currency_ID")
		w.set(func(out *whoAmIOut) { out.Currency = currency.Identifier })
	}
}

// one is the record of a number; AD_ClientInfo goes by that of its tenant.
func (w *whoami) one(ctx context.Context, about, table string, id int, column string) (erp.Record, bool) {
	key := table + "_ID"
	if table == "AD_ClientInfo" {
		key = "AD_Client_ID"
	}
	page, err := w.b.search(ctx, w.c, backend.Search{Table: table, Filter: fmt.Sprintf("%s eq %d", key, id), Select: []string{column}, Limit: 1})
	switch {
	case err != nil:
		w.note("%s is not known: %s", about, clip(mcp.ErrorOf(err).Message, 120))
	case len(page.Records) == 0:
		w.note("%s is not known: your role does not see it in %s", about, table)
	default:
		return page.Records[0], true
	}
	return erp.Record{}, false
}

// date is the database's where statements can be run, else this server's.
func (w *whoami) date(ctx context.Context) {
	if backend.Can[backend.Querier](w.b.pool) && w.claims.Complete {
		r, err := w.b.query(ctx, w.c, backend.Query{SQL: "SELECT to_char(current_date, 'YYYY-MM-DD') AS today", MaxRows: 1})
		if err == nil && len(r.Rows) == 1 && len(r.Rows[0]) == 1 {
			if date, ok := r.Rows[0][0].(string); ok {
				w.out.Date = date
				return
			}
		}
	}
	w.note("the date is that of this server's clock")
}
