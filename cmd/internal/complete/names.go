package complete

import (
	"math"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// names are what completion wants to know of an ERP and the configuration. All
// are empty where that is not known.
type names interface {
	tables() []Candidate
	columns(table string) []Candidate
	processes() []Candidate
	windows() []Candidate
	profiles() []Candidate
}

// erpNames are the names in the dictionary that other commands keep in the user's
// cache folder for this ERP and login. The ERP is not asked for them.
type erpNames struct {
	sh *shell.Shell
	c  *cli.Context // with the global flags of the line
}

func (n *erpNames) profiles() []Candidate {
	path, err := n.sh.ConfigPath(n.c)
	if err != nil {
		return nil
	}
	doc, err := n.sh.ConfigFile(path).Read()
	if err != nil {
		return nil
	}
	var found []Candidate
	for _, name := range doc.Profiles() {
		url, _ := doc.Get(name, "url")
		found = append(found, Candidate{name, url})
	}
	return found
}

// dictionary is what is kept; nil: nothing is.
func (n *erpNames) dictionary() *registry.Catalog {
	setup, err := n.sh.Setup(n.c)
	if err != nil {
		return nil
	}
	client, err := n.sh.ClientFor(n.c, setup)
	if err != nil {
		return nil
	}
	path := n.sh.DictionarySnapshot(client.BaseURL(), n.login(setup))
	if _, err := os.Stat(path); path == "" || err != nil {
		return nil
	}
	cache := registry.NewCache(restdict.NewSource(client, nil), &registry.CacheOptions{Snapshot: path, SnapshotAge: math.MaxInt64})
	if cache.Load(n.c.Context) != nil {
		return nil
	}
	return cache.Catalog()
}

// login is whose dictionary is meant, as far as that is known without a request.
func (n *erpNames) login(setup *shell.Setup) tokens.Claims {
	source, err := n.sh.Source(setup)
	if err != nil || source == nil {
		return tokens.Claims{}
	}
	m, stored := source.(*tokens.Manager)
	if !stored {
		token, err := source.Token(n.c.Context)
		if err != nil {
			return tokens.Claims{}
		}
		claims, _ := tokens.UnverifiedClaims(token) // incomplete where it is not a token of an ERP
		return claims
	}
	st, err := m.Status(n.c.Context)
	if err != nil || st.ClientID == nil || st.RoleID == nil || st.UserID == nil {
		return tokens.Claims{}
	}
	return tokens.Claims{Complete: true, ClientID: *st.ClientID, RoleID: *st.RoleID, UserID: *st.UserID, Language: st.Language}
}

// listed are the entries of a list of the dictionary as candidates.
func listed[T any](n *erpNames, read func(*registry.Catalog) (registry.Listing[T], error), candidate func(*T) Candidate) []Candidate {
	d := n.dictionary()
	if d == nil {
		return nil
	}
	list, err := read(d)
	if err != nil {
		return nil
	}
	found := make([]Candidate, len(list.Items))
	for i := range list.Items {
		found[i] = candidate(&list.Items[i])
	}
	return found
}

func (n *erpNames) tables() []Candidate {
	return listed(n, func(d *registry.Catalog) (registry.Listing[registry.Table], error) {
		return d.Tables(n.c.Context, registry.ListQuery{})
	}, func(t *registry.Table) Candidate { return Candidate{t.Name, t.Label} })
}

func (n *erpNames) columns(table string) []Candidate {
	return listed(n, func(d *registry.Catalog) (registry.Listing[registry.Column], error) {
		return d.Columns(n.c.Context, table, registry.ListQuery{})
	}, func(c *registry.Column) Candidate { return Candidate{c.Name, c.Label} })
}

func (n *erpNames) processes() []Candidate {
	return listed(n, func(d *registry.Catalog) (registry.Listing[registry.Process], error) {
		return d.Processes(n.c.Context, registry.ListQuery{})
	}, func(p *registry.Process) Candidate {
		slug, _ := erp.Slug(p.Value) // without one it has no address, and is not offered
		return Candidate{slug, p.Name}
	})
}

func (n *erpNames) windows() []Candidate {
	return listed(n, func(d *registry.Catalog) (registry.Listing[registry.Window], error) {
		return d.Windows(n.c.Context, registry.ListQuery{})
	}, func(w *registry.Window) Candidate { return Candidate{w.Name, w.Description} })
}
