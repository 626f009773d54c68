package notify

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func secretOf(t *testing.T, text string) Secret {
	t.Helper()
	s, err := ParseSecret(text)
	require.NoError(t, err)
	return s
}

// The signature is that of the specification: a message, secret and signature
// that its libraries use in their tests.
func TestSign(t *testing.T) {
	t.Parallel()
	const secret, id = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
	const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for name, tt := range map[string]struct{ secret, want string }{
		"as specified":   {secret, signature},
		"without prefix": {secret[6:], signature},
		"no secret":      {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			secretOf(t, tt.secret).sign(h, id, time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
			assert.Equal(t, id, h.Get("webhook-id"))
			assert.Equal(t, "1614265330", h.Get("webhook-timestamp"))
			assert.Equal(t, tt.want, h.Get("webhook-signature"))
		})
	}
}

func TestSecretIsNotShown(t *testing.T) {
	t.Parallel()
	text := base64.StdEncoding.EncodeToString([]byte("canary canary canary canary"))
	s := secretOf(t, "whsec_"+text)
	encoded, err := json.Marshal(map[string]any{"secret": s})
	require.NoError(t, err)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s %q %x %d", s, s, s, s, s, s, s), fmt.Sprintf("%+v", Options{Secret: s}), string(encoded), s.LogValue().String()} {
		assert.NotContains(t, shown, "canary")
		assert.NotContains(t, shown, text)
		assert.Contains(t, shown, "[redacted]")
	}
	for _, bad := range []string{"whsec_short", "whsec_c2hvcnQ=", "hunter2 hunter2 hunter2", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))} {
		_, err := ParseSecret(bad)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), bad)
	}
	assert.True(t, secretOf(t, " ").IsZero())
}
