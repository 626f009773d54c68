package failure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/failure"
)

func TestError(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause with topsecret")
	err := fmt.Errorf("outside: %w", &failure.Error{Kind: failure.Full, Doing: "storing x.zip", Why: "the disk is full", Next: "make room", Err: cause})
	assert.EqualError(t, err, "outside: storing x.zip: the disk is full; make room")
	require.ErrorIs(t, err, failure.Full)
	require.ErrorIs(t, err, cause)
	require.NotErrorIs(t, err, failure.Exists)
	assert.Equal(t, failure.Full, failure.KindOf(err))
	assert.Empty(t, failure.KindOf(cause))
	assert.NotContains(t, fmt.Sprintf("%+v %s %q", err, err, err), "topsecret")
	assert.EqualError(t, &failure.Error{Kind: failure.Full, Doing: "a", Why: "b"}, "a: b")
	assert.EqualError(t, &failure.Canceled{Doing: "sending", Left: "a draft exists"}, "sending: canceled; a draft exists")
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"as it is":            {"no such user", "no such user"},
		"secrets":             {"token abc123 and abc123", "token [redacted] and [redacted]"},
		"lines":               {"a\r\nb\tc\x1b[31m", "a b c [31m"},
		"turned text":         {"a\u202eb", "a b"},
		"not UTF-8":           {"a\xffb", "a\uFFFDb"},
		"exactly the longest": {strings.Repeat("ä", 200), strings.Repeat("ä", 200)},
		"too long":            {strings.Repeat("ä", 201), strings.Repeat("ä", 199) + "…"},
	}
	for name, tt := range tests {
		assert.Equal(t, tt.want, failure.Words(tt.text, "abc123", ""), name)
	}
}
