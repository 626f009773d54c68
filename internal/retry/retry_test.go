package retry_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/retry"
)

func TestAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"", 0, false},
		{"0", 0, true},
		{"7", 7 * time.Second, true},
		{"-7", 0, false},
		{"999999999999", (1 << 31) * time.Second, true},
		{"99999999999999999999", 0, false},
		{"1.5", 0, false},
		{"soon", 0, false},
		{"Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		{"Sun, 01 Mar 2026 11:00:00 GMT", 0, true},
	} {
		got, ok := retry.After(&http.Response{Header: http.Header{"Retry-After": {tt.value}}}, now)
		assert.Equal(t, tt.want, got, tt.value)
		assert.Equal(t, tt.ok, ok, tt.value)
	}
}
