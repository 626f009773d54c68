package board

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/erphub/erphub/internal/httpserver"
)

//go:embed static
var static embed.FS

// policy lets the page load its own files and nothing else, and keeps scripts
// from making markup of text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Style is the style sheet of the page, for other pages of the same server.
func Style() string {
	css, err := static.ReadFile("static/board.css")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(css)
}

// mediaType is that of one of the page's files.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

// assets serves the page at /deployments and its files below.
func assets(mux *http.ServeMux) {
	files, err := fs.ReadDir(static, "static")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range files {
		body, err := static.ReadFile("static/" + f.Name())
		if err != nil {
			panic(err)
		}
		at := "/deployments/" + f.Name()
		if f.Name() == "index.html" {
			at = "/deployments"
		}
		mux.Handle(at, asset(mediaType(f.Name()), body))
	}
	mux.Handle("GET /deployments/{$}", http.RedirectHandler("/deployments", http.StatusPermanentRedirect))
}

// asset serves one file. Browsers keep it and check whether it is still the same.
func asset(media string, body []byte) http.Handler {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			httpserver.Problem(w, http.StatusMethodNotAllowed, "this is a page to read")
			return
		}
		h := w.Header()
		h.Set("Content-Type", media)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		if strings.Contains(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(body) // the client went away
	})
}
