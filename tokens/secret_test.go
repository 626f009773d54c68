package tokens_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/tokens"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const canary = "CANARYsecret"
	s := tokens.NewSecret(canary)
	type hidden struct{ s tokens.Secret }
	type shown struct{ S tokens.Secret }
	var out strings.Builder
	for _, v := range []any{s, &s, hidden{s}, &hidden{s}, shown{s}, &shown{s}, []tokens.Secret{s}, map[string]tokens.Secret{"a": s},
		tokens.Stored{Access: s, Refresh: s}, tokens.Login{Username: "u", Password: s}, tokens.Settings{Token: s, Password: s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%10.3v"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("m", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "v", v)
		j, err := json.Marshal(v)
		require.NoError(t, err)
		out.Write(j)
		y, err := yaml.Marshal(v)
		require.NoError(t, err)
		out.Write(y)
	}
	assert.NotContains(t, out.String(), canary)
	assert.NotContains(t, strings.ToLower(out.String()), fmt.Sprintf("%x", canary))
	assert.Contains(t, out.String(), "[redacted]")

	assert.Equal(t, canary, s.Reveal())
	assert.True(t, s.Equal(tokens.NewSecret(canary)))
	assert.False(t, s.Equal(tokens.Secret{}))
	assert.True(t, tokens.NewSecret("").IsZero())
	assert.Empty(t, fmt.Sprint(tokens.Secret{}))
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	// echo -n abc | sha256sum
	assert.Equal(t, "ba7816bf8f01cfea414140de5dae2223", tokens.Fingerprint(tokens.NewSecret("abc")))
	assert.Empty(t, tokens.Fingerprint(tokens.Secret{}))
}
