// Package startpage is what a browser shows at the address of a server: what it serves
// and, where users are named, their tables, rows and SQL.
package startpage

import (
	"crypto/sha256"
	_ "embed" // of the page
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/erphub/erphub/cmd/internal/board"
)

var (
	//go:embed start.html
	pageHTML string
	//go:embed look.html
	lookHTML string
	//go:embed start.css
	pageCSS string
	//go:embed start.js
	pageJS string
)

// User is a user of the ERP behind the page, as whom a person can look at it.
type User struct {
	Name, Client, Role, Org string
	Password                string // ""; the page asks for it
	About                   string
}

// Link is a row of what the server serves. Path is a link if it begins with a slash.
type Link struct{ Path, About string }

// Page is the content. The page shows whatever is in it, passwords included.
type Page struct {
	Title, URL string
	About      string // a sentence or two
	Users      []User // none: the page lists only what is served
	Talk       string // lines to copy
	Links      []Link
}

// Handler serves the page: its bytes never change, and it refers to nothing but the
// APIs of its own address.
func Handler(p Page) http.Handler {
	css := board.Style() + pageCSS
	js, look := "", ""
	if len(p.Users) > 0 {
		js, look = pageJS, strings.NewReplacer("{{users}}", p.users(), "{{choices}}", p.choices()).Replace(lookHTML)
	}
	talk := ""
	if p.Talk != "" {
		talk = "<section><h2>Talk to it</h2>\n<pre class=\"panel\">" + html.EscapeString(p.Talk) + "</pre></section>"
	}
	body := strings.NewReplacer("{{css}}", css, "{{js}}", js, "{{title}}", html.EscapeString(p.Title), "{{url}}", html.EscapeString(p.URL),
		"{{about}}", html.EscapeString(p.About), "{{look}}", look, "{{talk}}", talk, "{{links}}", p.links()).Replace(pageHTML)
	policy := "default-src 'none'; script-src '" + digest(js) + "'; style-src '" + digest(css) + "'; connect-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		_, _ = io.WriteString(w, body) // the client may disconnect
	})
}

// digest names an inline script or style in the policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// fill writes a line of HTML with values, which are escaped.
func fill(b *strings.Builder, format string, values ...string) {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = html.EscapeString(v)
	}
	fmt.Fprintf(b, format, escaped...)
}

func (p *Page) users() string {
	var b strings.Builder
	for _, u := range p.Users {
		password := u.Password
		if password == "" {
			password = "not shown"
		}
		fill(&b, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", u.Name, password, u.Client, u.Role, u.About)
	}
	return b.String()
}

func (p *Page) choices() string {
	var b strings.Builder
	for _, u := range p.Users {
		fill(&b, `<option data-user="%[1]s" data-password="%[2]s" data-client="%[3]s" data-role="%[4]s" data-org="%[5]s">%[1]s, tenant %[3]s, role %[4]s</option>`+"\n",
			u.Name, u.Password, u.Client, u.Role, u.Org)
	}
	return b.String()
}

func (p *Page) links() string {
	var b strings.Builder
	for _, l := range p.Links {
		format := "<tr><td><code>%[1]s</code></td><td>%[2]s</td></tr>\n"
		if strings.HasPrefix(l.Path, "/") {
			format = `<tr><td><a href="%[1]s">%[1]s</a></td><td>%[2]s</td></tr>` + "\n"
		}
		fill(&b, format, l.Path, l.About)
	}
	return b.String()
}
