package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

// deployed is a program as a file for operators starts it.
type deployed struct {
	args  []string
	env   map[string]string
	check []string // its health check; none: the orchestrator asks
}

// composed are the programs of compose.yaml.
func composed(t *testing.T) map[string]deployed {
	t.Helper()
	var file struct {
		Services map[string]struct {
			Command     []string
			Environment map[string]string
			Secrets     []string
			Health      struct{ Test []string } `yaml:"healthcheck"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployFile(t, "compose.yaml")), &file))
	all := map[string]deployed{}
	for _, name := range []string{"api", "mcp"} {
		s := file.Services[name]
		require.Greater(t, len(s.Health.Test), 2, "%s has no health check", name)
		require.Equal(t, []string{"CMD", "/erphub"}, s.Health.Test[:2])
		used := map[string]bool{}
		for _, value := range s.Environment {
			if secret, ok := strings.CutPrefix(value, "/run/secrets/"); ok {
				assert.Contains(t, s.Secrets, secret, name)
				used[secret] = true
			}
		}
		for _, secret := range s.Secrets {
			assert.True(t, used[secret], "%s has the secret %s and does not use it", name, secret)
		}
		all[name] = deployed{s.Command, s.Environment, s.Health.Test[2:]}
	}
	return all
}

// orchestrated are the programs of kubernetes.yaml.
func orchestrated(t *testing.T) map[string]deployed {
	t.Helper()
	all := map[string]deployed{}
	for d := yaml.NewDecoder(strings.NewReader(deployFile(t, "kubernetes.yaml"))); ; {
		var object struct {
			Kind string
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Name string
							Args []string
							Env  []struct{ Name, Value string }
						}
					}
				}
			}
		}
		err := d.Decode(&object)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		for _, c := range object.Spec.Template.Spec.Containers {
			env := map[string]string{}
			for _, v := range c.Env {
				env[v.Name] = v.Value
			}
			all[c.Name] = deployed{c.Args, env, nil}
		}
	}
}

// What the files for operators start is ready: their commands run as processes would,
// with their environment and secrets at other paths. Left out are the certificate and
// the object store.
func TestDeployFilesStartWhatWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts every server of the files")
	}
	t.Parallel()
	srv, redis := erptest.New(t), testredis.Start(t)
	home := t.TempDir()
	var said bytes.Buffer
	super := []string{"HOME=" + home, "ERP_URL=" + srv.URL(), "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System", "ERP_CLIENT_ID=0", "ERP_ROLE_ID=0", "ERP_ORG_ID=0"}
	require.Zero(t, execute(t.Context(), []string{"erphub", "env", "deploy", "install", "--no-window"}, super, shell.Streams{Out: &said, Err: &said}), said.String())
	database := aitest.Postgres(t)
	installing := serve(t, []string{"ERP_DATABASE_URL=" + database, "ERP_TOKEN_SECRET=" + tokenSecret}, "server", "api", "--install")
	require.Equal(t, shell.ExitDone, installing.stop())
	secrets := t.TempDir()
	for name, value := range map[string]string{
		"reader.url": database, "auditor.url": database, "database.url": database, "audit-database.url": database,
		"token-secret": tokenSecret, "redis.url": redis.URL(),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(secrets, name), []byte(value), 0o400))
	}
	paths := regexp.MustCompile(`^(/run)?/secrets/`)
	for file, programs := range map[string]map[string]deployed{"compose.yaml": composed(t), "kubernetes.yaml": orchestrated(t)} {
		require.Equal(t, []string{"api", "mcp"}, slices.Sorted(maps.Keys(programs)), file)
		var login []string // as the file says that it is written
		for _, line := range regexp.MustCompile(`(?m)^#   ((?:url|auth): .*)$`).FindAllStringSubmatch(deployFile(t, file), -1) {
			login = append(login, strings.NewReplacer("https://erp.example.com", srv.URL(), "Board", "GardenAdmin", `"..."`, "GardenAdmin").Replace(line[1]))
		}
		require.Len(t, login, 2, file)
		written := filepath.Join(secrets, "erphub.yaml")
		_ = os.Remove(written) // that of the other file
		require.NoError(t, os.WriteFile(written, []byte(strings.Join(login, "\n")+"\n"), 0o400))
		for _, name := range []string{"api", "mcp"} {
			d := programs[name]
			var env []string
			for variable, value := range d.env {
				switch {
				case strings.Contains(variable, "_TLS_"), strings.Contains(variable, "ARTIFACTS_"), strings.HasPrefix(variable, "AWS_"), strings.HasSuffix(variable, "_DRAIN_DELAY"):
					continue
				case variable == "ERP_URL":
					value = srv.URL()
				case variable == "AI_API_URL":
					value = srv.URL() // there is none, as long as that of the file is not up
				default:
					value = paths.ReplaceAllString(value, secrets+"/")
				}
				env = append(env, variable+"="+value)
			}
			args := slices.Clone(d.args)
			if i := slices.Index(args, "--metrics-listen"); i >= 0 {
				args[i+1] = "127.0.0.1:0"
			}
			p := serve(t, env, args...)
			assert.EventuallyWithT(t, func(c *assert.CollectT) {
				status, r := p.ready("/readyz")
				if name == "mcp" { // the AI API of the test has another address
					r.Missing = slices.DeleteFunc(r.Missing, func(m string) bool { return m == "the AI API does not respond" })
				}
				assert.Equal(c, http.StatusOK, status, "%s of %s", name, file)
				assert.Empty(c, r.Missing, "%s of %s", name, file)
			}, time.Minute, 20*time.Millisecond)
			if len(d.check) > 0 {
				words := append([]string{"erphub"}, d.check...)
				for i, word := range words {
					if strings.HasPrefix(word, "http://127.0.0.1:") {
						words[i] = p.url
					}
				}
				said.Reset()
				assert.Equal(t, shell.ExitDone, execute(t.Context(), words, []string{"HOME=" + home}, shell.Streams{Out: &said, Err: &said}), said.String())
			}
			assert.Equal(t, shell.ExitDone, p.stop())
		}
	}
}
