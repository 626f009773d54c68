package erp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestNewBaseURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://localhost:8080":             "http://localhost:8080/api/v1",
		"http://localhost:8080/":            "http://localhost:8080/api/v1",
		"https://ERP.example.com/api":       "https://erp.example.com/api/v1",
		"https://erp.example.com/api/v1":    "https://erp.example.com/api/v1",
		"https://erp.example.com/api/v1///": "https://erp.example.com/api/v1",
		"https://example.com/erp/live":      "https://example.com/erp/live/api/v1",
		"http://[::1]:8080":                 "http://[::1]:8080/api/v1",
	} {
		client, err := erp.New(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, client.BaseURL())
	}
	for name, in := range map[string]string{
		"empty": "", "no scheme": "localhost:8080", "host only": "erp.example.com", "other scheme": "ftp://erp.example.com",
		"no host": "http://", "no host but port": "http://:8080", "user": "http://me:geheim@erp.example.com", "query": "http://erp.example.com?a=geheim",
		"fragment": "http://erp.example.com#a", "blank": "http://erp example.com", "newline": "http://erp.example.com\n",
		"dots": "http://erp.example.com/a/../b", "port 0": "http://erp.example.com:0", "port too large": "http://erp.example.com:99999", "bad port": "http://erp.example.com:port", "bad escape": "http://erp.example.com/%zz",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := erp.New(in)
			require.ErrorIs(t, err, erp.ErrInvalid)
			assert.NotContains(t, err.Error(), "geheim")
		})
	}
}

func TestNewRefusesBadOptions(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]erp.Option{
		"token with newline":        erp.WithTokenSource(erp.StaticToken("geheim\n")),
		"token with newline inside": erp.WithTokenSource(erp.StaticToken("geheim\nX-Evil: 1")),
		"token with blank":          erp.WithTokenSource(erp.StaticToken("geheim geheim")),
		"token with umlaut":         erp.WithTokenSource(erp.StaticToken("geheimä")),
		"empty token":               erp.WithTokenSource(erp.StaticToken("")),
		"locale":                    erp.WithLocale("de_DE&x=1"),
		"user agent":                erp.WithUserAgent("a\r\nX: y"),
		"negative time-out":         erp.WithTimeouts(-1, 0),
		"negative retries":          erp.WithRetryPolicy(erp.RetryPolicy{Max: -1}),
		"nil transport":             erp.WithTransport(nil),
		"limit":                     erp.WithMaxResponseBytes(0),
		"separator":                 erp.WithExpandSeparator(","),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := erp.New("http://localhost", opt)
			require.ErrorIs(t, err, erp.ErrInvalid)
			assert.NotContains(t, err.Error(), "geheim")
		})
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const secret = "eyJ-very-secret"
	source := erp.StaticToken(secret)
	var logged bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		// A page that echoes what it was sent.
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "<html><title>bad ", r.Header.Get("Authorization"), "</title></html>")
	}, erp.WithTokenSource(source), erp.WithLogger(logger))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.Error(t, err)
	_, healthErr := client.Health(t.Context(), &erp.HealthOptions{Key: secret})
	require.Error(t, healthErr)
	logger.Info("source", "source", source)
	encoded, _ := json.Marshal(source)
	for _, text := range []string{
		err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), healthErr.Error(),
		fmt.Sprint(source), fmt.Sprintf("%+v", source), fmt.Sprintf("%#v", source), fmt.Sprintf("%s %q %x", source, source, source),
		fmt.Sprint(client), fmt.Sprintf("%+v", client), fmt.Sprintf("%#v", client), fmt.Sprintf("%+v", *client),
		fmt.Sprintf("%+v", client.HTTPClient()), string(encoded), logged.String(),
	} {
		assert.NotContains(t, text, secret)
	}
	assert.Contains(t, logged.String(), "/api/v1/models/C_Order/1")
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"id":1}`), erp.WithTokenSource(erp.StaticToken("abc.def")),
		erp.WithUserAgent("my-service/1.0"), erp.WithLocale("es_CO"))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.NoError(t, err)
	got := rec.last(t)
	assert.Equal(t, "/api/v1/models/C_Order/1?locale=es_CO", got.URI)
	assert.Equal(t, "Bearer abc.def", got.Header.Get("Authorization"))
	assert.Equal(t, "application/json", got.Header.Get("Accept"))
	assert.Equal(t, "my-service/1.0", got.Header.Get("User-Agent"))
	assert.Empty(t, got.Header.Get("Content-Type"))

	_, err = client.Update(t.Context(), "C_Order", erp.IntID(1), map[string]any{"Description": nil})
	require.NoError(t, err)
	assert.Equal(t, "application/json", rec.last(t).Header.Get("Content-Type"))
	assert.Equal(t, `{"Description":null}`, rec.last(t).Body)

	_, err = client.Health(t.Context(), nil)
	require.Error(t, err)
	assert.Empty(t, rec.last(t).Header.Get("Authorization"), "health is public")
}

func TestPathsAreChecked(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(404, `{"title":"Invalid table name","status":404,"detail":"No match found for table name: x"}`))
	for name, table := range map[string]string{
		"empty": "", "dot": ".", "dots": "..", "dots and parameter": "..;a=b", "slash": "a/b", "escape to root": "../processes",
		"backslash": `a\b`, "NUL": "a\x00", "newline": "a\nb", "not UTF-8": "a\xff", "10,000 characters": strings.Repeat("x", 10000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Get(t.Context(), table, erp.IntID(1), nil)
			require.ErrorIs(t, err, erp.ErrInvalid)
			assert.Less(t, len(err.Error()), 400)
			_, err = client.Query(t.Context(), table, nil)
			require.ErrorIs(t, err, erp.ErrInvalid)
			_, err = client.Create(t.Context(), table, nil)
			require.ErrorIs(t, err, erp.ErrInvalid)
			_, err = client.Process(t.Context(), table)
			require.ErrorIs(t, err, erp.ErrInvalid)
			require.ErrorIs(t, client.Delete(t.Context(), table, erp.IntID(1)), erp.ErrInvalid)
			_, err = client.DownloadAttachment(t.Context(), "C_Order", erp.IntID(1), table)
			require.ErrorIs(t, err, erp.ErrInvalid)
		})
	}
	assert.Empty(t, rec.seen(), "nothing of this may be sent")
	for table, want := range map[string]string{
		`x' OR '1'='1`: "/api/v1/models/x%27%20OR%20%271%27=%271/1",
		`"; DROP`:      "/api/v1/models/%22%3B%20DROP/1",
		"%2e%2e":       "/api/v1/models/%252e%252e/1",
		"Größe?#":      "/api/v1/models/Gr%C3%B6%C3%9Fe%3F%23/1",
	} {
		_, err := client.Get(t.Context(), table, erp.IntID(1), nil)
		require.ErrorIs(t, err, erp.ErrNotFound, table)
		assert.Equal(t, strings.ReplaceAll(want, "%27", "'"), strings.ReplaceAll(rec.last(t).URI, "%27", "'"))
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	const uuid = "5B0C6f2a-0000-4000-8000-00000000000f"
	rec, client := serve(t, always(200, `{"id":1}`))
	for _, id := range []erp.ID{erp.IntID(0), erp.IntID(1000022), erp.UUID(uuid)} {
		_, err := client.Get(t.Context(), "C_Order", id, nil)
		require.NoError(t, err)
		assert.Equal(t, "/api/v1/models/C_Order/"+id.String(), rec.last(t).URI)
	}
	for name, id := range map[string]erp.ID{
		"none": {}, "negative": erp.IntID(-1), "text": erp.UUID("CO"), "path": erp.UUID("../1"), "almost": erp.UUID(uuid[1:] + "g"),
	} {
		_, err := client.Get(t.Context(), "C_Order", id, nil)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	for _, text := range []string{"12", uuid} {
		id, err := erp.ParseID(text)
		require.NoError(t, err)
		assert.Equal(t, text, id.String())
	}
	for _, text := range []string{"", "x", "1.5", "99999999999999999999", "1 or 1=1"} {
		_, err := erp.ParseID(text)
		require.ErrorIs(t, err, erp.ErrInvalid, text)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		respond(w, 200, `{"id":`+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]+`}`)
	}, erp.WithTokenSource(erp.StaticToken("t")))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	errs := make(chan error)
	for i := range int64(32) {
		go func() {
			for n := range int64(20) {
				record, err := client.Get(ctx, "C_Order", erp.IntID(i*100+n), nil)
				if err == nil && record.ID() != erp.IntID(i*100+n) {
					err = fmt.Errorf("requested %d, got %s", i*100+n, record.ID())
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range 32 {
		require.NoError(t, <-errs)
	}
}
