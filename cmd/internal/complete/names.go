package complete

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/tokens"
)

const (
	// fresh is how long names that were read are taken as they are.
	fresh = 10 * time.Minute
	// patience is how long reading names may take. Older ones are used instead.
	patience = 1500 * time.Millisecond
	// pause is how long nothing is requested after a failure.
	pause = 30 * time.Second
	// most bounds what is read, and offered, of one kind.
	most = 20_000
	// pageSize is how many records a server sends at once.
	pageSize = 100
	// atOnce is how many requests are under way at the same time.
	atOnce = 6
)

// names are what completion wants to know of an ERP and the configuration. All
// are empty where that cannot be known.
type names interface {
	tables() []Candidate
	columns(table string) []Candidate
	processes() []Candidate
	windows() []Candidate
	profiles() []Candidate
}

// erpNames reads the names of the ERP in use, and keeps them in the user's cache
// folder: one file per kind, in a folder per address and login.
type erpNames struct {
	sh *shell.Shell
	c  *cli.Context // with the global flags of the line

	setup *shell.Setup
}

func (n *erpNames) settings() *shell.Setup {
	if n.setup == nil {
		n.setup, _ = n.sh.Setup(n.c) // without any, nothing is offered
	}
	return n.setup
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

func (n *erpNames) tables() []Candidate {
	return n.cached("tables", func(ctx context.Context, client *erp.Client) ([]Candidate, error) {
		models, err := client.Models(ctx, erp.Filter{})
		if err != nil {
			return nil, err
		}
		spelled := spellings(ctx, client)
		found := make([]Candidate, len(models))
		for i, m := range models {
			found[i] = Candidate{cmp.Or(spelled[m.Table], m.Table), m.Name}
		}
		return found, ctx.Err()
	})
}

// spellings are the names of tables as the ERP writes them, by those in small
// letters. A role that may not read the dictionary has none.
func spellings(ctx context.Context, client *erp.Client) map[string]string {
	query := func(skip int) (*erp.Page, error) {
		return client.Query(ctx, "AD_Table", &erp.Query{Select: []string{"TableName"}, OrderBy: []string{"AD_Table_ID"}, Top: pageSize, Skip: skip})
	}
	first, err := query(0)
	if err != nil {
		return nil
	}
	pages := []*erp.Page{first}
	if size := len(first.Records); size > 0 && first.Rows > size {
		pages = append(pages, make([]*erp.Page, (min(first.Rows, most)-1)/size)...)
		var reading sync.WaitGroup
		free := make(chan struct{}, atOnce)
		for i := 1; i < len(pages); i++ {
			reading.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				pages[i], _ = query(i * size) // those of a page that fails keep their small letters
			})
		}
		reading.Wait()
	}
	spelled := map[string]string{}
	for _, p := range pages {
		if p == nil {
			continue
		}
		for _, rec := range p.Records {
			if name, ok := rec.Text("TableName"); ok {
				spelled[strings.ToLower(name)] = name
			}
		}
	}
	return spelled
}

func (n *erpNames) columns(table string) []Candidate {
	if table == "" || strings.ContainsAny(table, `/\`) {
		return nil
	}
	return n.cached("columns-"+strings.ToLower(table), func(ctx context.Context, client *erp.Client) ([]Candidate, error) {
		var found []Candidate
		for _, name := range shell.SchemaColumns(ctx, client, table) {
			if name != "id" && name != "uid" && name != "model-name" {
				found = append(found, Candidate{Value: name})
			}
		}
		return found, ctx.Err()
	})
}

func (n *erpNames) processes() []Candidate {
	return n.cached("processes", func(ctx context.Context, client *erp.Client) ([]Candidate, error) {
		list, err := client.Processes(ctx, erp.Filter{})
		found := make([]Candidate, len(list))
		for i, p := range list {
			found[i] = Candidate{p.Slug, p.Name}
		}
		return found, err
	})
}

func (n *erpNames) windows() []Candidate {
	return n.cached("windows", func(ctx context.Context, client *erp.Client) ([]Candidate, error) {
		var found []Candidate
		for rec, err := range client.Records(ctx, "AD_Window", &erp.Query{Select: []string{"Name", "Description"}, OrderBy: []string{"Name"}, Limit: most}) {
			if err != nil {
				return nil, err
			}
			name, _ := rec.Text("Name")
			about, _ := rec.Text("Description")
			found = append(found, Candidate{name, about})
		}
		return found, nil
	})
}

// cached is what a file says, as long as that is fresh; else what the ERP says, if
// it responds soon; else what the file says all the same.
func (n *erpNames) cached(kind string, read func(context.Context, *erp.Client) ([]Candidate, error)) []Candidate {
	dir := n.folder()
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, fileName(kind))
	kept, at := load(path)
	if time.Since(at) < fresh || recent(path+".failed", pause) {
		return kept
	}
	ctx, cancel := context.WithTimeout(n.c.Context, patience)
	defer cancel()
	found, err := n.ask(ctx, read)
	if err != nil {
		_ = os.MkdirAll(dir, 0o700)
		_ = os.WriteFile(path+".failed", nil, 0o600) // else each key waits for the ERP
		return kept
	}
	found = found[:min(len(found), most)]
	if text, err := json.Marshal(found); err == nil && os.MkdirAll(dir, 0o700) == nil {
		_ = atomicfile.Write(path, text, 0o600) // it is read again next time
	}
	return found
}

func (n *erpNames) ask(ctx context.Context, read func(context.Context, *erp.Client) ([]Candidate, error)) ([]Candidate, error) {
	client, err := n.sh.ClientFor(n.c, n.settings())
	if err != nil {
		return nil, err
	}
	type response struct {
		found []Candidate
		err   error
	}
	done := make(chan response, 1)
	go func() { // a login may take longer than the context, which then is nobody's to wait for
		found, err := read(ctx, client)
		done <- response{found, err}
	}()
	select {
	case r := <-done:
		return r.found, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// folder is where names of the ERP in use are kept, for this login alone: another
// role sees other tables. "" means that there is no ERP.
func (n *erpNames) folder() string {
	s := n.settings()
	if s == nil || s.Resolver.Lookup("url") == "" {
		return ""
	}
	root := n.sh.Getenv("XDG_CACHE_HOME")
	if root == "" {
		var err error
		if root, err = os.UserCacheDir(); err != nil {
			return ""
		}
	}
	who := []string{s.Resolver.Lookup("url"), s.Profile, n.c.String("locale")}
	for _, key := range []string{"auth.username", "auth.default-client-id", "auth.default-role-id", "auth.default-org-id"} {
		who = append(who, s.Resolver.Lookup(key))
	}
	if token := s.Resolver.Lookup("token"); token != "" {
		if claims, err := tokens.UnverifiedClaims(token); err == nil { // it is our own
			token = strings.Join([]string{claims.Subject, strconv.Itoa(claims.ClientID), strconv.Itoa(claims.RoleID)}, "/")
		}
		who = append(who, token)
	}
	sum := sha256.Sum256([]byte(strings.Join(who, "\x00")))
	return filepath.Join(root, "erphub", "names", hex.EncodeToString(sum[:12]))
}

// fileName is a name for a file, whatever the kind is called.
func fileName(kind string) string {
	safe := func(r rune) bool { return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }
	if len(kind) > 100 || strings.ContainsFunc(kind, func(r rune) bool { return !safe(r) }) {
		sum := sha256.Sum256([]byte(kind))
		kind = hex.EncodeToString(sum[:12])
	}
	return kind + ".json"
}

// load reads a file and when it was written, the zero time for none that can be
// used.
func load(path string) ([]Candidate, time.Time) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, time.Time{}
	}
	var found []Candidate
	if json.Unmarshal(text, &found) != nil {
		return nil, time.Time{}
	}
	return slices.Clip(found), info.ModTime()
}

// recent tells whether a file was written within a time.
func recent(path string, within time.Duration) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) < within
}
