package notify_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/notify"
)

func secretOf(t *testing.T, text string) notify.Secret {
	t.Helper()
	s, err := notify.ParseSecret(text)
	require.NoError(t, err)
	return s
}

// The signature is that of the specification: a message, secret and signature
// that its libraries use in their tests.
func TestVerify(t *testing.T) {
	t.Parallel()
	const secret, id = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
	const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	body := []byte(`{"test": 2432232314}`)
	at := time.Unix(1614265330, 0)
	header := func(id, timestamp, signature string) http.Header {
		h := http.Header{}
		for name, value := range map[string]string{"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature} {
			if value != "" {
				h.Set(name, value)
			}
		}
		return h
	}
	other := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for name, tt := range map[string]struct {
		h       http.Header
		body    []byte
		now     time.Time
		secrets []string
		ok      bool
	}{
		"as specified":        {header(id, "1614265330", signature), body, at, []string{secret}, true},
		"without prefix":      {header(id, "1614265330", signature), body, at, []string{secret[6:]}, true},
		"several signatures":  {header(id, "1614265330", "v1,AAAA v2,x "+signature), body, at, []string{secret}, true},
		"a new secret beside": {header(id, "1614265330", signature), body, at, []string{other, secret}, true},
		"four minutes later":  {header(id, "1614265330", signature), body, at.Add(4 * time.Minute), []string{secret}, true},
		"six minutes later":   {header(id, "1614265330", signature), body, at.Add(6 * time.Minute), []string{secret}, false},
		"from the future":     {header(id, "1614265330", signature), body, at.Add(-6 * time.Minute), []string{secret}, false},
		"other secret":        {header(id, "1614265330", signature), body, at, []string{other}, false},
		"no secret":           {header(id, "1614265330", signature), body, at, nil, false},
		"empty secret":        {header(id, "1614265330", signature), body, at, []string{""}, false},
		"other body":          {header(id, "1614265330", signature), []byte(`{}`), at, []string{secret}, false},
		"other id":            {header("msg_2", "1614265330", signature), body, at, []string{secret}, false},
		"other time":          {header(id, "1614265331", signature), body, at, []string{secret}, false},
		"no id":               {header("", "1614265330", signature), body, at, []string{secret}, false},
		"no signature":        {header(id, "1614265330", ""), body, at, []string{secret}, false},
		"no time":             {header(id, "", signature), body, at, []string{secret}, false},
		"not base64":          {header(id, "1614265330", "v1,???"), body, at, []string{secret}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var secrets []notify.Secret
			for _, s := range tt.secrets {
				secrets = append(secrets, secretOf(t, s))
			}
			got, err := notify.Verify(tt.h, tt.body, tt.now, secrets...)
			if tt.ok {
				require.NoError(t, err)
				assert.Equal(t, id, got)
			} else {
				require.ErrorIs(t, err, notify.ErrSignature)
			}
		})
	}
}

func TestSecretIsNotShown(t *testing.T) {
	t.Parallel()
	text := base64.StdEncoding.EncodeToString([]byte("canary canary canary canary"))
	s := secretOf(t, "whsec_"+text)
	encoded, err := json.Marshal(map[string]any{"secret": s})
	require.NoError(t, err)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s %q %x %d", s, s, s, s, s, s, s), fmt.Sprintf("%+v", notify.Options{Secret: s}), string(encoded), s.LogValue().String()} {
		assert.NotContains(t, shown, "canary")
		assert.NotContains(t, shown, text)
		assert.Contains(t, shown, "[redacted]")
	}
	for _, bad := range []string{"whsec_short", "whsec_c2hvcnQ=", "hunter2 hunter2 hunter2", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))} {
		_, err := notify.ParseSecret(bad)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), bad)
	}
	assert.True(t, secretOf(t, " ").IsZero())
}
