package tools_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

// clinic examines as the programs do.
type clinic struct {
	path string
	env  map[string]string
}

func foundBy(checks []doctor.Check) []tools.Finding {
	var out []tools.Finding
	for _, c := range checks {
		out = append(out, tools.Finding{Area: string(c.Area), Name: c.Name, Status: string(c.Status), Found: c.Found, Fix: c.Fix})
	}
	return out
}

func (c *clinic) Environment(ctx context.Context) []tools.Finding {
	return foundBy(doctor.Environment(ctx, doctor.Host{Program: "test 1", Environ: c.env, ConfigPath: c.path}))
}

func (c *clinic) Configuration(ctx context.Context) ([]tools.Finding, []tools.Setting) {
	resolver := config.Resolver{Getenv: func(name string) string { return c.env[name] }}
	var settings []tools.Setting
	for _, k := range config.Keys() {
		v := resolver.Value(k.Name)
		settings = append(settings, tools.Setting{
			Name: k.Name, Env: k.Env, From: string(v.Origin), Set: v.Text() != "", Secret: k.Secret,
			Value: v.Text(), // also of secrets: the tool has to leave them out
		})
	}
	return foundBy(doctor.Configuration(ctx, doctor.Settings{File: c.path, Environ: c.env})), settings
}

func (c *clinic) Database(ctx context.Context) []tools.Finding {
	return foundBy(doctor.Database(ctx, "", ""))
}

type examined struct {
	Status   string
	Findings []tools.Finding
	Settings []tools.Setting
}

func (e examined) byName() map[string]tools.Finding {
	out := map[string]tools.Finding{}
	for _, f := range e.Findings {
		out[f.Area+" "+f.Name] = f
	}
	return out
}

const secretPassword = "hunter2-is-no-secret-here"

func TestDoctor(t *testing.T) {
	t.Parallel()
	k := shared(t)
	full := k.with(t, func(o *tools.Options) {
		o.Doctor = &clinic{
			path: filepath.Join(t.TempDir(), "config.yaml"),
			env:  map[string]string{"ERP_URL": "https://erp.example.com", "ERP_USERNAME": "joe", "ERP_PASSWORD": secretPassword, "ERP_PASSWRD": "x"},
		}
	})

	t.Run("environment", func(t *testing.T) {
		t.Parallel()
		bare := response[examined](t, k, admin, "checkEnvironment", args{})
		assert.Equal(t, "ok", bare.Status)
		assert.Contains(t, bare.byName()["backend rest"].Found, "dictionary")
		got := response[examined](t, full, admin, "checkEnvironment", args{})
		assert.Equal(t, "warning", got.Status)
		assert.Contains(t, got.byName()["environment variables"].Found, "ERP_PASSWRD")
		refusal(t, k, admin, "checkEnvironment", args{"all": true}, mcp.CodeInvalidArguments)
	})
	t.Run("api", func(t *testing.T) {
		t.Parallel()
		got := response[examined](t, k, root, "checkApi", args{})
		assert.Equal(t, "ok", got.byName()["api token is accepted"].Status)
		assert.Equal(t, "ok", got.byName()["api table synchronisation"].Status)
		assert.Equal(t, "ok", got.byName()["backend rest"].Status)
		_, err := k.invoke(t, &mcp.Call{}, "checkApi", args{})
		require.NoError(t, err, "what is wrong is a finding")
		raw, err := k.invoke(t, &mcp.Call{Caller: mcp.Caller{ID: "nobody"}}, "checkApi", args{})
		require.NoError(t, err)
		failed := decoded[examined](t, raw)
		assert.Equal(t, "failed", failed.Status)
		assert.Equal(t, "failed", failed.byName()["backend rest"].Status)
		assert.NotEmpty(t, failed.byName()["backend rest"].Fix)
	})
	t.Run("api that is away", func(t *testing.T) {
		t.Parallel()
		away, err := backend.NewREST("http://127.0.0.1:1", nil)
		require.NoError(t, err)
		t.Cleanup(away.Close)
		pool, err := backend.NewPool("", away)
		require.NoError(t, err)
		gone := k.with(t, func(o *tools.Options) { o.Pool = pool })
		got := response[examined](t, gone, admin, "checkApi", args{})
		assert.Equal(t, "failed", got.Status)
		assert.NotEmpty(t, got.byName()["api server responds"].Fix)
	})
	t.Run("database", func(t *testing.T) {
		t.Parallel()
		for _, kit := range []*kit{k, full} {
			got := response[examined](t, kit, admin, "checkDatabase", args{})
			assert.Equal(t, "ok", got.Status)
			assert.Equal(t, "skipped", got.byName()["database database responds"].Status)
		}
	})
	t.Run("configuration", func(t *testing.T) {
		t.Parallel()
		bare := response[examined](t, k, admin, "getConfigStatus", args{})
		assert.Empty(t, bare.Settings)
		raw, err := full.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, "getConfigStatus", args{})
		require.NoError(t, err)
		assert.NotContains(t, string(raw), secretPassword)
		got := decoded[examined](t, raw)
		settings := map[string]tools.Setting{}
		for _, s := range got.Settings {
			settings[s.Env] = s
		}
		assert.Equal(t, "https://erp.example.com", settings["ERP_URL"].Value)
		assert.Equal(t, "environment", settings["ERP_URL"].From)
		password := settings["ERP_PASSWORD"]
		assert.True(t, password.Set)
		assert.True(t, password.Secret)
		assert.Empty(t, password.Value)
		refusal(t, full, admin, "getConfigStatus", args{"cursor": "x"}, mcp.CodeInvalidArguments)
	})
}
