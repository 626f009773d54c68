package rest_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/rest"
)

func TestSegmentCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, value, want string }{
		{"table", "C_BPartner", ""},
		{"uuid", "5b0c9d4e-6c1f-4a52-9f3e-1d2a7c8b9e01", ""},
		{"file name", "Plan (2).tar.gz", ""},
		{"hidden file", ".profile", ""},
		{"other scripts", "計画.pdf", ""},
		{"empty", "", "empty"},
		{"this", ".", "another path"},
		{"parent", "..", "another path"},
		{"slash", "a/../b", "slash"},
		{"backslash", `..\b`, "slash"},
		{"NUL", "a\x00b", "control"},
		{"line break", "a\r\nHost: x", "control"},
		{"not UTF-8", "a\xff", "UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := rest.Segment(tc.value).Check()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			var bad *rest.SegmentError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, tc.value, bad.Value)
			assert.ErrorContains(t, err, tc.want)
		})
	}
	assert.Less(t, len(rest.Segment(strings.Repeat("/", 1<<20)).Check().Error()), 400, "the message is bounded")
}

// A request that is built has exactly the segments of its route.
func FuzzSegment(f *testing.F) {
	for _, s := range []string{"C_Order", "..", "%2e%2e", "a/b", "..;", "\x00", "http://x", "?", "#", "//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		req, err := rest.NewDeleteRecordRequest("https://erp.test/api/v1/", rest.Segment(s), "caches", nil)
		if err != nil {
			return
		}
		parts := strings.Split(req.URL.EscapedPath(), "/")
		require.Len(t, parts, 6, req.URL.String())
		got, err := url.PathUnescape(parts[4])
		require.NoError(t, err)
		assert.Equal(t, s, got)
		assert.Equal(t, "caches", parts[5])
		assert.Equal(t, "erp.test", req.URL.Host)
		assert.Empty(t, req.URL.RawQuery)
		assert.Empty(t, req.URL.Fragment)
	})
}
