package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/config"
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

// origin says where the login that commands use comes from.
type origin struct {
	Profile string `json:"profile"`
	Because string `json:"because"`          // what says that it is this profile
	Address string `json:"serverFrom"`       // what the address comes from
	Login   string `json:"loginFrom"`        // "stored", or what is used in its place
	Unused  string `json:"unused,omitempty"` // what is there and not used
}

// stored is the origin of a login that is stored in the profile.
const stored = "stored"

// usedLogin is a login that commands use.
type usedLogin struct {
	setup  *shell.Setup
	from   *origin
	tokens *tokens.Manager // tells what the login is
	source tokens.Source   // gives its token
}

// login is the login that commands use: the stored one, unless a token or
// credentials are given closer to the call. Those are kept in this process.
func (a *app) login(c *cli.Context) (*usedLogin, error) {
	if err := shell.Arguments(c); err != nil {
		return nil, err
	}
	s, err := a.SetupFor(c, false)
	if err != nil {
		return nil, err
	}
	settings, err := s.Settings()
	if err != nil {
		return nil, err
	}
	u := &usedLogin{setup: s, from: &origin{
		Profile: cmp.Or(s.Profile, config.DefaultProfile), Address: string(s.Resolver.Value("url").Origin), Login: givenLogin(s, settings),
	}}
	doc := s.Resolver.Document
	if doc != nil {
		_, u.from.Because, _ = a.inUse(c, doc) // Setup has found it
	}
	if u.from.Login == stored {
		u.tokens, _, err = a.manager(c)
		u.source = u.tokens
		return u, err
	}
	if doc != nil {
		token, _ := doc.Get(s.Profile, "token")
		ring, _ := doc.Get(s.Profile, "token.keyring")
		if token+ring != "" {
			u.from.Unused = "the stored login, because of " + u.from.Login
		}
	}
	if _, err := s.URL(); err != nil {
		return nil, err
	}
	u.tokens, err = settings.Manager(tokens.NewMemoryStore(tokens.Stored{Access: settings.Token}), tokens.WithLogger(a.Log))
	if err != nil {
		return nil, shell.Usage(err)
	}
	a.Keep(u.tokens)
	if u.source = u.tokens; settings.Username == "" {
		u.source, err = tokens.Static(settings.Token)
		return u, err
	}
	return u, u.tokens.Ready(c.Context)
}

// givenLogin is what a login comes from: stored, or what is used in its place.
func givenLogin(s *shell.Setup, settings tokens.Settings) string {
	user := s.Resolver.Value("auth.username").Origin
	switch {
	case settings.Username != "" && (user == config.FromEnv || user == config.FromFlag):
		return "ERP_USERNAME and ERP_PASSWORD"
	case settings.Token.IsZero():
		return stored
	case s.Resolver.Value("token").Origin == config.FromFlag:
		return "--token-file"
	}
	return "ERP_TOKEN"
}

func (a *app) authStatus(c *cli.Context) error {
	u, err := a.login(c)
	if err != nil {
		return err
	}
	m := u.tokens
	st, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	if st.State != tokens.StateValid && st.State != tokens.StateDue {
		return a.printStatus(c, st, &verdict{}, u.from)
	}
	client, err := a.statusClient(u.setup, u.source)
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
	v := verdictOf(asked)
	if asked == nil {
		st.Names = namesOf(ctx, client, st)
	}
	err = a.printStatus(c, st, v, u.from)
	if err == nil && v.Accepted == nil && st.State == tokens.StateDue {
		return errors.Join(shell.ErrReported, asked) // nobody knows
	}
	return err
}

// verdictOf is what the ERP's response to a request says about the login.
func verdictOf(asked error) *verdict {
	v := &verdict{}
	refused := errors.Is(asked, erp.ErrUnauthorized) || errors.Is(asked, tokens.ErrAuthentication)
	accepted := asked == nil || errors.Is(asked, erp.ErrForbidden)
	if accepted || refused {
		yes := !refused
		v.Accepted = &yes
	}
	if !accepted {
		v.Note = asked.Error()
	}
	return v
}

func (a *app) statusClient(s *shell.Setup, source tokens.Source) (*erp.Client, error) {
	url, err := s.URL()
	if err != nil {
		return nil, err
	}
	return erp.New(url, erp.WithTokenSource(source), erp.WithUserAgent("erphub/"+shell.Version()), erp.WithLogger(a.Log))
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

// printStatus shows a login, what the ERP says about it, and where it comes from;
// nil where that is not asked for, because it was just made. Without a usable login
// the exit code is "not logged in".
func (a *app) printStatus(c *cli.Context, st tokens.Status, v *verdict, from *origin) error {
	err := a.Print(c, struct {
		tokens.Status
		*verdict
		*origin
	}{st, v, from}, facts("login", "", append(statusRows(st, v), originRows(from)...)))
	if err != nil {
		return err
	}
	switch {
	case v != nil && v.Accepted != nil && !*v.Accepted:
	case st.State == tokens.StateValid, st.State == tokens.StateDue:
		return nil
	}
	return errors.Join(shell.ErrReported, tokens.ErrAuthentication)
}

// facts is a table of one thing, of whose values each has a name.
func facts(kind, name string, rows [][]string) output.Table {
	t := output.Table{Single: &[2]string{kind, name}, Rows: [][]string{nil}}
	for _, row := range rows {
		column := output.Column{Name: row[0]}
		if row[0] == "state" {
			column.Style = output.State
		}
		t.Columns, t.Rows[0] = append(t.Columns, column), append(t.Rows[0], row[1])
	}
	return t
}

func originRows(from *origin) [][]string {
	if from == nil {
		return nil
	}
	rows := [][]string{{"profile", from.Profile}}
	if from.Because != "" {
		rows[0][1] += " (" + from.Because + ")"
	}
	rows = append(rows, []string{"address from", from.Address}, []string{"login from", from.Login})
	if from.Unused != "" {
		rows = append(rows, []string{"not used", from.Unused})
	}
	return rows
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
	rows = append(rows, []string{"expires", expiry(st)}, []string{"refresh token", shell.YesNo(st.Refreshable)}, []string{"stored in", shell.OrDash(st.StoredIn)})
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
