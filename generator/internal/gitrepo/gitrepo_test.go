package gitrepo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/gitrepo"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testartifact"
	"github.com/erphub/erphub/internal/testkit/testgit"
)

const (
	token = "token-that-must-not-show"
	name  = "com.example.demo"
)

func deliver(t *testing.T, opts gitrepo.Options, a *generator.Artifact) (*generator.Receipt, error) {
	t.Helper()
	if opts.Token == nil {
		opts.Token = gitrepo.Static(token)
	}
	d, err := gitrepo.New(opts)
	require.NoError(t, err)
	return d.Deliver(t.Context(), a, nil)
}

// sameFiles compares a clone with the tree it came from.
func sameFiles(t *testing.T, dir string, tree *generator.Tree) {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		found = append(found, filepath.ToSlash(rel))
		return err
	}))
	assert.ElementsMatch(t, tree.Names(), found)
	for _, f := range tree.Files() {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(f.Content), string(got), f.Name)
		if st, err := os.Stat(path); assert.NoError(t, err) && runtime.GOOS != "windows" {
			assert.Equal(t, f.Mode&0o100 != 0, st.Mode()&0o100 != 0, "%s executable", f.Name)
		}
	}
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		forge   testgit.Forge
		opts    gitrepo.Options
		full    string
		private bool
		branch  string
	}{
		{"gitea, own user", testgit.Forge{Kind: testgit.Gitea}, gitrepo.Options{}, "tester/" + name, true, "main"},
		{"gitea, organization", testgit.Forge{Kind: testgit.Gitea, Orgs: []string{"erp-plugins"}}, gitrepo.Options{Owner: "erp-plugins"}, "erp-plugins/" + name, true, "main"},
		{"gitea, the user is given as organization", testgit.Forge{Kind: testgit.Gitea}, gitrepo.Options{Owner: "Tester"}, "tester/" + name, true, "main"},
		{"gitea, public and another branch", testgit.Forge{Kind: testgit.Gitea}, gitrepo.Options{Public: true, Branch: "release/12.0"}, "tester/" + name, false, "release/12.0"},
		{"github, own user", testgit.Forge{Kind: testgit.GitHub}, gitrepo.Options{Kind: gitrepo.GitHub}, "tester/" + name, true, "main"},
		{"github, organization", testgit.Forge{Kind: testgit.GitHub, Orgs: []string{"erp"}}, gitrepo.Options{Kind: gitrepo.GitHub, Owner: "erp"}, "erp/" + name, true, "main"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.forge.Token = token
			forge := testgit.Start(t, tt.forge)
			tt.opts.URL = forge.URL
			a := testartifact.New(t, name)
			r, err := deliver(t, tt.opts, a)
			require.NoError(t, err)
			assert.Equal(t, forge.URL+"/"+tt.full, r.RepositoryURL)
			assert.Equal(t, forge.URL+"/"+tt.full+".git", r.CloneURL)
			assert.Equal(t, tt.private, forge.Repositories()[tt.full]["private"])

			dir := forge.Clone(t, tt.full)
			sameFiles(t, dir, a.Tree)
			assert.Equal(t, r.Commit, strings.TrimSpace(testgit.Git(t, dir, "rev-parse", "HEAD")))
			if tt.forge.Kind == testgit.Gitea { // GitHub takes the first branch pushed as the default
				assert.Equal(t, tt.branch, strings.TrimSpace(testgit.Git(t, dir, "branch", "--show-current")))
			}
			assert.Equal(t, "erphub <noreply@localhost>", strings.TrimSpace(testgit.Git(t, dir, "log", "-1", "--format=%an <%ae>")))

			text, err := json.Marshal(r)
			require.NoError(t, err)
			var fields map[string]string
			require.NoError(t, json.Unmarshal(text, &fields))
			assert.Equal(t, map[string]string{"repository_url": r.RepositoryURL, "clone_url": r.CloneURL, "commit": r.Commit}, fields)
			assert.NotContains(t, string(text), token)
		})
	}
}

func TestSameCommit(t *testing.T) {
	t.Parallel()
	when := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	var hashes []string
	for range 2 {
		forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token})
		r, err := deliver(t, gitrepo.Options{URL: forge.URL, Now: when}, testartifact.New(t, name))
		require.NoError(t, err)
		hashes = append(hashes, r.Commit)
	}
	assert.Equal(t, hashes[0], hashes[1])
}

func TestManyFiles(t *testing.T) {
	t.Parallel()
	tree := new(generator.Tree)
	for i := range 300 {
		require.NoError(t, tree.Add(fmt.Sprintf("a%d/b.c/d%d/f-%d.txt", i%7, i%5, i), []byte(strings.Repeat("line\n", i))))
	}
	// Git sorts folders as if their names ended in a slash.
	for _, f := range []string{"lib/x", "lib.txt", "lib-1", "lib0"} {
		require.NoError(t, tree.Add(f, []byte(f)))
	}
	forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token})
	a := &generator.Artifact{Name: name, ArtifactID: name, Version: "1.0.0", Tree: tree}
	_, err := deliver(t, gitrepo.Options{URL: forge.URL}, a)
	require.NoError(t, err)
	sameFiles(t, forge.Clone(t, "tester/"+name), tree)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	gitea := testgit.Forge{Kind: testgit.Gitea}
	tests := []struct {
		name  string
		forge testgit.Forge
		opts  gitrepo.Options
		kind  failure.Kind
		texts []string
		left  bool // the repository stays
	}{
		{"wrong token", gitea, gitrepo.Options{Token: gitrepo.Static("wrong-must-not-show")}, failure.NotAuthorized, []string{"does not know the token", "make a new one"}, false},
		{"no token", gitea, gitrepo.Options{Token: gitrepo.Static("")}, failure.NotConfigured, []string{"no usable token"}, false},
		{"token with a line break", gitea, gitrepo.Options{Token: gitrepo.Static("a\r\nHost: must-not-show")}, failure.NotConfigured, []string{"no usable token"}, false},
		{"no organization", gitea, gitrepo.Options{Owner: "missing"}, failure.NotFound, []string{"no organization missing"}, false},
		{"may not create", testgit.Forge{Kind: testgit.Gitea, NoCreate: true}, gitrepo.Options{}, failure.NotAuthorized, []string{"may not do this", "scope"}, false},
		{"wrong kind of forge", gitea, gitrepo.Options{Kind: gitrepo.GitHub}, failure.NotAuthorized, nil, false},
		{"forge refuses the name", testgit.Forge{Kind: testgit.Gitea, Fail: map[string]int{"POST /user/repos": 422}}, gitrepo.Options{}, failure.Refused, []string{"planned, and by the way [redacted] is shown"}, false},
		{"forge full", testgit.Forge{Kind: testgit.Gitea, Fail: map[string]int{"POST /user/repos": 413}}, gitrepo.Options{}, failure.Full, []string{"no room"}, false},
		{"forge broken", testgit.Forge{Kind: testgit.Gitea, Fail: map[string]int{"POST /user/repos": 500}}, gitrepo.Options{}, failure.Unreachable, []string{"try again later", "may have created it"}, false},
		{"too many requests", testgit.Forge{Kind: testgit.GitHub, Fail: map[string]int{"POST /user/repos": 429}}, gitrepo.Options{Kind: gitrepo.GitHub}, failure.Unreachable, []string{"too many requests"}, false},
		{"push rejected by a hook", testgit.Forge{Kind: testgit.Gitea, Hook: "exit 1"}, gitrepo.Options{}, failure.Refused, []string{"pre-receive hook declined"}, false},
		{"push unauthorized", testgit.Forge{Kind: testgit.Gitea, PushStatus: 401}, gitrepo.Options{}, failure.NotAuthorized, []string{"does not take the token for pushing"}, false},
		{"push forbidden", testgit.Forge{Kind: testgit.Gitea, PushStatus: 403}, gitrepo.Options{}, failure.NotAuthorized, []string{"but not push to them"}, false},
		{"push too large", testgit.Forge{Kind: testgit.Gitea, PushStatus: 413}, gitrepo.Options{}, failure.TooLarge, []string{"raise the forge's limit"}, false},
		{"push broken", testgit.Forge{Kind: testgit.Gitea, PushStatus: 500}, gitrepo.Options{}, failure.Refused, []string{"Internal Server Error"}, false},
		{"no repository after all", testgit.Forge{Kind: testgit.Gitea, PushStatus: 404}, gitrepo.Options{}, failure.NotFound, []string{"has none at its address"}, false},
		{"commit lost", testgit.Forge{Kind: testgit.Gitea, Lose: true}, gitrepo.Options{}, failure.Unexpected, []string{"took the commit but does not have it"}, false},
		{"rejected and not removable", testgit.Forge{Kind: testgit.GitHub, Hook: "exit 1", NoDelete: true}, gitrepo.Options{Kind: gitrepo.GitHub}, failure.Refused,
			[]string{"pre-receive hook declined", "/tester/com.example.demo is still there", "Must have admin rights"}, true},
		{"chosen by somebody else", gitea, gitrepo.Options{Untrusted: true}, failure.Unreachable, []string{"not one that may be connected to"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.forge.Token = token
			forge := testgit.Start(t, tt.forge)
			tt.opts.URL = forge.URL
			r, err := deliver(t, tt.opts, testartifact.New(t, name))
			require.Nil(t, r)
			require.ErrorIs(t, err, tt.kind)
			for _, text := range tt.texts {
				require.ErrorContains(t, err, text)
			}
			assert.NotContains(t, fmt.Sprintf("%+v", err), "must-not-show")
			if tt.left {
				assert.Len(t, forge.Repositories(), 1)
			} else {
				assert.Empty(t, forge.Repositories())
			}
		})
	}
}

func TestNameTaken(t *testing.T) {
	t.Parallel()
	for _, kind := range []testgit.Kind{testgit.Gitea, testgit.GitHub} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			forge := testgit.Start(t, testgit.Forge{Kind: kind, Token: token})
			opts := gitrepo.Options{URL: forge.URL, Kind: gitrepo.Kind(kind)}
			first, err := deliver(t, opts, testartifact.New(t, name))
			require.NoError(t, err)
			_, err = deliver(t, opts, testartifact.New(t, name))
			require.ErrorIs(t, err, failure.Exists)
			require.ErrorContains(t, err, "a repository com.example.demo already exists; choose another artifact id")
			dir := forge.Clone(t, "tester/"+name)
			assert.Equal(t, first.Commit, strings.TrimSpace(testgit.Git(t, dir, "rev-parse", "HEAD")), "the first one is untouched")
		})
	}
}

// A repository somebody else has pushed to is not ours to remove.
func TestForeignCommitsAreKept(t *testing.T) {
	t.Parallel()
	var forge *testgit.Server
	var pushed atomic.Bool
	forge = testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token, Created: func() {
		forge.Push(t, "tester/"+name, "main")
		pushed.Store(true)
	}})
	_, err := deliver(t, gitrepo.Options{URL: forge.URL}, testartifact.New(t, name))
	require.True(t, pushed.Load())
	require.ErrorIs(t, err, failure.Refused)
	require.ErrorContains(t, err, "is still there, since somebody else pushed to it")
	assert.Len(t, forge.Repositories(), 1)
	assert.NotContains(t, strings.Join(forge.Calls(), " "), "DELETE")
}

func TestCanceledWhilePushing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token, Hook: "sleep 2"})
	d, err := gitrepo.New(gitrepo.Options{URL: forge.URL, Token: gitrepo.Static(token)})
	require.NoError(t, err)
	start := time.Now()
	_, err = d.Deliver(ctx, testartifact.New(t, name), func(done, _ int, _ string) {
		if done == 2 {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, time.Since(start), 15*time.Second)
	assert.Empty(t, forge.Repositories())
}

func TestCanceledWhileCreating(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token, Created: cancel})
	d, err := gitrepo.New(gitrepo.Options{URL: forge.URL, Token: gitrepo.Static(token)})
	require.NoError(t, err)
	_, err = d.Deliver(ctx, testartifact.New(t, name), nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotContains(t, err.Error(), "still there")
	assert.Contains(t, strings.Join(forge.Calls(), " "), "DELETE", "it was created")
	assert.Empty(t, forge.Repositories())

	_, err = d.Deliver(ctx, testartifact.New(t, name), nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, forge.Repositories(), "what was canceled before does not begin")
}

// The token goes to the operator's host only, whatever the forge responds.
func TestTokenStaysHome(t *testing.T) {
	t.Parallel()
	var hits atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	t.Cleanup(other.Close)

	forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token, CloneURL: other.URL + "/tester/" + name + ".git"})
	r, err := deliver(t, gitrepo.Options{URL: forge.URL}, testartifact.New(t, name))
	require.NoError(t, err)
	assert.Equal(t, other.URL+"/tester/"+name+".git", r.CloneURL, "shown as the forge says")
	sameFiles(t, forge.Clone(t, "tester/"+name), testartifact.New(t, name).Tree)

	for _, link := range []string{"http://user:password@127.0.0.1/x.git", "javascript:alert(1)", "file:///etc/passwd"} {
		forge := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token, CloneURL: link})
		r, err := deliver(t, gitrepo.Options{URL: forge.URL}, testartifact.New(t, name))
		require.NoError(t, err)
		assert.Equal(t, forge.URL+"/tester/"+name+".git", r.CloneURL)
	}

	forge = testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: token, Redirect: other.URL})
	_, err = deliver(t, gitrepo.Options{URL: forge.URL}, testartifact.New(t, name))
	require.ErrorIs(t, err, failure.NotConfigured)
	require.ErrorContains(t, err, "not followed")
	assert.Zero(t, hits.Load())
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	t.Run("dead port", func(t *testing.T) {
		t.Parallel()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, ln.Close())
		_, err = deliver(t, gitrepo.Options{URL: "http://" + ln.Addr().String()}, testartifact.New(t, name))
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "nothing listens there")
		assert.NotContains(t, err.Error(), "may have created")
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = ln.Close() })
		_, err = deliver(t, gitrepo.Options{URL: "http://" + ln.Addr().String(), Timeout: 200 * time.Millisecond}, testartifact.New(t, name))
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "did not respond in time")
		require.ErrorContains(t, err, "may have created it")
	})
	t.Run("untrusted certificate", func(t *testing.T) {
		t.Parallel()
		forge := testgit.StartTLS(t, testgit.Forge{Kind: testgit.Gitea, Token: token})
		_, err := deliver(t, gitrepo.Options{URL: forge.URL}, testartifact.New(t, name))
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "signed by nobody this machine trusts")
	})
	t.Run("own authority", func(t *testing.T) {
		t.Parallel()
		forge := testgit.StartTLS(t, testgit.Forge{Kind: testgit.Gitea, Token: token})
		roots := forge.TLS.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		_, err := deliver(t, gitrepo.Options{URL: forge.URL, Roots: roots}, testartifact.New(t, name))
		require.NoError(t, err)
	})
	t.Run("no forge", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, "<html>welcome</html>")
		}))
		t.Cleanup(s.Close)
		_, err := deliver(t, gitrepo.Options{URL: s.URL}, testartifact.New(t, name))
		require.ErrorIs(t, err, failure.Unexpected)
		require.ErrorContains(t, err, "but not where")
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts gitrepo.Options
		want string // "" for none
	}{
		{"github", gitrepo.Options{}, ""},
		{"user in the address", gitrepo.Options{URL: "https://user:topsecret@forge.example.com"}, "holds a user"},
		{"not an address", gitrepo.Options{URL: "https://a b:topsecret@c"}, "is none"},
		{"ssh", gitrepo.Options{URL: "ssh://git@forge.example.com"}, "holds a user"},
		{"file", gitrepo.Options{URL: "file:///srv/git"}, "not one of a forge"},
		{"query", gitrepo.Options{URL: "https://forge.example.com?access_token=topsecret"}, "not one of a forge"},
		{"http elsewhere", gitrepo.Options{URL: "http://forge.example.com"}, "would show the token"},
		{"http here", gitrepo.Options{URL: "http://localhost:3000/git"}, ""},
		{"owner with a slash", gitrepo.Options{Owner: "../admin"}, "cannot be an organization"},
		{"branch", gitrepo.Options{Branch: "a..b"}, "cannot be a branch"},
		{"branch with a line break", gitrepo.Options{Branch: "main\n"}, "cannot be a branch"},
		{"branch that locks", gitrepo.Options{Branch: "main.lock"}, "cannot be a branch"},
		{"kind", gitrepo.Options{Kind: "sourceforge"}, "no kind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.opts.Token = gitrepo.Static(token)
			_, err := gitrepo.New(tt.opts)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, failure.NotConfigured)
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "topsecret")
		})
	}
}

func TestNamesOfRepositories(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"com.example.git", "a.wiki", "a.LOCK", strings.Repeat("a", 101)} {
		_, err := deliver(t, gitrepo.Options{URL: "http://127.0.0.1:1"}, testartifact.New(t, bad))
		require.ErrorIs(t, err, failure.Invalid, bad)
	}
	a := testartifact.New(t, name)
	a.Existing = true
	_, err := deliver(t, gitrepo.Options{URL: "http://127.0.0.1:1"}, a)
	require.ErrorIs(t, err, failure.Invalid)
}
