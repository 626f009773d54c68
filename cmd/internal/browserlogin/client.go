package browserlogin

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/text"
)

const (
	maxRedirects  = 10
	maxRedirect   = 512
	maxName       = 60
	maxClientID   = 6 << 10
	registered    = "erphub-client_"
	mediaJSON     = "application/json"
	loopbackName  = "localhost"
	maxMachineReq = 16 << 10
)

// appSchemes are schemes of programs that assistants are known by, although they do not
// have the form of a domain that RFC 8252 wants.
var appSchemes = []string{"cursor", "vscode", "vscode-insiders"}

// client describes a program that requests access, in its own words. It proves nothing:
// whoever receives what is sent to Redirects can finish a login.
type client struct {
	ID        string    `json:"-"`
	Name      string    `json:"n,omitempty"`
	Redirects []string  `json:"r"`
	Issued    time.Time `json:"t"`
}

// register takes the metadata of a client (RFC 7591). Its identifier is what it
// registered, so that registrations take no room and hold for all replicas.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	body, err := httpserver.ReadBody(w, r, maxMachineReq, bodyTime)
	var asked struct {
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
	}
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "the request must be a JSON object of at most 16 KiB with redirect_uris")
		return
	}
	c := client{Name: cleanName(asked.Name), Redirects: asked.Redirects, Issued: time.Now().UTC().Truncate(time.Second)}
	if err := c.check(); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_redirect_uri", err.Error())
		return
	}
	packed, err := json.Marshal(c)
	id := registered + base64.RawURLEncoding.EncodeToString(packed)
	if err != nil || len(id) > maxClientID {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "the redirect_uris are too long together")
		return
	}
	noStore(w)
	httpserver.JSON(w, http.StatusCreated, map[string]any{
		"client_id": id, "client_id_issued_at": c.Issued.Unix(), "client_name": c.Name, "redirect_uris": c.Redirects,
		"grant_types": grantTypes, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}

// registeredClient returns the client of an identifier that register made. Whoever
// makes one up has as good as registered it, and is checked the same way.
func registeredClient(id string) (client, error) {
	var c client
	packed, ok := strings.CutPrefix(id, registered)
	text, err := base64.RawURLEncoding.DecodeString(packed)
	if !ok || len(id) > maxClientID || err != nil || json.Unmarshal(text, &c) != nil || c.check() != nil {
		return client{}, errors.New("the program is not registered here; remove the server from it and add it again")
	}
	c.ID, c.Name = id, cleanName(c.Name)
	return c, nil
}

// cleanName makes a name that somebody chose fit to be shown: one line, without
// invisible signs, and short.
func cleanName(name string) string {
	return text.Shorten(strings.TrimSpace(text.Printable(text.OneLine(name))), maxName)
}

func (c *client) check() error {
	if len(c.Redirects) == 0 || len(c.Redirects) > maxRedirects {
		return fmt.Errorf("there must be 1 to %d redirect_uris", maxRedirects)
	}
	for _, uri := range c.Redirects {
		if _, err := parseRedirect(uri); err != nil {
			return err
		}
	}
	return nil
}

// parseRedirect refuses addresses that a browser must not be sent to with a code.
func parseRedirect(uri string) (*url.URL, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil, len(uri) > maxRedirect, strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }):
		return nil, errors.New("a redirect_uri is not an address of at most 512 plain characters")
	case strings.Contains(uri, "#") || u.User != nil || strings.ContainsAny(u.Host, ";,'*"): // these mean something in a page's policy
		return nil, errors.New("a redirect_uri must have neither a fragment nor a user nor an unusual host")
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme == "http" && loopbackHost(u.Hostname()):
		return u, nil
	case u.Scheme == "https" || u.Scheme == "http":
		return nil, errors.New("a redirect_uri must begin with https://, or be one of this computer such as http://127.0.0.1/")
	case strings.Contains(u.Scheme, ".") || slices.Contains(appSchemes, u.Scheme):
		return u, nil
	}
	return nil, errors.New("the scheme of a redirect_uri must be https, or one of the program's own such as com.example.app")
}

// loopbackHost reports whether a host is the user's own computer.
func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, loopbackName) || ip != nil && ip.IsLoopback()
}

// allows reports whether the client may have codes sent to an address: one of its own,
// of which on the user's own computer the port may differ (RFC 8252).
func (c *client) allows(uri string) bool {
	asked, err := parseRedirect(uri)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.Redirects, func(own string) bool {
		if own == uri {
			return true
		}
		u, err := parseRedirect(own)
		return err == nil && u.Scheme == "http" && asked.Scheme == "http" && u.Hostname() == asked.Hostname() &&
			u.EscapedPath() == asked.EscapedPath() && u.RawQuery == asked.RawQuery
	})
}

// destination says in words where an address leads.
func destination(uri string) string {
	u, err := parseRedirect(uri)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "https":
		return u.Hostname()
	case u.Scheme == "http":
		return "a program on your own computer"
	}
	return "the program for " + u.Scheme + ": on your computer"
}
