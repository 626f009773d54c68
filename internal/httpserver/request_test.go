package httpserver

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzBody: what is accepted means the same to a reader that compares names exactly.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{"sql":"a"}`, `{"sql":"a","SQL":"b"}`, `{"SQL":"a"}`, `{"sql":"a"}{"sql":"b"}`, `{"\u0073ql":"a","sql":"b"}`, `{"p":[{"sql":1}],"sql":"c"}`, `{"ſql":"x"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got struct {
			SQL string            `json:"sql"`
			P   []json.RawMessage `json:"p"`
		}
		if (BodyLimit{}).decode(body, &got) != nil {
			return
		}
		exact := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(body, &exact))
		var sql string
		if raw, ok := exact["sql"]; ok {
			require.NoError(t, json.Unmarshal(raw, &sql))
		}
		assert.Equal(t, sql, got.SQL)
		for name := range exact {
			assert.Contains(t, []string{"sql", "p"}, name)
		}
	})
}

func TestBody(t *testing.T) {
	t.Parallel()
	b := BodyLimit{Max: 100, Timeout: time.Second, Doc: "/doc"}
	for name, tt := range map[string]struct {
		body   string
		header [2]string
		status int
		text   string
	}{
		"good":       {`{"a":"x","n":12345678901234567890}`, [2]string{}, 0, ""},
		"charset":    {`{"a":"x"}`, [2]string{"Content-Type", "application/json; charset=utf-8"}, 0, ""},
		"too large":  {`{"a":"` + strings.Repeat("x", 100) + `"}`, [2]string{}, 413, "larger than 100 bytes"},
		"no JSON":    {`{"a"`, [2]string{}, 400, "cut off"},
		"unknown":    {`{"b":1}`, [2]string{}, 400, `no member "b"`},
		"wrong kind": {`{"a":1}`, [2]string{}, 400, "member a has"},
		"twice":      {`{"a":"x","a":"y"}`, [2]string{}, 400, "member a twice"},
		"any case":   {`{"a":"x","A":"y"}`, [2]string{}, 400, "member A twice"},
		"upper case": {`{"A":"x"}`, [2]string{}, 400, `no member "A"`},
		"inside":     {`{"l":[{"a":"x"},{"A":"y"}]}`, [2]string{}, 400, `no member "A"`},
		"escaped":    {`{"a":"x","\u0061":"y"}`, [2]string{}, 400, "member a twice"},
		"free":       {`{"a":"x","f":{"A":1,"b":[{"c":1}]}}`, [2]string{}, 0, ""},
		"free twice": {`{"a":"x","f":{"b":[{"c":1,"C":2}]}}`, [2]string{}, 400, "member C twice"},
		"more":       {`{} {}`, [2]string{}, 400, "something behind"},
		"not UTF-8":  {"{\"a\":\"\xff\"}", [2]string{}, 400, "not UTF-8"},
		"form":       {`{}`, [2]string{"Content-Type", "text/plain"}, 415, "must be JSON"},
		"compressed": {`{}`, [2]string{"Content-Encoding", "br"}, 415, "compressed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			r := WithRequestID(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(tt.body)))
			if tt.header[0] != "" {
				r.Header.Set(tt.header[0], tt.header[1])
			}
			var got struct {
				A string      `json:"a"`
				N json.Number `json:"n"`
				L []struct {
					A string `json:"a"`
				} `json:"l"`
				F json.RawMessage `json:"f"`
			}
			err := b.Decode(w, r, &got)
			if tt.status == 0 {
				require.NoError(t, err)
				assert.Equal(t, "x", got.A)
				return
			}
			var p *APIError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, tt.status, p.Status)
			assert.Contains(t, p.Message, tt.text)
		})
	}
}

func TestRespondError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("unread"))
	r.Header.Set("X-Request-Id", "chosen by the client")
	r = WithRequestID(w, r)
	RespondError(w, r, &APIError{Status: 429, Code: "rate_limited", Message: "<slow>", RetryAfter: 1500 * time.Millisecond}, slog.New(slog.NewTextHandler(&log, nil)))
	id := RequestID(r.Context())
	assert.Len(t, id, 26)
	assert.JSONEq(t, `{"error":{"code":"rate_limited","message":"<slow>"},"requestId":"`+id+`"}`, w.Body.String())
	assert.Contains(t, w.Body.String(), "<slow>", "text stays readable")
	for name, want := range map[string]string{
		"Retry-After": "2", "Connection": "close", "Cache-Control": "no-store", "X-Request-Id": id, "X-Content-Type-Options": "nosniff",
	} {
		assert.Equal(t, want, w.Header().Get(name), name)
	}
	assert.Empty(t, log.String())

	w = httptest.NewRecorder()
	Respond(w, r, http.StatusOK, func() {}, slog.New(slog.NewTextHandler(&log, nil)))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.Contains(t, log.String(), "could not be written as JSON")
}

func TestQuery(t *testing.T) {
	t.Parallel()
	for raw, text := range map[string]string{
		"a=1&b=2": "", "": "", "a=1&a=2": "given more than once", "c=1": `no parameter "c"`, "a=%zz": "cannot be read",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+raw, nil)
		_, err := Query(r, "a", "b")
		if text == "" {
			require.NoError(t, err, raw)
			continue
		}
		require.ErrorContains(t, err, text)
	}
}
