package sandbox

import (
	"crypto/sha256"
	_ "embed" // of the page
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/twin"
)

//go:embed start.html
var startHTML string

// startPage is what a browser shows at the address of a sandbox: who can log in, and
// how to talk to it. The users of a twin are those of its ERP.
func startPage(url string, info *twin.Info) string {
	var logins strings.Builder
	talk := talkToIt(url)
	if info != nil {
		talk = talkToTwin(url, info)
	} else {
		logins.WriteString("<h2>Users</h2>\n<table>\n<tr><th>User</th><th>Password</th><th>Tenant</th><th>Role</th><th>Sees</th></tr>\n")
		for _, l := range sandboxLogins {
			fmt.Fprintf(&logins, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", l.username, l.password, l.client, l.role, l.about)
		}
		logins.WriteString("</table>")
	}
	return strings.NewReplacer("{{url}}", html.EscapeString(url), "{{talk}}", html.EscapeString(talk), "{{logins}}", logins.String()).Replace(startHTML)
}

// startPolicy lets the page use its own style and nothing else.
func startPolicy() string {
	_, style, _ := strings.Cut(startHTML, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// serveStart serves the page.
func (s *sandboxServices) serveStart(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", startPolicy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = io.WriteString(w, s.page) // the client went away
}
