package delivery_test

import (
	"crypto/tls"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/internal/gitrepo"
	"github.com/erphub/erphub/generator/internal/mail"
	"github.com/erphub/erphub/generator/internal/objectstore"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testartifact"
	"github.com/erphub/erphub/internal/testkit/testgit"
	"github.com/erphub/erphub/internal/testkit/tests3"
	"github.com/erphub/erphub/internal/testkit/testsmtp"
)

// of is a lookup in a map.
func of(values map[string]string) func(string) string {
	return func(key string) string { return values[key] }
}

func open(t *testing.T, o delivery.Options) *delivery.Deliveries {
	t.Helper()
	d, err := delivery.New(o)
	require.NoError(t, err)
	return d
}

// all configures every mode.
func all(t *testing.T) map[string]string {
	return map[string]string{
		delivery.KeyDirectory: t.TempDir(),
		delivery.KeyArtifacts: t.TempDir(), delivery.KeyBaseURL: "https://hub.example.com",
		delivery.KeyBucket: "plugins", delivery.KeyAccessKey: "KEY", delivery.KeySecretKey: "secret-must-not-show",
		delivery.KeyForgeToken: "token-must-not-show", delivery.KeySMTPHost: "smtp.example.com",
		delivery.KeySMTPUser: "hub", delivery.KeySMTPPassword: "password-must-not-show", delivery.KeyFrom: "hub@example.com",
	}
}

// TestKeysOfTheSpecification holds the names, variables and defaults against the
// hub's specification.
func TestKeysOfTheSpecification(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "reference")
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Clean(dir)), "spec", "hub-service.md"))
	if err != nil {
		t.Skipf("the specification is not here: %v", err)
	}
	keys := map[string]delivery.Key{}
	for _, k := range delivery.Keys() {
		assert.NotContains(t, keys, k.Name, "twice")
		keys[k.Name] = k
	}
	rows := regexp.MustCompile(`(?m)^\| (hub\.[a-z.-]+)(?: \(env ([A-Z_]+)\))? \| ([^|]+) \|$`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, 9)
	for _, row := range rows {
		k, ok := keys[row[1]]
		require.True(t, ok, row[1])
		assert.Equal(t, row[2], k.Env, row[1])
		want := row[3]
		switch {
		case want == "empty":
			want = ""
		case strings.HasPrefix(want, "a no-reply sender"):
			want = mail.DefaultFrom
		}
		assert.Equal(t, want, k.Default, row[1])
	}
}

// The configuration file knows some of the keys: with the same variable and
// default.
func TestKeysOfTheConfiguration(t *testing.T) {
	t.Parallel()
	shared := 0
	for _, k := range delivery.Keys() {
		assert.NotEmpty(t, k.About, k.Name)
		known, ok := config.Lookup(k.Name)
		if !ok {
			continue
		}
		shared++
		assert.Equal(t, known.Env, k.Env, k.Name)
		assert.Equal(t, known.Default, k.Default, k.Name)
		assert.Equal(t, known.Secret, k.Secret, k.Name)
	}
	assert.GreaterOrEqual(t, shared, 9)
}

func TestMode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		setting, getenv map[string]string
		output          string
		want            generator.Mode
	}{
		{"nothing said", nil, nil, "", generator.ModeFilesystem},
		{"configured", map[string]string{delivery.KeyMode: "url"}, nil, "", generator.ModeURL},
		{"environment wins", map[string]string{delivery.KeyMode: "url"}, map[string]string{"GENERATOR_OUTPUT_MODE": "archive"}, "", generator.ModeArchive},
		{"request wins", map[string]string{delivery.KeyMode: "url"}, map[string]string{"GENERATOR_OUTPUT_MODE": "archive"}, "email", generator.ModeEmail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mode, err := open(t, delivery.Options{Setting: of(tt.setting), Getenv: of(tt.getenv)}).Mode(tt.output)
			require.NoError(t, err)
			assert.Equal(t, tt.want, mode)
		})
	}
	_, err := open(t, delivery.Options{}).Mode("floppy\r\nX: y")
	require.ErrorIs(t, err, failure.Invalid)
	assert.NotContains(t, err.Error(), "\n")
	for _, text := range []string{"URL", "Url", "Object_Store", "ARCHIVE"} {
		_, err := open(t, delivery.Options{}).Mode(text)
		require.ErrorIs(t, err, failure.Invalid, text)
		assert.ErrorContains(t, err, "lower case: "+strings.ToLower(text))
		_, err = delivery.New(delivery.Options{Setting: of(map[string]string{delivery.KeyMode: text})})
		require.ErrorIs(t, err, failure.NotConfigured, text)
		assert.ErrorContains(t, err, "lower case")
	}
}

func TestWithTheConfigurationFile(t *testing.T) {
	t.Parallel()
	doc, err := config.Parse([]byte("hub:\n  generator:\n    output-mode: email\n  email:\n    smtp-host: mail.example.com\n    username: hub\n    password: from-the-file\n" +
		"profiles:\n  test:\n    hub.generator.output-mode: url\n    hub.artifacts.directory: " + t.TempDir() + "\n"))
	require.NoError(t, err)
	env := of(map[string]string{"ARTIFACTS_BASE_URL": "https://hub.example.com", "ARTIFACTS_TTL": "90", "EMAIL_FROM": "hub@example.com"})
	for profile, want := range map[string]generator.Mode{"": generator.ModeEmail, "test": generator.ModeURL} {
		r := config.Resolver{Getenv: env, Document: doc, Profile: profile}
		d := open(t, delivery.Options{Setting: r.Lookup, Getenv: env})
		mode, made, err := d.Choose(t.Context(), "", "a@example.com")
		require.NoError(t, err)
		assert.Equal(t, want, mode)
		assert.NotNil(t, made)
		assert.Equal(t, 90*time.Minute, d.TTL())
	}
}

func TestWhatIsMadeLazily(t *testing.T) {
	t.Parallel()
	d := open(t, delivery.Options{Setting: of(all(t))})
	for _, tt := range []struct {
		mode generator.Mode
		want any
	}{
		{generator.ModeArchive, generator.Archive{}},
		{generator.ModeObjectStore, &objectstore.Store{}},
		{generator.ModeRepository, &gitrepo.Repositories{}},
		{generator.ModeEmail, &mail.Delivery{}},
	} {
		mode, first, err := d.For(t.Context(), delivery.Request{Output: string(tt.mode), Email: "a@example.com"})
		require.NoError(t, err)
		assert.Equal(t, tt.mode, mode)
		assert.IsType(t, tt.want, first)
		_, second, err := d.For(t.Context(), delivery.Request{Output: string(tt.mode), Email: "a@example.com"})
		require.NoError(t, err)
		if tt.mode == generator.ModeObjectStore || tt.mode == generator.ModeRepository {
			assert.Same(t, first, second, "one client for all")
		}
	}
}

// TestSettingsThatCannotBeUsed: all are found before anything begins, and none
// shows a secret.
func TestSettingsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		output string
		change map[string]string
		text   string
	}{
		{"no folder", "filesystem", map[string]string{delivery.KeyDirectory: ""}, "hub.generator.directory (ERPHUB_GENERATOR_DIRECTORY)"},
		{"folder with a zero", "filesystem", map[string]string{delivery.KeyDirectory: "a\x00b"}, "is not a folder"},
		{"no folder for artifacts", "url", map[string]string{delivery.KeyArtifacts: ""}, "hub.artifacts.directory"},
		{"folder and bucket for artifacts", "url", map[string]string{delivery.KeyArtifactsBucket: "downloads"}, "clear it, or hub.artifacts.directory (ERPHUB_ARTIFACTS_DIRECTORY)"},
		{"bucket for artifacts is none", "url", map[string]string{delivery.KeyArtifacts: "", delivery.KeyArtifactsBucket: "a/b"}, "cannot be the name of a bucket"},
		{"prefix of artifacts leads up", "url", map[string]string{delivery.KeyArtifacts: "", delivery.KeyArtifactsBucket: "downloads", delivery.KeyArtifactsPrefix: "../"}, "prefix"},
		{"no address", "url", map[string]string{delivery.KeyBaseURL: ""}, "ARTIFACTS_BASE_URL"},
		{"address with a password", "url", map[string]string{delivery.KeyBaseURL: "https://u:must-not-show@hub.example.com"}, "ARTIFACTS_BASE_URL"},
		{"address of nothing", "url", map[string]string{delivery.KeyBaseURL: "javascript:alert(1)"}, "ARTIFACTS_BASE_URL"},
		{"room is not a number", "url", map[string]string{delivery.KeyMaxMegabytes: "much"}, `"much" is not a whole number`},
		{"no bucket", "object_store", map[string]string{delivery.KeyBucket: ""}, "hub.generator.objectstore.bucket"},
		{"bucket is none", "object_store", map[string]string{delivery.KeyBucket: "a/b"}, "cannot be the name of a bucket"},
		{"prefix leads up", "object_store", map[string]string{delivery.KeyPrefix: "../"}, "prefix"},
		{"endpoint with a password", "object_store", map[string]string{delivery.KeyEndpoint: "https://u:must-not-show@s3.example.com"}, "holds a user"},
		{"no access key", "object_store", map[string]string{delivery.KeyAccessKey: ""}, "AWS_ACCESS_KEY_ID"},
		{"secret key with a line break", "object_store", map[string]string{delivery.KeySecretKey: "must-not-show\nx"}, "AWS_SECRET_ACCESS_KEY"},
		{"session token with a zero", "object_store", map[string]string{delivery.KeySessionToken: "must-not-show\x00"}, "AWS_SESSION_TOKEN"},
		{"no token", "repository", map[string]string{delivery.KeyForgeToken: ""}, "ERPHUB_REPOSITORY_TOKEN"},
		{"forge is none", "repository", map[string]string{delivery.KeyForge: "ftp://forge.example.com"}, "not one of a forge"},
		{"forge without TLS", "repository", map[string]string{delivery.KeyForge: "http://forge.example.com"}, "use https"},
		{"unknown forge", "repository", map[string]string{delivery.KeyForgeKind: "svn"}, "no kind"},
		{"private is neither", "repository", map[string]string{delivery.KeyPrivate: "perhaps"}, `"perhaps" is neither true nor false`},
		{"branch is none", "repository", map[string]string{delivery.KeyBranch: "-f"}, "cannot be a branch"},
		{"no mail server", "email", map[string]string{delivery.KeySMTPHost: ""}, "SMTP_HOST"},
		{"mail server is none", "email", map[string]string{delivery.KeySMTPHost: "smtp://x"}, "configuring the mail server"},
		{"port is none", "email", map[string]string{delivery.KeySMTPPort: "70000"}, "ERPHUB_SMTP_PORT"},
		{"two ports", "email", map[string]string{delivery.KeySMTPPort: "25", delivery.KeySMTPHost: "smtp.example.com:587"}, "another port"},
		{"sender with a header", "email", map[string]string{delivery.KeyFrom: "hub@example.com\r\nBcc: x@example.com"}, "EMAIL_FROM"},
		{"security is none", "email", map[string]string{delivery.KeySMTPSecurity: "some"}, "none of starttls, tls and none"},
		{"recipient is none", "email", map[string]string{delivery.KeyRecipients: ",, "}, "hub.email.recipients (ERPHUB_EMAIL_RECIPIENTS)"},
		{"nobody to send to", "email", map[string]string{delivery.KeyFrom: ""}, "hub.email.recipients (ERPHUB_EMAIL_RECIPIENTS)"},
		{"no password", "email", map[string]string{delivery.KeySMTPPassword: ""}, "ERPHUB_SMTP_PASSWORD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			settings := all(t)
			maps.Copy(settings, tt.change)
			d := open(t, delivery.Options{Setting: of(settings)})
			_, made, err := d.Choose(t.Context(), tt.output, "a@example.com")
			require.ErrorIs(t, err, failure.NotConfigured)
			assert.Nil(t, made)
			require.ErrorContains(t, err, tt.text)
			assert.NotContains(t, fmt.Sprintf("%+v %#v", err, err), "must-not-show")
			for mode, err := range d.Check(t.Context()) {
				if string(mode) == tt.output {
					require.Error(t, err)
				} else {
					require.NoError(t, err, mode)
				}
			}
		})
	}
	for _, text := range []string{"0", "-1", "1.5", "1e3", "an hour", "9999999999", "99999999999999999999"} {
		_, err := delivery.New(delivery.Options{Setting: of(map[string]string{delivery.KeyTTL: text})})
		require.ErrorIs(t, err, failure.NotConfigured, text)
		require.ErrorContains(t, err, "ARTIFACTS_TTL")
	}
	_, err := delivery.New(delivery.Options{Getenv: of(map[string]string{"GENERATOR_OUTPUT_MODE": "floppy"})})
	require.ErrorIs(t, err, failure.NotConfigured)
	require.ErrorContains(t, err, "use one of filesystem, archive")
}

func TestRequestsThatCannotBeMet(t *testing.T) {
	t.Parallel()
	d := open(t, delivery.Options{}) // nothing is configured: a wrong request is told that first
	for what, r := range map[string]delivery.Request{
		"unknown output": {Output: "floppy"},
		"no address":     {Output: "email"},
		"two addresses":  {Output: "email", Email: "a@example.com,b@example.com"},
		"header":         {Output: "email", Email: "a@example.com\r\nBcc: b@example.com"},
	} {
		_, made, err := d.For(t.Context(), r)
		require.ErrorIs(t, err, failure.Invalid, what)
		assert.Nil(t, made)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	others := file("file")
	require.NoError(t, os.Chmod(others, 0o644))
	tests := []struct {
		name     string
		setting  map[string]string
		getenv   map[string]string
		password string // that is sent, "" for an error
		text     string
	}{
		{"the environment wins", map[string]string{delivery.KeySMTPPassword: "set"}, map[string]string{"ERPHUB_SMTP_PASSWORD": "environment"}, "environment", ""},
		{"then the setting", map[string]string{delivery.KeySMTPPassword: "set"}, map[string]string{"ERPHUB_SMTP_PASSWORD_FILE": file("file")}, "set", ""},
		{"then the file of the environment", map[string]string{"hub.email.password-file": file("other")}, map[string]string{"ERPHUB_SMTP_PASSWORD_FILE": file("file\n")}, "file", ""},
		{"then the file of the setting", map[string]string{"hub.email.password-file": file("file\r\n")}, nil, "file", ""},
		{"blanks belong to it", map[string]string{"hub.email.password-file": file(" a b \n")}, nil, " a b ", ""},
		{"no file", map[string]string{"hub.email.password-file": filepath.Join(t.TempDir(), "missing")}, nil, "", "cannot be read"},
		{"a folder", map[string]string{"hub.email.password-file": t.TempDir()}, nil, "", "cannot be read"},
		{"an empty file", map[string]string{"hub.email.password-file": file("\n")}, nil, "", "it is not set"},
		{"two lines", map[string]string{"hub.email.password-file": file("a\nb\n")}, nil, "", "line break"},
		{"a file that others may read", map[string]string{"hub.email.password-file": others}, nil, "", "others may read or write the file for it"},
		{"a huge file", map[string]string{"hub.email.password-file": file(strings.Repeat("x", 70<<10))}, nil, "", "cannot be read"},
		{"an endless file", map[string]string{"hub.email.password-file": "/dev/zero"}, nil, "", "cannot be read"},
		{"none", nil, nil, "", "ERPHUB_SMTP_PASSWORD_FILE"},
	}
	cert := testsmtp.NewCertificate(t, time.Now().Add(time.Hour))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			settings := map[string]string{delivery.KeySMTPHost: "smtp.example.com", delivery.KeySMTPUser: "hub", delivery.KeyRecipients: "a@example.com"}
			var server *testsmtp.Faulty
			if tt.password != "" {
				server = testsmtp.StartFaulty(t, testsmtp.Faults{TLS: &tls.Config{Certificates: []tls.Certificate{cert.TLS}}})
				settings[delivery.KeySMTPHost] = server.Addr
			}
			maps.Copy(settings, tt.setting)
			d := open(t, delivery.Options{Setting: of(settings), Getenv: of(tt.getenv), Roots: cert.Roots})
			_, made, err := d.Choose(t.Context(), "email", "a@example.com")
			if tt.password == "" {
				require.ErrorIs(t, err, failure.NotConfigured)
				require.ErrorContains(t, err, tt.text)
				return
			}
			require.NoError(t, err)
			_, err = made.Deliver(t.Context(), testartifact.New(t, "com.example.demo"), nil)
			require.NoError(t, err)
			assert.Equal(t, []string{"hub " + tt.password}, server.Logins())
		})
	}
}

// A secret that is replaced is used from then on.
func TestSecretIsReplaced(t *testing.T) {
	t.Parallel()
	server := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: "new"})
	path := filepath.Join(t.TempDir(), "token")
	d := open(t, delivery.Options{Setting: of(map[string]string{delivery.KeyForge: server.URL}), Getenv: of(map[string]string{"ERPHUB_REPOSITORY_TOKEN_FILE": path})})
	deliver := func() error {
		_, made, err := d.Choose(t.Context(), "repository", "")
		require.NoError(t, err)
		_, err = made.Deliver(t.Context(), testartifact.New(t, "com.example.demo"), nil)
		return err
	}
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.ErrorIs(t, deliver(), failure.NotAuthorized)
	require.NoError(t, os.WriteFile(path, []byte("new"), 0o600))
	require.NoError(t, deliver())
	assert.Equal(t, true, server.Repositories()["tester/com.example.demo"]["private"])
}

func TestSettingsReachTheDeliveries(t *testing.T) {
	t.Parallel()
	a := testartifact.New(t, "com.example.demo")
	t.Run("repository", func(t *testing.T) {
		t.Parallel()
		server := testgit.Start(t, testgit.Forge{Kind: testgit.GitHub, Token: "t", Orgs: []string{"erp"}})
		d := open(t, delivery.Options{
			Setting: of(map[string]string{delivery.KeyOrg: "erp", delivery.KeyPrivate: "false", delivery.KeyBranch: "trunk"}),
			Getenv:  of(map[string]string{"ERPHUB_REPOSITORY_URL": server.URL, "ERPHUB_REPOSITORY_KIND": "GitHub", "ERPHUB_REPOSITORY_TOKEN": "t"}),
		})
		_, made, err := d.Choose(t.Context(), "repository", "")
		require.NoError(t, err)
		_, err = made.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		assert.Equal(t, false, server.Repositories()["erp/com.example.demo"]["private"])
		assert.Contains(t, testgit.Git(t, server.Clone(t, "erp/com.example.demo"), "branch", "-a"), "trunk")
	})
	t.Run("object store", func(t *testing.T) {
		t.Parallel()
		server := tests3.Start(t)
		server.CreateBucket(t, "other")
		d := open(t, delivery.Options{
			Setting: of(map[string]string{delivery.KeyBucket: "other", delivery.KeyPrefix: "mine/"}),
			Getenv: of(map[string]string{"AWS_ENDPOINT_URL_S3": server.Endpoint, "AWS_ACCESS_KEY_ID": server.AccessKey, "AWS_SECRET_ACCESS_KEY": server.SecretKey,
				"AWS_REGION": server.Region, "ARTIFACTS_TTL": "20160"}),
		})
		_, made, err := d.Choose(t.Context(), "object_store", "")
		require.NoError(t, err)
		r, err := made.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(r.Key, "mine/com.example.demo/"))
		assert.WithinDuration(t, time.Now().Add(7*24*time.Hour), r.ExpiresAt, time.Minute, "what stores allow at most")
		assert.Len(t, server.Objects(t, "other"), 1)
	})
	t.Run("downloads in a bucket", func(t *testing.T) {
		t.Parallel()
		server := tests3.Start(t)
		server.CreateBucket(t, "shared")
		env := map[string]string{"AWS_ENDPOINT_URL_S3": server.Endpoint, "AWS_ACCESS_KEY_ID": server.AccessKey, "AWS_SECRET_ACCESS_KEY": server.SecretKey,
			"ERPHUB_ARTIFACTS_BUCKET": "shared", "ARTIFACTS_BASE_URL": "https://hub.example.com", "ARTIFACTS_TTL": "20160"}
		one, two := open(t, delivery.Options{Getenv: of(env)}), open(t, delivery.Options{Getenv: of(env)})
		_, made, err := one.Choose(t.Context(), "url", "")
		require.NoError(t, err)
		r, err := made.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now().Add(14*24*time.Hour), r.ExpiresAt, time.Minute, "longer than signed links")
		id := strings.TrimSuffix(strings.TrimPrefix(r.DownloadURL, "https://hub.example.com/api/artifacts/"), "/download")
		store, err := two.Artifacts()
		require.NoError(t, err)
		stored, content, err := store.Open(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, a.Filename(), stored.Filename)
		assert.NoError(t, content.Close())
		require.Len(t, server.Objects(t, "shared"), 1)
		assert.True(t, strings.HasPrefix(server.Objects(t, "shared")[0], "downloads/"))

		delete(env, "AWS_ACCESS_KEY_ID")
		_, _, err = open(t, delivery.Options{Getenv: of(env)}).Choose(t.Context(), "url", "")
		require.ErrorIs(t, err, failure.NotConfigured, "before any work")
		require.ErrorContains(t, err, "AWS_ACCESS_KEY_ID")
	})
	t.Run("mail, TLS from the start", func(t *testing.T) {
		t.Parallel()
		cert := testsmtp.NewCertificate(t, time.Now().Add(time.Hour))
		server := testsmtp.StartFaulty(t, testsmtp.Faults{TLS: &tls.Config{Certificates: []tls.Certificate{cert.TLS}}, Implicit: true})
		host, port, _ := strings.Cut(server.Addr, ":")
		d := open(t, delivery.Options{Roots: cert.Roots, Getenv: of(map[string]string{
			"SMTP_HOST": host, "ERPHUB_SMTP_PORT": port, "ERPHUB_SMTP_SECURITY": "TLS", "EMAIL_FROM": "Hub <hub@example.com>",
		})})
		_, made, err := d.Choose(t.Context(), "email", "a@example.com")
		require.NoError(t, err)
		_, err = made.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		require.Len(t, server.Mails(), 1)
		assert.Contains(t, string(server.Mails()[0]), "From: \"Hub\" <hub@example.com>")
		assert.Empty(t, server.Logins())
	})
	t.Run("url", func(t *testing.T) {
		t.Parallel()
		now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		d := open(t, delivery.Options{ArtifactsDirectory: t.TempDir(), BaseURL: "http://127.0.0.1:8090", Now: func() time.Time { return now },
			Getenv: of(map[string]string{"ARTIFACTS_BASE_URL": "https://hub.example.com/erp/", "ARTIFACTS_TTL": "5"})})
		_, made, err := d.Choose(t.Context(), "url", "")
		require.NoError(t, err)
		r, err := made.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		assert.Regexp(t, `^https://hub\.example\.com/erp/api/artifacts/[a-z2-7]{52}/download$`, r.DownloadURL)
		assert.Equal(t, now.Add(5*time.Minute), r.ExpiresAt)
	})
	t.Run("filesystem", func(t *testing.T) {
		t.Parallel()
		set, given := t.TempDir(), t.TempDir()
		d := open(t, delivery.Options{Directory: t.TempDir(), Setting: of(map[string]string{delivery.KeyDirectory: set})})
		for dir, r := range map[string]delivery.Request{set: {}, given: {Directory: given}} {
			_, made, err := d.For(t.Context(), r)
			require.NoError(t, err)
			receipt, err := made.Deliver(t.Context(), a, nil)
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(dir, "com.example.demo"), receipt.Path)
		}
		require.NoError(t, os.WriteFile(filepath.Join(set, "com.example.demo", "empty"), []byte("mine"), 0o600))
		_, dry, err := d.For(t.Context(), delivery.Request{Output: "filesystem", Force: true, DryRun: true})
		require.NoError(t, err)
		receipt, err := dry.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"empty"}, receipt.Files)
		_, force, err := d.For(t.Context(), delivery.Request{Force: true})
		require.NoError(t, err)
		_, err = force.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		content, err := os.ReadFile(filepath.Join(set, "com.example.demo", "empty"))
		require.NoError(t, err)
		assert.Empty(t, content)
	})
}
