package erptest

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// FuzzOperations sends anything to the routes that operate the server. No
// handler may panic, and no response may tell what the database said.
func FuzzOperations(f *testing.F) {
	for _, seed := range [][4]string{
		{"GET", "files?fileName=/tmp/../etc/passwd&length=1", "", ""},
		{"DELETE", "caches?table_name=C_BPartner&record_id=1", "", ""},
		{"PUT", "nodes/local/logs/level/FINE", "", ""},
		{"GET", "nodes/local/logs/%2Fopt", "", ""},
		{"POST", "servers/Scheduler101/run", "", ""},
		{"POST", "servers/schedulers/102", "", ""},
		{"GET", "workflow/101", "", ""},
		{"PUT", "workflow/approve/100", `{"message":null}`, ""},
		{"PUT", "workflow/setuserchoice/104", `{"value":{"id":1}}`, ""},
		{"PUT", "workflow/forward/100", `{"userTo":["102"]}`, ""},
		{"POST", "uploads", `{"fileName":"a","contentType":"b","fileSize":4,"chunkSize":2,"sha256":"c","uploadLocation":"IMAGE","expiresInSeconds":99}`, ""},
		{"PUT", "uploads/x/chunks/1", "data", "2"},
		{"POST", "uploads/x/copy", `{"copyLocation":"ATTACHMENT","tableName":"C_Order","recordId":117}`, ""},
		{"GET", "uploads/x/file?X-ID-SIGNATURE=a&X-ID-DATE=20260309T080000Z&X-ID-EXPIRES=9223372036854775807&X-ID-CREDENTIAL=%00", "", ""},
		{"POST", "webhooks/x", "{}", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	var mu sync.Mutex // guards panics
	var panics []string
	logger := slog.New(panicHandler{found: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		panics = append(panics, text)
	}})
	srv, err := Open(f.Context(), Options{Logger: logger, RequestTimeout: 20 * time.Second})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := srv.Close(); err != nil {
			f.Error(err)
		}
	})
	token, err := srv.APIToken(f.Context(), "SuperUser", 11, 102, 11, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, target, body, total string) {
		u, err := url.Parse("/api/v1/" + target)
		if err != nil || strings.ContainsAny(method, " \r\n") {
			return
		}
		r := (&http.Request{
			Method: method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: "127.0.0.1:1",
			Header: http.Header{"Authorization": {"Bearer " + token}}, Body: readCloser{bytes.NewReader([]byte(body))},
		}).WithContext(t.Context())
		if total != "" {
			r.Header.Set("X-Total-Chunks", total)
		}
		w := newMemoryWriter()
		srv.ServeHTTP(w, r)
		mu.Lock()
		defer mu.Unlock()
		if len(panics) > 0 {
			t.Fatalf("%s %s: %s", method, target, panics[0])
		}
		response := w.body.String()
		if strings.HasPrefix(target, "files") || strings.Contains(target, "/logs") {
			return // files hold what they hold
		}
		for _, text := range []string{"SQL logic error", "no such column", "constraint failed", "syntax error"} {
			if strings.Contains(response, text) {
				t.Fatalf("%s %s: %s", method, target, response)
			}
		}
		if w.status >= 500 && strings.Contains(response, "its log says why") {
			t.Fatalf("%s %s %s: an error nobody thought of", method, target, body)
		}
	})
}
