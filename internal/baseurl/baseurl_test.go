package baseurl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/baseurl"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, api, want string }{
		{"host and port", "http://localhost:8080", "/api/v1", "http://localhost:8080"},
		{"slashes at the end", "http://localhost:8080///", "/api/v1", "http://localhost:8080"},
		{"capitals", "HTTPS://ERP.example.com", "/api/v1", "https://erp.example.com"},
		{"the API's path", "https://erp.example.com/api/v1/", "/api/v1", "https://erp.example.com"},
		{"the beginning of the API's path", "https://erp.example.com/api", "/api/ai", "https://erp.example.com"},
		{"a prefix", "https://example.com/ERP/live", "/api/v1", "https://example.com/ERP/live"},
		{"a prefix and the API's path", "https://example.com/erp/api/ai", "/api/ai", "https://example.com/erp"},
		{"the path of another API", "https://example.com/api/v1", "/api/ai", "https://example.com/api/v1"},
		{"IPv6", "http://[::1]:8080", "/api/v1", "http://[::1]:8080"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := baseurl.Parse(tt.in, tt.api)
			require.NoError(t, err)
			assert.Equal(t, tt.want, u.String())
		})
	}
	for name, in := range map[string]string{
		"empty": "", "no scheme": "localhost:8080", "host only": "erp.example.com", "other scheme": "ftp://canary.example.com",
		"no host": "http://", "port without host": "http://:8080", "user": "http://canary@erp.example.com", "password": "http://me:canary@erp.example.com",
		"query": "http://erp.example.com?a=canary", "empty query": "http://erp.example.com?", "fragment": "http://erp.example.com#canary",
		"empty fragment": "http://erp.example.com#", "blank": "http://canary example.com", "line break": "http://canary.example.com\n",
		"dots": "http://erp.example.com/canary/../b", "dots with parameters": "http://erp.example.com/a/..;x/canary", "encoded dots": "http://erp.example.com/%2e%2e/canary", "backslash": `http://erp.example.com/canary\b`,
		"empty segment": "http://erp.example.com/a//canary", "port 0": "http://canary:0", "port too large": "http://canary:99999",
		"port in words": "http://canary:port", "bad escape": "http://erp.example.com/canary%zz", "opaque": "http:canary",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := baseurl.Parse(in, "/api/v1")
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "canary", "an address may hold a password")
		})
	}
}

func TestBadSegment(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"C_Order", "a b", "ä", "..a", "50%", strings.Repeat("x", baseurl.MaxSegment)} {
		assert.Empty(t, baseurl.BadSegment(good), "%.20q", good)
	}
	for _, bad := range []string{"", ".", "..", "a/b", `a\b`, "a\nb", "a\x7fb", "a\u0085b", "\xff", strings.Repeat("x", baseurl.MaxSegment+1)} {
		assert.NotEmpty(t, baseurl.BadSegment(bad), "%.20q", bad)
	}
}

func TestIsOrigin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want bool
	}{
		"https":      {"https://app.example.com", true},
		"port":       {"http://localhost:8080", true},
		"slash":      {"https://app.example.com/", false},
		"path":       {"https://app.example.com/app", false},
		"query":      {"https://app.example.com?x=1", false},
		"user":       {"https://me@app.example.com", false},
		"no host":    {"https://", false},
		"only port":  {"https://:80", false},
		"scheme":     {"ftp://app.example.com", false},
		"no scheme":  {"app.example.com", false},
		"capitals":   {"HTTPS://app.example.com", false},
		"null":       {"null", false},
		"everything": {"*", false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, baseurl.IsOrigin(c.in)) })
	}
}
