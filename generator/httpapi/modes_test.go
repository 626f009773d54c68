package httpapi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/testkit/testgit"
	"github.com/erphub/erphub/internal/testkit/tests3"
	"github.com/erphub/erphub/internal/testkit/testsmtp"
)

// wanted is the zip that every mode delivers.
func wanted(t testing.TB) []byte {
	t.Helper()
	a, err := generator.Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": name})
	require.NoError(t, err)
	data, err := a.Zip()
	require.NoError(t, err)
	return data
}

func s3(server *tests3.Server) map[string]string {
	return map[string]string{
		delivery.KeyEndpoint: server.Endpoint, delivery.KeyBucket: "plugins",
		delivery.KeyAccessKey: server.AccessKey, delivery.KeySecretKey: server.SecretKey,
	}
}

func forge(server *testgit.Server) map[string]string {
	return map[string]string{delivery.KeyForge: server.URL, delivery.KeyForgeToken: forgeToken}
}

const forgeToken = "token-that-must-not-show"

func smtp(addr, user, password string) map[string]string {
	return map[string]string{delivery.KeySMTPHost: addr, delivery.KeyFrom: "hub@example.com", delivery.KeySMTPUser: user, delivery.KeySMTPPassword: password}
}

func join(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}

// TestModes delivers the same plugin in all six ways.
func TestModes(t *testing.T) {
	t.Parallel()
	want := wanted(t)

	t.Run("filesystem", func(t *testing.T) {
		t.Parallel()
		a := start(t, setup{})
		got := a.post(body + `}`)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		var receipt struct {
			Path  string
			Files []string
		}
		require.NoError(t, json.Unmarshal(got.body, &receipt))
		assert.Equal(t, filepath.Join(a.dir, name), receipt.Path)
		r, err := zip.NewReader(bytes.NewReader(want), int64(len(want)))
		require.NoError(t, err)
		var names []string
		for _, f := range r.File {
			if f.FileInfo().IsDir() {
				continue
			}
			rel := strings.TrimPrefix(f.Name, name+"/")
			names = append(names, rel)
			in, err := f.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(in)
			require.NoError(t, err)
			onDisk, err := os.ReadFile(filepath.Join(receipt.Path, filepath.FromSlash(rel)))
			require.NoError(t, err)
			assert.Equal(t, string(content), string(onDisk), rel)
		}
		assert.ElementsMatch(t, names, receipt.Files)
	})

	t.Run("archive", func(t *testing.T) {
		t.Parallel()
		got := start(t, setup{settings: map[string]string{delivery.KeyMode: "archive"}}).post(body + `}`)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		assert.Equal(t, "application/zip", got.header.Get("Content-Type"))
		assert.Equal(t, "attachment; filename=com.example.demo.zip", got.header.Get("Content-Disposition"))
		assert.Equal(t, want, got.body)
	})

	t.Run("url", func(t *testing.T) {
		t.Parallel()
		a := start(t, setup{})
		before := time.Now()
		got := a.post(body + `,"output":"url"}`)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		fields := got.fields(t)
		assert.Len(t, fields, 3)
		assert.Equal(t, "com.example.demo.zip", fields["filename"])
		expires, err := time.Parse(time.RFC3339, fields["expires_at"])
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(fields["expires_at"], "Z"))
		assert.WithinDuration(t, before.Add(time.Hour), expires, 5*time.Second)
		down := a.get(fields["download_url"])
		require.Equal(t, http.StatusOK, down.status)
		assert.Equal(t, "application/zip", down.header.Get("Content-Type"))
		assert.Equal(t, "attachment; filename=com.example.demo.zip", down.header.Get("Content-Disposition"))
		assert.Equal(t, want, down.body)
		assert.NotContains(t, a.log.String(), fields["download_url"])
	})

	t.Run("object_store", func(t *testing.T) {
		t.Parallel()
		server := tests3.Start(t)
		server.CreateBucket(t, "plugins")
		a := start(t, setup{settings: s3(server)})
		got := a.post(body + `,"output":"object_store"}`)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		fields := got.fields(t)
		assert.Len(t, fields, 4)
		assert.Equal(t, "plugins", fields["bucket"])
		assert.True(t, strings.HasPrefix(fields["key"], "generated/com.example.demo/"), fields["key"])
		resp, err := http.DefaultClient.Do(a.request(t.Context(), http.MethodGet, fields["url"], ""))
		require.NoError(t, err)
		down, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want, down)
		assert.NotContains(t, a.log.String(), fields["url"])
	})

	t.Run("repository", func(t *testing.T) {
		t.Parallel()
		server := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: forgeToken, Orgs: []string{"erp"}})
		a := start(t, setup{settings: join(forge(server), map[string]string{delivery.KeyOrg: "erp"})})
		got := a.post(body + `,"output":"repository"}`)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		fields := got.fields(t)
		assert.Len(t, fields, 3)
		assert.Equal(t, server.URL+"/erp/"+name, fields["repository_url"])
		assert.Equal(t, server.URL+"/erp/"+name+".git", fields["clone_url"])
		assert.Equal(t, true, server.Repositories()["erp/"+name]["private"])
		dir := server.Clone(t, "erp/"+name)
		assert.Equal(t, fields["commit"], strings.TrimSpace(testgit.Git(t, dir, "rev-parse", "HEAD")))
		assert.FileExists(t, filepath.Join(dir, "META-INF", "MANIFEST.MF"))
	})

	t.Run("email", func(t *testing.T) {
		t.Parallel()
		server := testsmtp.Start(t)
		a := start(t, setup{settings: smtp(server.Addr(), server.User, server.Password), delivery: delivery.Options{Roots: server.Roots}})
		got := a.post(body + `,"output":"email","email":"developer@example.com"}`)
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		assert.Equal(t, map[string]string{"sent_to": "developer@example.com", "filename": "com.example.demo.zip"}, got.fields(t))
		m := server.Receive(t)
		assert.Equal(t, "<developer@example.com>", m.Header.Get("To"))
		assert.Contains(t, mailText(t, m), "com.example.demo.zip")
	})
}

func mailText(t testing.TB, m *netmail.Message) string {
	t.Helper()
	text, err := io.ReadAll(m.Body)
	require.NoError(t, err)
	return string(text)
}

// TestModeFails has every mode fail in every way that a request can meet.
func TestModeFails(t *testing.T) {
	t.Parallel()
	store := tests3.Start(t)
	store.CreateBucket(t, "plugins")
	mailServer := testsmtp.Start(t)
	gitea := func(t *testing.T, f testgit.Forge) *testgit.Server {
		f.Kind, f.Token = testgit.Gitea, forgeToken
		return testgit.Start(t, f)
	}
	const (
		toStore = `,"output":"object_store"}`
		toForge = `,"output":"repository"}`
		toMail  = `,"output":"email","email":"developer@example.com"}`
	)
	post := smtp(mailServer.Addr(), mailServer.User, mailServer.Password)
	tests := []struct {
		name     string
		settings func(t *testing.T) map[string]string
		body     string
		status   int
		code     string
		text     string // in message or hint
	}{
		{"no folder", func(*testing.T) map[string]string { return map[string]string{delivery.KeyDirectory: ""} }, `}`, 501, "not_configured", "hub.generator.directory (ERPHUB_GENERATOR_DIRECTORY)"},
		{"folder is a file", func(t *testing.T) map[string]string {
			file := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			return map[string]string{delivery.KeyDirectory: file}
		}, `}`, 409, "exists", "where a folder is wanted"},
		{"no store of downloads", func(*testing.T) map[string]string { return map[string]string{delivery.KeyArtifacts: ""} }, `,"output":"url"}`, 501, "not_configured", "hub.artifacts.directory (ERPHUB_ARTIFACTS_DIRECTORY)"},
		{"store of downloads below a file", func(t *testing.T) map[string]string {
			file := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			return map[string]string{delivery.KeyArtifacts: filepath.Join(file, "artifacts")}
		}, `,"output":"url"}`, 501, "not_configured", "under the request id"},
		{"no address for links", func(*testing.T) map[string]string { return map[string]string{delivery.KeyBaseURL: ""} }, `,"output":"url"}`, 501, "not_configured", "ARTIFACTS_BASE_URL"},

		{"no bucket set", func(*testing.T) map[string]string { return join(s3(store), map[string]string{delivery.KeyBucket: ""}) }, toStore, 501, "not_configured", "hub.generator.objectstore.bucket"},
		{"no key set", func(*testing.T) map[string]string {
			return join(s3(store), map[string]string{delivery.KeySecretKey: ""})
		}, toStore, 501, "not_configured", "AWS_SECRET_ACCESS_KEY"},
		{"no such bucket", func(*testing.T) map[string]string {
			return join(s3(store), map[string]string{delivery.KeyBucket: "missing"})
		}, toStore, 502, "target_not_found", "there is no such bucket"},
		{"wrong key", func(*testing.T) map[string]string {
			return join(s3(store), map[string]string{delivery.KeySecretKey: "wrong-must-not-show"})
		}, toStore, 502, "target_not_authorized", "not the one of the access key"},
		{"store is away", func(*testing.T) map[string]string {
			return join(s3(store), map[string]string{delivery.KeyEndpoint: "http://127.0.0.1:1"})
		}, toStore, 503, "target_unreachable", "nothing listens there"},

		{"no token", func(t *testing.T) map[string]string {
			return map[string]string{delivery.KeyForge: gitea(t, testgit.Forge{}).URL}
		}, toForge, 501, "not_configured", "ERPHUB_REPOSITORY_TOKEN"},
		{"wrong token", func(t *testing.T) map[string]string {
			return join(forge(gitea(t, testgit.Forge{})), map[string]string{delivery.KeyForgeToken: "wrong-must-not-show"})
		}, toForge, 502, "target_not_authorized", "does not know the token"},
		{"no organization", func(t *testing.T) map[string]string {
			return join(forge(gitea(t, testgit.Forge{})), map[string]string{delivery.KeyOrg: "missing"})
		}, toForge, 502, "target_not_found", "no organization missing"},
		{"no room at the forge", func(t *testing.T) map[string]string {
			return forge(gitea(t, testgit.Forge{Fail: map[string]int{"POST /user/repos": 413}}))
		}, toForge, 507, "no_room", "no room"},
		{"commit lost", func(t *testing.T) map[string]string { return forge(gitea(t, testgit.Forge{Lose: true})) }, toForge, 502, "target_failed", "does not have it"},
		{"forge without TLS", func(*testing.T) map[string]string {
			return map[string]string{delivery.KeyForge: "http://forge.example.com", delivery.KeyForgeToken: forgeToken}
		}, toForge, 501, "not_configured", "use https"},

		{"no mail server", func(*testing.T) map[string]string { return nil }, toMail, 501, "not_configured", "SMTP_HOST"},
		{"wrong password", func(*testing.T) map[string]string {
			return join(post, map[string]string{delivery.KeySMTPPassword: "wrong-must-not-show"})
		}, toMail, 502, "target_not_authorized", "refuses the login"},
		{"no such mailbox", func(*testing.T) map[string]string { return post }, `,"output":"email","email":"nobody@example.com"}`, 502, "target_refused", "refuses the recipient"},
		{"not a recipient", func(*testing.T) map[string]string { return post }, `,"output":"email","email":"somebody@example.org"}`, 400, "invalid", "hub.email.recipients"},
		{"foreign domain", func(*testing.T) map[string]string {
			return join(post, map[string]string{delivery.KeyRecipients: "*"})
		}, `,"output":"email","email":"somebody@example.org"}`, 502, "target_refused", "relaying"},
		{"mail server is away", func(*testing.T) map[string]string {
			return join(post, map[string]string{delivery.KeySMTPHost: "127.0.0.1:1"})
		}, toMail, 503, "target_unreachable", "nothing listens there"},
		{"gone after the mail", func(t *testing.T) map[string]string {
			faulty := testsmtp.StartFaulty(t, testsmtp.Faults{Drop: true})
			return join(smtp(faulty.Addr, "", ""), map[string]string{delivery.KeySMTPSecurity: "none"})
		}, toMail, 502, "unknown_outcome", "ask the recipient"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := start(t, setup{settings: tt.settings(t), delivery: delivery.Options{Roots: mailServer.Roots}})
			got := a.post(body + tt.body)
			require.Equal(t, tt.status, got.status, string(got.body))
			r := got.refusal(t)
			assert.Equal(t, tt.code, r.Error.Code)
			assert.Contains(t, r.Error.Message+" "+r.Error.Hint, tt.text)
			assert.NotContains(t, string(got.body), os.TempDir())
			left, err := os.ReadDir(a.dir)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
	t.Cleanup(func() {
		assert.Empty(t, store.Objects(t, "plugins"))
		assert.Empty(t, mailServer.Messages(t))
	})
}

func TestNameTaken(t *testing.T) {
	t.Parallel()
	server := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: forgeToken})
	a := start(t, setup{settings: forge(server)})
	require.Equal(t, http.StatusOK, a.post(body+`,"output":"repository"}`).status)
	got := a.post(body + `,"output":"repository"}`)
	require.Equal(t, http.StatusConflict, got.status)
	assert.Equal(t, "exists", got.refusal(t).Error.Code)

	require.Equal(t, http.StatusOK, a.post(body+`}`).status)
	again := a.post(body + `}`)
	require.Equal(t, http.StatusOK, again.status, "the same files are no conflict")
	assert.Contains(t, string(again.body), `"files":[]`)
	require.NoError(t, os.WriteFile(filepath.Join(a.dir, name, "pom.xml"), []byte("mine"), 0o600))
	got = a.post(body + `}`)
	require.Equal(t, http.StatusConflict, got.status)
	assert.Contains(t, got.refusal(t).Error.Message, "pom.xml")
	mine, err := os.ReadFile(filepath.Join(a.dir, name, "pom.xml"))
	require.NoError(t, err)
	assert.Equal(t, "mine", string(mine))
}

// beaten is the mode filesystem where somebody else is a little faster.
type beaten struct {
	dir string
	by  func(target string) error
}

func (b *beaten) Choose(context.Context, string, string) (generator.Mode, generator.Delivery, error) {
	return generator.ModeFilesystem, b, nil
}

func (b *beaten) Deliver(ctx context.Context, a *generator.Artifact, _ generator.Progress) (*generator.Receipt, error) {
	files := &generator.Filesystem{Dir: b.dir}
	var first sync.Once
	var err error
	receipt, failed := files.Deliver(ctx, a, func(int, int, string) { // what is there was looked at
		first.Do(func() { err = b.by(files.Path(a)) })
	})
	return receipt, errors.Join(err, failed)
}

// The second one gets a conflict, and a retry finds what is there.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	same := &beaten{dir: t.TempDir()}
	same.by = func(string) error {
		artifact, err := generator.Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": name})
		if err == nil {
			_, err = (&generator.Filesystem{Dir: same.dir}).Deliver(t.Context(), artifact, nil)
		}
		return err
	}
	other := &beaten{dir: t.TempDir(), by: func(target string) error {
		return errors.Join(os.Mkdir(target, 0o755), os.WriteFile(filepath.Join(target, "pom.xml"), []byte("theirs"), 0o600))
	}}
	for what, tt := range map[string]struct {
		deliveries *beaten
		retry      int
	}{
		"the same plugin": {same, http.StatusOK},
		"another":         {other, http.StatusConflict},
	} {
		a := with(t, tt.deliveries, httpapi.Options{})
		got := a.post(body + `}`)
		require.Equal(t, http.StatusConflict, got.status, "%s: %s", what, got.body)
		r := got.refusal(t)
		assert.Equal(t, "exists", r.Error.Code, what)
		assert.Contains(t, r.Error.Hint, "try again", what)
		assert.NotContains(t, string(got.body), tt.deliveries.dir, what)
		tt.deliveries.by = func(string) error { return nil }
		assert.Equal(t, tt.retry, a.post(body+`}`).status, what)
	}
}

func TestPushRejected(t *testing.T) {
	t.Parallel()
	server := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: forgeToken, Hook: "exit 1"})
	got := start(t, setup{settings: forge(server)}).post(body + `,"output":"repository"}`)
	require.Equal(t, http.StatusBadGateway, got.status, string(got.body))
	r := got.refusal(t)
	assert.Equal(t, "target_refused", r.Error.Code)
	assert.Contains(t, r.Error.Message, "pre-receive hook declined")
	assert.Empty(t, server.Repositories(), "the repository is gone again")
}

// Settings that are not the operator's lead nowhere within.
func TestHostsOfOthers(t *testing.T) {
	t.Parallel()
	server := tests3.Start(t)
	server.CreateBucket(t, "plugins")
	for what, tt := range map[string]struct {
		settings map[string]string
		body     string
	}{
		"store":           {s3(server), `,"output":"object_store"}`},
		"store, by name":  {join(s3(server), map[string]string{delivery.KeyEndpoint: strings.Replace(server.Endpoint, "127.0.0.1", "localhost", 1)}), `,"output":"object_store"}`},
		"cloud's secrets": {join(s3(server), map[string]string{delivery.KeyEndpoint: "http://169.254.169.254"}), `,"output":"object_store"}`},
		"mapped address":  {join(s3(server), map[string]string{delivery.KeyEndpoint: "http://[::ffff:127.0.0.1]:9000"}), `,"output":"object_store"}`},
		"forge":           {map[string]string{delivery.KeyForge: "https://10.0.0.1", delivery.KeyForgeToken: forgeToken}, `,"output":"repository"}`},
		"mail server":     {smtp("192.168.0.1:25", "", ""), `,"output":"email","email":"developer@example.com"}`},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := start(t, setup{settings: tt.settings, delivery: delivery.Options{Untrusted: true}}).post(body + tt.body)
			require.Equal(t, http.StatusServiceUnavailable, got.status, string(got.body))
			assert.Contains(t, got.refusal(t).Error.Message, "not one that may be connected to")
		})
	}
}

// A link planted in the folder leads nobody out of it.
func TestLinkOutOfTheFolder(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(a.dir, name)))
	got := a.post(body + `}`)
	require.Equal(t, http.StatusConflict, got.status, string(got.body))
	assert.Contains(t, got.refusal(t).Error.Message, "a link of that name is there")
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

var _ httpapi.Deliveries = (*delivery.Deliveries)(nil)
