package browserlogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/netguard"
)

const (
	maxDocument   = 64 << 10
	maxDocuments  = 200
	documentTime  = 5 * time.Second
	documentLife  = time.Hour
	documentRetry = 30 * time.Second
)

// documents reads clients' metadata from the addresses that are their identifiers
// (OAuth Client ID Metadata Documents). It is safe for concurrent use.
type documents struct {
	http *http.Client

	mu    sync.Mutex // guards known
	known map[string]document
}

// document is what came of reading one.
type document struct {
	client client
	err    error
	until  time.Time
}

func newDocuments(c *http.Client) *documents {
	if c == nil {
		c = netguard.New().Client(nil) // whoever asks for an address is unknown: public ones only
	}
	return &documents{http: c, known: map[string]document{}}
}

// isDocument reports whether an identifier is the address of a document.
func isDocument(id string) bool { return strings.HasPrefix(id, "https://") }

// cached returns what was read of a document lately.
func (d *documents) cached(id string) (client, error, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.known[id]
	return known.client, known.err, ok && time.Now().Before(known.until)
}

// read reads a document and keeps what came of it for a time.
func (d *documents) read(ctx context.Context, id string) (client, error) {
	c, err := d.fetch(ctx, id)
	known := document{c, err, time.Now().Add(documentLife)}
	if err != nil {
		known.until = time.Now().Add(documentRetry)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for other := range d.known {
		if len(d.known) < maxDocuments {
			break
		}
		delete(d.known, other)
	}
	d.known[id] = known
	return c, err
}

// parseDocument refuses identifiers that are not the plain address of a document.
func parseDocument(id string) (*url.URL, error) {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxRedirect || u.Host == "" || u.User != nil || strings.Contains(id, "#") ||
		len(u.Path) < 2 || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return nil, errors.New("the client_id is not the address of a document with a plain path")
	}
	return u, nil
}

func (d *documents) fetch(ctx context.Context, id string) (client, error) {
	u, err := parseDocument(id)
	if err != nil {
		return client{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return client{}, errors.New("the client_id is not an address")
	}
	req.Header.Set("Accept", mediaJSON)
	res, err := d.http.Do(req)
	if err != nil {
		why, _, known := netguard.Explain(err)
		if !known {
			why = "it did not respond"
		}
		return client{}, fmt.Errorf("reading who the program is from %s: %s", u.Host, why)
	}
	defer res.Body.Close()
	var found struct {
		ID        string   `json:"client_id"`
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil || res.StatusCode != http.StatusOK || len(body) > maxDocument || json.Unmarshal(body, &found) != nil {
		return client{}, fmt.Errorf("reading who the program is from %s: it responded with %d and no document of at most 64 KiB", u.Host, res.StatusCode)
	}
	c := client{ID: id, Name: cleanName(found.Name), Redirects: found.Redirects}
	switch {
	case found.ID != id:
		return client{}, fmt.Errorf("the document at %s is that of another program", u.Host)
	case found.Method != "" && found.Method != "none":
		return client{}, errors.New("the program wants to authenticate itself, which this server does not support; it must use none")
	}
	return c, c.check()
}

// client finds the client of an identifier.
func (s *Server) client(r *http.Request, id string) (client, error) {
	if !isDocument(id) {
		return registeredClient(id)
	}
	if c, err, ok := s.documents.cached(id); ok {
		return c, err
	}
	if wait, err := s.store.Take(r.Context(), s.prefix+"documents:"+address(r), documentsPerMinute, documentsPerMinute); err != nil || wait > 0 {
		return client{}, errors.New("too many programs introduce themselves just now; try again in a minute")
	}
	return s.documents.read(r.Context(), id)
}
