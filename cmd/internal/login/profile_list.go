package login

import (
	"cmp"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

// profileInfo is what there is to know about a profile without calling its ERP.
type profileInfo struct {
	Name  string `json:"name"`
	InUse bool   `json:"inUse"`
	URL   string `json:"url"`
	User  string `json:"user,omitempty"`
	// Tenant and Role are names, or ids where the login told no names.
	Tenant string `json:"tenant,omitempty"`
	Role   string `json:"role,omitempty"`
	// Login is the state of the stored login, StoredIn where it is: file or keyring.
	Login     tokens.State `json:"login"`
	StoredIn  string       `json:"storedIn,omitempty"`
	ExpiresAt *time.Time   `json:"expiresAt"`
	Note      string       `json:"note,omitempty"` // why the login could not be read

	status tokens.Status
}

// about is a profile in one line, for a question.
func (p profileInfo) about() string {
	switch {
	case p.URL == "":
		return "without an address"
	case p.User == "":
		return p.URL
	}
	return p.User + " at " + p.URL
}

// profileOf reads a profile and the login in it.
func (a *app) profileOf(c *cli.Context, doc *config.Document, name string) profileInfo {
	r := profileResolver(nil, doc, name)
	p := profileInfo{Name: name, URL: r.Lookup("url"), User: r.Lookup("auth.username"), Login: tokens.StateNone}
	if name == "" {
		p.Name = config.DefaultProfile
	}
	server, _ := doc.Get(name, "token.url")
	token, _ := doc.Get(name, "token")
	ring, _ := doc.Get(name, "token.keyring")
	switch {
	case token != "":
		p.StoredIn = storeFile
	case ring != "":
		p.StoredIn = storeKeyring
	}
	p.URL = cmp.Or(p.URL, server)
	if p.StoredIn == "" || p.URL == "" {
		return p
	}
	path, _ := a.ConfigPath(c) // it was read before
	store, err := a.OpenProfile(path, name)
	if err != nil {
		p.Note = err.Error()
		return p
	}
	r.Flags = map[string]string{"url": p.URL}
	m, err := shell.ManagerOf(r, store)
	if err == nil {
		p.status, err = m.Status(c.Context)
	}
	if err != nil {
		p.Login, p.Note = "unknown", err.Error()
		return p
	}
	st := p.status
	p.Login, p.ExpiresAt = st.State, st.ExpiresAt
	if st.User != "" {
		p.User = st.User
	}
	p.Tenant, p.Role = nameOrID(st.Names.Client, st.ClientID), nameOrID(st.Names.Role, st.RoleID)
	return p
}

// nameOrID is what something is called, as far as that is known.
func nameOrID(name string, id *int) string {
	switch {
	case name != "":
		return name
	case id != nil:
		return fmt.Sprint(*id)
	}
	return ""
}

// inUse is the profile that commands use, and what says so.
func (a *app) inUse(c *cli.Context, doc *config.Document) (name, because string, err error) {
	switch {
	case c.String("profile") != "":
		name, because = c.String("profile"), "--profile"
	case a.Getenv("ERPHUB_PROFILE") != "":
		name, because = a.Getenv("ERPHUB_PROFILE"), "ERPHUB_PROFILE"
	case doc.Current() != "":
		because = "profile use"
	default:
		because = "no other is chosen"
	}
	name, err = doc.Choose(name)
	return name, because, err
}

func (a *app) profileList(c *cli.Context) error {
	path, err := a.ConfigPath(c)
	if err != nil {
		return err
	}
	doc, err := a.ConfigFile(path).Read()
	if err != nil {
		return err
	}
	used, because, usedErr := a.inUse(c, doc)
	list := struct {
		File     string        `json:"file"`
		InUse    string        `json:"inUse"`
		Because  string        `json:"because"`
		Profiles []profileInfo `json:"profiles"`
	}{File: path, Because: because}
	columns := output.Columns("current=inUse", "profile=name", "address=url", "user", "tenant", "role", "login", "stored in=storedIn")
	columns[1].ID, columns[6].Style = true, output.State
	var rows [][]string
	for _, name := range append([]string{""}, doc.Profiles()...) {
		p := a.profileOf(c, doc, name)
		if name == "" && used != "" && p.URL == "" && p.StoredIn == "" {
			continue // nothing is at the top of the file
		}
		if p.InUse = usedErr == nil && name == used; p.InUse {
			list.InUse = p.Name
		}
		list.Profiles = append(list.Profiles, p)
		mark := ""
		if p.InUse {
			mark = "*"
		}
		rows = append(rows, []string{mark, p.Name, p.URL, p.User, p.Tenant, p.Role, loginState(p), p.StoredIn})
	}
	if err := a.Print(c, list, output.Table{Columns: columns, Rows: rows, List: "profiles"}); err != nil {
		return err
	}
	if usedErr != nil {
		return shell.Usage(fmt.Errorf("%s: %w", because, usedErr))
	}
	a.Note("in use: %s (%s)", list.InUse, because)
	return nil
}

// loginState is what a stored login is good for, in a few words.
func loginState(p profileInfo) string {
	switch {
	case p.Login == tokens.StateNone:
		return ""
	case p.Login == tokens.StateValid && p.ExpiresAt != nil && !p.status.Refreshable:
		return "valid until " + p.ExpiresAt.Local().Format("2006-01-02 15:04")
	}
	return string(p.Login)
}
