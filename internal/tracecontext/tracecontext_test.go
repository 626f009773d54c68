package tracecontext

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFromAndInject(t *testing.T) {
	t.Parallel()
	const id = "0af7651916cd43dd8448eb211c80319c"
	for _, tt := range []struct {
		name, parent string
		taken        bool
		flags        string
	}{
		{"sampled", "00-" + id + "-b7ad6b7169203331-01", true, "01"},
		{"not sampled", "00-" + id + "-b7ad6b7169203331-00", true, "00"},
		{"flags nobody knows", "00-" + id + "-b7ad6b7169203331-ff", true, "01"},
		{"later version", "cc-" + id + "-b7ad6b7169203331-01-more", true, "01"},
		{"later version, badly continued", "cc-" + id + "-b7ad6b7169203331-01.more", false, "00"},
		{"too long", "00-" + id + "-b7ad6b7169203331-01-more", false, "00"},
		{"version there cannot be", "ff-" + id + "-b7ad6b7169203331-01", false, "00"},
		{"capitals", "00-" + strings.ToUpper(id) + "-b7ad6b7169203331-01", false, "00"},
		{"no trace", "00-00000000000000000000000000000000-b7ad6b7169203331-01", false, "00"},
		{"no parent", "00-" + id + "-0000000000000000-01", false, "00"},
		{"other text", "00-" + id + "-b7ad6b716920333\n-01", false, "00"},
		{"none", "", false, "00"},
	} {
		in := http.Header{}
		if tt.parent != "" {
			in.Set("traceparent", tt.parent)
		}
		in.Add("tracestate", "a=1")
		in.Add("tracestate", "b=2")
		ctx, out := From(t.Context(), in), http.Header{}
		Inject(ctx, out)
		parent := out.Get("traceparent")
		assert.Regexp(t, `^00-[0-9a-f]{32}-[0-9a-f]{16}-`+tt.flags+`$`, parent, tt.name)
		assert.Equal(t, ID(ctx), parent[3:35], tt.name)
		assert.Equal(t, tt.taken, ID(ctx) == id, tt.name)
		assert.NotContains(t, parent, "b7ad6b7169203331", tt.name)
		if tt.taken {
			assert.Equal(t, "a=1,b=2", out.Get("tracestate"), tt.name)
		} else {
			assert.Empty(t, out.Get("tracestate"), tt.name)
		}
	}
}

func TestInjectLeavesWhatIsThere(t *testing.T) {
	t.Parallel()
	h := http.Header{"Traceparent": {"own"}}
	Inject(From(t.Context(), http.Header{}), h)
	assert.Equal(t, http.Header{"Traceparent": {"own"}}, h)
	h = http.Header{}
	Inject(t.Context(), h)
	assert.Empty(t, h)
	assert.Empty(t, ID(t.Context()))
}
