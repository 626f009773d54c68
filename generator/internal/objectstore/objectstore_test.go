package objectstore_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator/internal/objectstore"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testartifact"
	"github.com/erphub/erphub/internal/testkit/tests3"
)

func options(s *tests3.Server) objectstore.Options {
	return objectstore.Options{
		Endpoint: s.Endpoint, Region: s.Region, Bucket: "plugins", Prefix: "generated/",
		Credentials: objectstore.Static(s.AccessKey, s.SecretKey),
	}
}

func get(t *testing.T, link string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, body
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	server := tests3.Start(t)
	server.CreateBucket(t, "plugins")
	a := testartifact.New(t, "com.example.demo")
	want, err := a.Zip()
	require.NoError(t, err)
	hash := fmt.Sprintf("%x", sha256.Sum256(want))[:16]

	for name, prefix := range map[string]string{
		"the default prefix":                  "generated/",
		"no prefix":                           "",
		"blanks, plus and umlauts":            "generated plugins/a+b/größe/",
		"characters that mean something else": "generated/100%/a&b=c#d?/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := options(server)
			opts.Prefix = prefix
			store, err := objectstore.New(opts)
			require.NoError(t, err)
			var steps []string
			before := time.Now()
			r, err := store.Deliver(t.Context(), a, func(done, total int, _ string) { steps = append(steps, fmt.Sprint(done, "/", total)) })
			require.NoError(t, err)
			assert.Equal(t, []string{"0/2", "1/2", "2/2"}, steps)
			assert.Equal(t, "plugins", r.Bucket)
			assert.Equal(t, prefix+"com.example.demo/"+hash+"/com.example.demo.zip", r.Key)
			assert.WithinDuration(t, before.Add(time.Hour), r.ExpiresAt, 5*time.Second)

			resp, body := get(t, r.URL)
			require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
			assert.Equal(t, want, body)
			assert.Equal(t, "application/zip", resp.Header.Get("Content-Type"))
			assert.Equal(t, "attachment; filename=com.example.demo.zip", resp.Header.Get("Content-Disposition"))
			assert.NotContains(t, r.URL, server.SecretKey)

			again, err := store.Deliver(t.Context(), a, nil)
			require.NoError(t, err)
			assert.Equal(t, r.Key, again.Key)

			text, err := json.Marshal(r)
			require.NoError(t, err)
			var fields map[string]string
			require.NoError(t, json.Unmarshal(text, &fields))
			assert.Len(t, fields, 4)
			assert.Equal(t, r.URL, fields["url"])
		})
	}
}

func TestLinkExpires(t *testing.T) {
	t.Parallel()
	server := tests3.Start(t)
	server.CreateBucket(t, "plugins")
	opts := options(server)
	opts.TTL = 2 * time.Second
	store, err := objectstore.New(opts)
	require.NoError(t, err)
	r, err := store.Deliver(t.Context(), testartifact.New(t, "com.example.demo"), nil)
	require.NoError(t, err)
	resp, body := get(t, r.URL)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	require.Eventually(t, func() bool { return time.Now().After(r.ExpiresAt) }, 5*time.Second, 20*time.Millisecond)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		resp, _ := get(t, r.URL)
		assert.Equal(c, http.StatusForbidden, resp.StatusCode)
	}, 3*time.Second, 50*time.Millisecond)
}

func TestRefusedByTheStore(t *testing.T) {
	t.Parallel()
	server := tests3.Start(t)
	server.CreateBucket(t, "plugins")
	const wrong = "another-secret-that-must-not-show"
	tests := []struct {
		name   string
		change func(*objectstore.Options)
		kind   failure.Kind
		text   string
	}{
		{"no such bucket", func(o *objectstore.Options) { o.Bucket = "missing" }, failure.NotFound, "there is no such bucket; create it"},
		{"wrong secret key", func(o *objectstore.Options) { o.Credentials = objectstore.Static(server.AccessKey, wrong) }, failure.NotAuthorized, "the secret key is not the one of the access key"},
		{"unknown access key", func(o *objectstore.Options) { o.Credentials = objectstore.Static("NOBODY", wrong) }, failure.NotAuthorized, "the access key is not known"},
		{"no credentials", func(o *objectstore.Options) { o.Credentials = objectstore.Static("", wrong) }, failure.NotConfigured, "there is no access key or no secret key"},
		{"somebody else chose the endpoint", func(o *objectstore.Options) { o.Untrusted = true }, failure.Unreachable, "not one that may be connected to"},
		{"and called it by a name", func(o *objectstore.Options) {
			o.Untrusted, o.Endpoint = true, strings.Replace(o.Endpoint, "127.0.0.1", "localhost", 1)
		}, failure.Unreachable, "not one that may be connected to"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := options(server)
			tt.change(&opts)
			store, err := objectstore.New(opts)
			require.NoError(t, err)
			r, err := store.Deliver(t.Context(), testartifact.New(t, "com.example.demo"), nil)
			require.Nil(t, r)
			require.ErrorIs(t, err, tt.kind)
			require.ErrorContains(t, err, tt.text)
			assert.Contains(t, err.Error(), "uploading com.example.demo.zip to the bucket")
			assert.NotContains(t, fmt.Sprintf("%+v %s", err, err), "must-not-show")
			assert.Empty(t, server.Objects(t, "plugins"))
		})
	}
}

// respond is a store that gives one response, and counts.
func respond(t *testing.T, status int, header map[string]string, body string) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var calls atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s, &calls
}

func code(name string) string {
	return "<?xml version=\"1.0\"?><Error><Code>" + name + "</Code><Message>no SECRET-must-not-show\r\nhere</Message></Error>"
}

func TestOtherResponses(t *testing.T) {
	t.Parallel()
	elsewhere, reached := respond(t, http.StatusOK, nil, "")
	tests := []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   failure.Kind
		text   string
	}{
		{"full", 507, nil, code("XMinioStorageFull"), failure.Full, "is full"},
		{"quota", 403, nil, code("QuotaExceeded"), failure.Full, "is full"},
		{"too large", 400, nil, code("EntityTooLarge"), failure.TooLarge, "this size"},
		{"may not write", 403, nil, code("AccessDenied"), failure.NotAuthorized, "s3:PutObject"},
		{"clock", 403, nil, code("RequestTimeTooSkewed"), failure.NotAuthorized, "set the clock"},
		{"session over", 400, nil, code("ExpiredToken"), failure.NotAuthorized, "get new ones"},
		{"another region", 301, nil, code("PermanentRedirect"), failure.NotConfigured, "another region"},
		{"redirect to another host", 307, map[string]string{"Location": elsewhere.URL}, "", failure.NotConfigured, "not followed"},
		{"403 without a word", 403, nil, "", failure.NotAuthorized, "refuses the credentials"},
		{"a web page", 404, map[string]string{"Content-Type": "text/html"}, "<html>not here</html>", failure.NotFound, "no object storage at this address"},
		{"unknown code", 418, nil, code("Teapot"), failure.Unexpected, "418 Teapot no [redacted] here"},
		{"overloaded", 503, nil, code("SlowDown"), failure.Unreachable, "try again later"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, calls := respond(t, tt.status, tt.header, tt.body)
			store, err := objectstore.New(objectstore.Options{Endpoint: s.URL, Bucket: "plugins", Credentials: objectstore.Static("KEY", "SECRET-must-not-show")})
			require.NoError(t, err)
			_, err = store.Deliver(t.Context(), testartifact.New(t, "com.example.demo"), nil)
			require.ErrorIs(t, err, tt.kind)
			require.ErrorContains(t, err, tt.text)
			assert.NotContains(t, fmt.Sprintf("%+v", err), "must-not-show")
			assert.LessOrEqual(t, calls.Load(), int64(3))
		})
	}
	t.Cleanup(func() { assert.Zero(t, reached.Load(), "the redirect was followed") })
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	a := testartifact.New(t, "com.example.demo")
	deliver := func(ctx context.Context, endpoint string, timeout time.Duration) error {
		store, err := objectstore.New(objectstore.Options{Endpoint: endpoint, Bucket: "plugins", Credentials: objectstore.Static("KEY", "SECRET"), Timeout: timeout})
		require.NoError(t, err)
		_, err = store.Deliver(ctx, a, nil)
		return err
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts by its backlog and says nothing
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(untrusted.Close)
	plain, _ := respond(t, 200, nil, "")

	t.Run("dead port", func(t *testing.T) {
		t.Parallel()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, ln.Close())
		err = deliver(t.Context(), "http://"+ln.Addr().String(), 5*time.Second)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "nothing listens there")
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		start := time.Now()
		err := deliver(t.Context(), "http://"+silent.Addr().String(), 300*time.Millisecond)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "did not respond in time")
		assert.Less(t, time.Since(start), 5*time.Second)
	})
	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		err := deliver(ctx, "http://"+silent.Addr().String(), time.Minute)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "uploading com.example.demo.zip to the bucket plugins: canceled")
	})
	t.Run("untrusted certificate", func(t *testing.T) {
		t.Parallel()
		err := deliver(t.Context(), untrusted.URL, 5*time.Second)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "signed by nobody this machine trusts")
	})
	t.Run("no TLS", func(t *testing.T) {
		t.Parallel()
		err := deliver(t.Context(), strings.Replace(plain.URL, "http:", "https:", 1), 5*time.Second)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "does not speak TLS")
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*objectstore.Options)
		want   string // "" for none
	}{
		{"as they are", func(*objectstore.Options) {}, ""},
		{"no bucket", func(o *objectstore.Options) { o.Bucket = "" }, "set hub.generator.objectstore.bucket"},
		{"bucket with a path", func(o *objectstore.Options) { o.Bucket = "../other" }, "cannot be the name of a bucket"},
		{"bucket that would be another host", func(o *objectstore.Options) { o.Bucket, o.Endpoint = "evil.example/#", "" }, "cannot be the name of a bucket"},
		{"region that would be another host", func(o *objectstore.Options) { o.Region = "x.evil.example/" }, "cannot be a region"},
		{"seven days", func(o *objectstore.Options) { o.TTL = 7 * 24 * time.Hour }, ""},
		{"more than seven days", func(o *objectstore.Options) { o.TTL = 7*24*time.Hour + time.Second }, "at most seven days"},
		{"parts of a second", func(o *objectstore.Options) { o.TTL = 1500 * time.Millisecond }, "whole seconds"},
		{"negative life", func(o *objectstore.Options) { o.TTL = -time.Second }, "cannot live"},
		{"no credentials", func(o *objectstore.Options) { o.Credentials = nil }, "no credentials"},
		{"secret in the endpoint", func(o *objectstore.Options) { o.Endpoint = "https://key:topsecret@s3.example.com" }, "holds a user"},
		{"endpoint without scheme", func(o *objectstore.Options) { o.Endpoint = "s3.example.com" }, "is not the address of a store"},
		{"endpoint that is not an address", func(o *objectstore.Options) { o.Endpoint = "https://a b:topsecret@c" }, "is not an address"},
		{"file endpoint", func(o *objectstore.Options) { o.Endpoint = "file:///etc/passwd" }, "is not the address of a store"},
		{"prefix that climbs", func(o *objectstore.Options) { o.Prefix = "a/../b/" }, ". or .."},
		{"prefix from the root", func(o *objectstore.Options) { o.Prefix = "/a/" }, "empty part"},
		{"prefix with a line break", func(o *objectstore.Options) { o.Prefix = "a\nb/" }, "character"},
		{"prefix without end", func(o *objectstore.Options) { o.Prefix = strings.Repeat("a", 501) }, "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := objectstore.Options{Endpoint: "https://s3.example.com", Bucket: "plugins", Prefix: "generated/", Credentials: objectstore.Static("k", "s")}
			tt.change(&o)
			_, err := objectstore.New(o)
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

func TestCredentialsStayHidden(t *testing.T) {
	t.Parallel()
	c := objectstore.Credentials{AccessKey: "AK", SecretKey: "topsecret", SessionToken: "session"}
	text, err := json.Marshal(map[string]any{"c": c})
	require.NoError(t, err)
	all := fmt.Sprintf("%v %+v %#v %s %q %d %s", c, c, c, c, &c, c, text)
	for _, secret := range []string{"AK", "topsecret", "session"} {
		assert.NotContains(t, all, secret)
	}
}
