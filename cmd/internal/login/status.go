package login

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// statusTime is how long the ERP may take to say whether it accepts a login.
const statusTime = 15 * time.Second

// verdict is what the ERP says about a stored login.
type verdict struct {
	// Accepted is nil when the ERP could not be reached.
	Accepted *bool  `json:"accepted"`
	Note     string `json:"note,omitempty"`
}

func (a *app) authStatus(c *cli.Context) error {
	m, s, err := a.manager(c)
	if err != nil {
		return err
	}
	st, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	if st.State != tokens.StateValid && st.State != tokens.StateDue {
		return a.printStatus(c, st, &verdict{})
	}
	client, err := a.statusClient(s, m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context, statusTime)
	defer cancel()
	_, asked := client.Models(ctx, erp.Eq("TableName", "AD_Org")) // every role may; it costs the ERP little
	if c.Context.Err() != nil {
		return c.Context.Err()
	}
	if st, err = m.Status(c.Context); err != nil { // it may have been refreshed
		return err
	}
	v := &verdict{}
	refused := errors.Is(asked, erp.ErrUnauthorized) || errors.Is(asked, tokens.ErrAuthentication)
	switch yes := !refused; {
	case asked == nil, errors.Is(asked, erp.ErrForbidden), refused:
		v.Accepted = &yes
	}
	if asked != nil && !errors.Is(asked, erp.ErrForbidden) {
		v.Note = asked.Error()
	}
	if asked == nil {
		st.Names = namesOf(ctx, client, st)
	}
	err = a.printStatus(c, st, v)
	if err == nil && v.Accepted == nil && st.State == tokens.StateDue {
		return errors.Join(shell.ErrReported, asked) // nobody knows
	}
	return err
}

func (a *app) statusClient(s *shell.Setup, m *tokens.Manager) (*erp.Client, error) {
	url, err := s.URL()
	if err != nil {
		return nil, err
	}
	return erp.New(url, erp.WithTokenSource(m), erp.WithUserAgent("erphub/"+shell.Version()), erp.WithLogger(a.Log))
}

// namesOf reads the names that the login did not tell, as far as the role may
// see them.
func namesOf(ctx context.Context, client *erp.Client, st tokens.Status) tokens.Names {
	names := st.Names
	for _, n := range []struct {
		table string
		id    *int
		name  *string
	}{
		{"AD_Client", st.ClientID, &names.Client}, {"AD_Role", st.RoleID, &names.Role},
		{"AD_Org", st.OrgID, &names.Organization}, {"M_Warehouse", st.WarehouseID, &names.Warehouse},
	} {
		if n.id == nil || *n.name != "" {
			continue
		}
		rec, err := client.Get(ctx, n.table, erp.IntID(int64(*n.id)), &erp.GetOptions{Select: []string{"Name"}})
		if err == nil { // otherwise the id has to do
			*n.name, _ = rec.Text("Name")
		}
	}
	return names
}

// printStatus shows the stored login, and what the ERP says about it; nil when it
// was not called because it has just made the login. That there is none, or that
// it can no longer be used, is the exit code "not logged in".
func (a *app) printStatus(c *cli.Context, st tokens.Status, v *verdict) error {
	var out any = st
	if v != nil {
		out = struct {
			tokens.Status
			*verdict
		}{st, v}
	}
	t := output.Table{Single: &[2]string{"login", ""}, Rows: [][]string{nil}}
	for _, row := range statusRows(st, v) {
		column := output.Column{Name: row[0]}
		if row[0] == "state" {
			column.Style = output.State
		}
		t.Columns, t.Rows[0] = append(t.Columns, column), append(t.Rows[0], row[1])
	}
	if err := a.Print(c, out, t); err != nil {
		return err
	}
	switch {
	case v != nil && v.Accepted != nil && !*v.Accepted:
	case st.State == tokens.StateValid, st.State == tokens.StateDue:
		return nil
	}
	return errors.Join(shell.ErrReported, tokens.ErrAuthentication)
}

func statusRows(st tokens.Status, v *verdict) [][]string {
	rows := [][]string{{"state", string(st.State)}, {"server", st.Server}, {"user", shell.OrDash(st.User)}}
	for _, n := range []struct {
		label string
		id    *int
		name  string
	}{
		{"tenant", st.ClientID, st.Names.Client}, {"role", st.RoleID, st.Names.Role},
		{"organization", st.OrgID, st.Names.Organization}, {"warehouse", st.WarehouseID, st.Names.Warehouse},
	} {
		switch {
		case n.id == nil:
			rows = append(rows, []string{n.label, "-"})
		case n.name == "":
			rows = append(rows, []string{n.label, strconv.Itoa(*n.id)})
		default:
			rows = append(rows, []string{n.label, fmt.Sprintf("%s (%d)", shell.Short(n.name, 60), *n.id)})
		}
	}
	rows = append(rows, []string{"expires", expiry(st)}, []string{"refresh token", shell.YesNo(st.Refreshable)}, []string{"stored in", st.StoredIn})
	if v != nil {
		accepted := "not checked"
		switch {
		case v.Accepted != nil:
			accepted = shell.YesNo(*v.Accepted)
		case v.Note != "":
			accepted = "unknown"
		}
		rows = append(rows, []string{"accepted by the ERP", accepted})
		if v.Note != "" {
			rows = append(rows, []string{"note", v.Note})
		}
	}
	if st.Interrupted {
		rows = append(rows, []string{"note", "a refresh was cut off: the token is used to its end, then the refresh token is tried once more"})
	}
	return rows
}

// expiry says when the access token ends.
func expiry(st tokens.Status) string {
	switch {
	case st.ExpiresAt == nil:
		return "-"
	case st.ExpiresIn > 0:
		return fmt.Sprintf("in %s (%s)", time.Duration(st.ExpiresIn)*time.Second, st.ExpiresAt.Local().Format(time.RFC3339))
	}
	return "ended at " + st.ExpiresAt.Local().Format(time.RFC3339)
}
