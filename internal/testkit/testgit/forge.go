package testgit

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Kind is the API a forge speaks.
type Kind string

// The kinds.
const (
	GitHub Kind = "github" // GitHub's own servers elsewhere: the API is below /api/v3
	Gitea  Kind = "gitea"
)

// Forge is a forge and its faults. The zero values of the latter mean none.
type Forge struct {
	Kind  Kind
	Token string   // the one it knows
	Login string   // whose it is; empty: tester
	Orgs  []string // organizations it may create in

	NoCreate   bool           // the token may not create repositories
	NoDelete   bool           // the token may not remove repositories
	PushStatus int            // the response to every push
	Hook       string         // script of the hook pre-receive
	Lose       bool           // pushes seem to work, nothing is kept
	CloneURL   string         // in responses instead of the right one
	Created    func()         // called after a repository was created
	Fail       map[string]int // responses by method and path of the API, "POST /user/repos"
	Redirect   string         // where every call of the API is sent
}

// Server is a running forge.
type Server struct {
	URL  string
	TLS  *httptest.Server // of StartTLS
	root string
	f    Forge

	mu    sync.Mutex // guards the following
	repos map[string]map[string]any
	calls []string
}

// Start starts a forge. It ends with the test.
func Start(t testing.TB, f Forge) *Server {
	t.Helper()
	return start(t, f, httptest.NewServer)
}

// StartTLS starts a forge with a certificate that nobody trusts.
func StartTLS(t testing.TB, f Forge) *Server {
	t.Helper()
	return start(t, f, httptest.NewTLSServer)
}

func start(t testing.TB, f Forge, listen func(http.Handler) *httptest.Server) *Server {
	t.Helper()
	find(t)
	f.Login = cmp.Or(f.Login, "tester")
	s := &Server{root: t.TempDir(), f: f, repos: map[string]map[string]any{}}
	prefix := "/api/v1"
	if f.Kind == GitHub {
		prefix = "/api/v3"
	}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", http.StripPrefix(prefix, s.api(t)))
	mux.Handle("/", s.git(t))
	srv := listen(mux)
	t.Cleanup(srv.Close)
	s.URL, s.TLS = srv.URL, srv
	return s
}

// api serves the calls of the API.
func (s *Server) api(t testing.TB) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"login": s.f.Login}) })
	mux.HandleFunc("POST /user/repos", func(w http.ResponseWriter, r *http.Request) { s.create(t, w, r, s.f.Login) })
	mux.HandleFunc("POST /orgs/{org}/repos", func(w http.ResponseWriter, r *http.Request) {
		if org := r.PathValue("org"); slices.Contains(s.f.Orgs, org) {
			s.create(t, w, r, org)
			return
		}
		reply(w, 404, map[string]any{"message": "Not Found"})
	})
	mux.HandleFunc("DELETE /repos/{owner}/{name}", s.remove)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls = append(s.calls, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		scheme := "token "
		if s.f.Kind == GitHub {
			scheme = "Bearer "
		}
		status, planned := s.f.Fail[r.Method+" "+r.URL.Path]
		switch {
		case s.f.Redirect != "":
			http.Redirect(w, r, s.f.Redirect, http.StatusTemporaryRedirect)
		case r.Header.Get("Authorization") != scheme+s.f.Token:
			reply(w, 401, map[string]any{"message": "Bad credentials"})
		case planned:
			reply(w, status, map[string]any{"message": "planned, and by the way " + s.f.Token + "\r\nis shown"})
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

func (s *Server) create(t testing.TB, w http.ResponseWriter, r *http.Request, owner string) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Content-Type") != "application/json" {
		reply(w, 400, map[string]any{"message": "Problems parsing JSON"})
		return
	}
	name, _ := body["name"].(string)
	full := owner + "/" + name
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.f.NoCreate:
		reply(w, 403, map[string]any{"message": "token does not have at least one of required scope(s)"})
		return
	case s.repos[full] != nil && s.f.Kind == GitHub:
		reply(w, 422, map[string]any{"message": "Repository creation failed.", "errors": []any{
			map[string]any{"resource": "Repository", "code": "custom", "field": "name", "message": "name already exists on this account"}}})
		return
	case s.repos[full] != nil:
		reply(w, 409, map[string]any{"message": "The repository with the same name already exists.", "url": s.URL + "/api/swagger"})
		return
	}
	branch, _ := body["default_branch"].(string)
	branch = cmp.Or(branch, "main")
	if err := initBare(s.root, find(t), gitEnv(t), full, branch); err != nil {
		reply(w, 500, map[string]any{"message": err.Error()})
		return
	}
	if s.f.Hook != "" {
		hook := filepath.Join(s.dir(full), "hooks", "pre-receive")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\n"+s.f.Hook+"\n"), 0o755); err != nil { //nolint:gosec // it has to run
			reply(w, 500, map[string]any{"message": err.Error()})
			return
		}
	}
	s.repos[full] = body
	clone := cmp.Or(s.f.CloneURL, s.URL+"/"+full+".git")
	if s.f.Created != nil {
		s.f.Created()
	}
	reply(w, 201, map[string]any{"id": len(s.repos), "name": name, "full_name": full, "private": body["private"],
		"html_url": s.URL + "/" + full, "clone_url": clone, "default_branch": branch})
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	full := r.PathValue("owner") + "/" + r.PathValue("name")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.f.NoDelete:
		reply(w, 403, map[string]any{"message": "Must have admin rights to Repository."})
	case s.repos[full] == nil:
		reply(w, 404, map[string]any{"message": "Not Found"})
	default:
		delete(s.repos, full)
		_ = os.RemoveAll(s.dir(full)) // a test looks at the list
		w.WriteHeader(http.StatusNoContent)
	}
}

// git is the other side of the forge.
func (s *Server) git(t testing.TB) http.Handler {
	backend := backend(t, s.root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		pushes := strings.HasSuffix(r.URL.Path, "/git-receive-pack")
		switch {
		case password != s.f.Token:
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
		case s.f.PushStatus != 0 && (pushes || r.URL.Query().Get("service") == "git-receive-pack"):
			w.WriteHeader(s.f.PushStatus)
		case s.f.Lose && pushes:
			w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
			_, _ = w.Write([]byte("000eunpack ok\n0017ok refs/heads/main\n0000"))
		default:
			backend.ServeHTTP(w, r)
		}
	})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client went away
}

func (s *Server) dir(full string) string {
	return filepath.Join(s.root, filepath.FromSlash(full)+".git")
}

// Repositories lists what is there by full name, with what it was created with.
func (s *Server) Repositories() map[string]map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.repos)
}

// Calls lists the calls of the API so far, as "METHOD /path".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Clone clones a repository over HTTP with the git program, has git check every
// object strictly, and returns the folder.
func (s *Server) Clone(t testing.TB, full string) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("tester", s.f.Token)
	dir := filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "-c", "core.autocrlf=false", "clone", "--quiet", u.String()+"/"+full+".git", dir)
	git(t, dir, "fsck", "--strict", "--full")
	return dir
}

// Git runs the git program in a folder and returns what it writes.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return git(t, dir, args...)
}

// Push has somebody else push a commit to a repository.
func (s *Server) Push(t testing.TB, full, branch string) {
	t.Helper()
	dir := s.dir(full)
	tree := strings.TrimSpace(git(t, dir, "hash-object", "-w", "-t", "tree", os.DevNull))
	commit := strings.TrimSpace(git(t, dir, "-c", "user.name=other", "-c", "user.email=other@example.com", "commit-tree", tree, "-m", "other"))
	git(t, dir, "update-ref", "refs/heads/"+branch, commit)
}
