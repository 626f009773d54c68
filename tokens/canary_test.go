package tokens_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// TestCanary plants secrets at every place one can be given, has the server
// echo them in every response, walks through everything a manager does, and
// looks through what came out: errors, logs, status, printed values, a panic.
func TestCanary(t *testing.T) {
	t.Parallel()
	var (
		password = tokens.NewSecret("CANARY-password-\"quoted\"")
		access   = compact(head, strings.Replace(fullClaims, "1767225600", "4102444800", 1)) + "CANARYaccess"
		refresh  = tokens.NewSecret("CANARY-refresh")
		out      strings.Builder
	)
	var requests atomic.Int64 // repeated ones may overlap
	srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := requests.Add(1)
		echo, _ := json.Marshal(map[string]any{
			"title": string(body) + r.Header.Get("Authorization"), "detail": "refused " + r.Header.Get("Authorization") + string(body)})
		switch n % 6 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1, 2:
			w.WriteHeader([]int{0, 401, 500}[n%6])
			_, _ = w.Write(echo)
		case 3:
			w.WriteHeader(400)
			_, _ = io.WriteString(w, string(body)+password.Reveal())
		case 4:
			_, _ = io.WriteString(w, `{"token":"`+access+`"`) // broken
		default:
			_, _ = io.WriteString(w, `{"token":"`+access+`","refresh_token":"CANARY-refresh","userId":101}`)
		}
	})
	note := func(v ...any) {
		for _, x := range v {
			fmt.Fprintf(&out, "%v\n%+v\n%#v\n%q\n%s\n%d\n%x\n", x, x, x, x, x, x, x)
			if e, ok := x.(error); ok {
				_ = e
				continue
			}
			j, err := json.Marshal(x)
			fmt.Fprintln(&out, string(j), err)
		}
	}
	login := tokens.Login{Username: "u", Password: password, Client: "11", Role: "102", Organization: "11"}
	for _, stored := range []tokens.Stored{
		{}, {Access: tokens.NewSecret(access)}, {Access: tokens.NewSecret(access), Refresh: refresh},
		{Access: tokens.NewSecret("CANARY garbage"), Refresh: refresh, Refreshing: tokens.Fingerprint(refresh)},
	} {
		for _, creds := range []bool{true, false} {
			for range 6 {
				path := filepath.Join(t.TempDir(), "config.yaml")
				store, err := filestore.Open(path)
				require.NoError(t, err)
				require.NoError(t, store.Save(t.Context(), stored))
				opts := []tokens.Option{tokens.WithStore(store), tokens.WithLogger(testLog), tokens.WithHoldOff(0)}
				if creds {
					opts = append(opts, tokens.WithCredentials(login))
				}
				m, err := tokens.NewManager(srv.URL, opts...)
				require.NoError(t, err)
				got, err := m.Token(t.Context())
				note(m, *store, stored, login, err, m.Ready(t.Context()))
				note(m.Invalidate(t.Context(), got), m.Ready(t.Context()), m.Refresh(t.Context()), m.Login(t.Context(), login))
				status, err := m.Status(t.Context())
				note(status, err, m.Logout(t.Context()))
				ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
				_, err = m.Token(ctx)
				cancel()
				note(err, m.Close(t.Context()))
				note(recovered(func() { panic(fmt.Sprintf("%+v %+v", m, stored)) }))
			}
		}
	}
	v, err := tokens.NewSecretVerifier([]byte("CANARY-secret-of-the-erp"))
	require.NoError(t, err)
	_, verr := v.Verify(t.Context(), access)
	byAsking, err := tokens.NewIntrospectionVerifier(srv.URL, tokens.VerifierLogger(testLog))
	require.NoError(t, err)
	for range 6 {
		_, err := byAsking.Verify(t.Context(), access)
		note(err)
	}
	note(v, *v, verr, byAsking)
	for _, form := range []string{"CANARY", fmt.Sprintf("%x", "CANARY"), "[67 65 78 65 82 89", "0x43, 0x41, 0x4e, 0x41"} {
		i := strings.Index(out.String(), form)
		if !assert.Less(t, i, 0, "%q came out", form) {
			t.Log(out.String()[max(0, i-300):min(len(out.String()), i+100)])
		}
	}
	assert.Contains(t, out.String(), "[redacted]")
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
