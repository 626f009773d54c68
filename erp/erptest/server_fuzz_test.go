package erptest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// FuzzRequests sends anything to a server; nothing may make a handler panic.
func FuzzRequests(f *testing.F) {
	for _, seed := range [][3]string{
		{"GET", "models/C_BPartner?$filter=Name eq 'x'&$expand=AD_User($select=Name;$top=1)&$top=2", ""},
		{"GET", "models/C_BPartner/118/Name", ""},
		{"POST", "models/C_BP_Group", `{"Value":"v","Name":"n"}`},
		{"PUT", "models/C_BPartner/118", `{"Description":null,"C_BP_Group_ID":{"id":103}}`},
		{"DELETE", "models/C_BPartner/0", ""},
		{"POST", "batch?transaction=false", `[{"method":"PUT","path":"v1/models/C_BPartner/118","body":{"Name":"x"}}]`},
		{"POST", "auth/tokens", `{"userName":"x","password":"y","parameters":{"clientId":"z"}}`},
		{"PUT", "auth/tokens", `{"clientId":11}`},
		{"POST", "auth/refresh", `{"refresh_token":"a.b.c","clientId":1,"userId":2}`},
		{"POST", "auth/logout", `{"token":"a.b.c"}`},
		{"GET", "auth/organizations?client=11&role=102", ""},
		{"GET", "models/%2e%2e/%00", ""},
		{"POST", "processes/ad_column-sync", `{"record-id":1,"table-id":101}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
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
	token, err := srv.APIToken(f.Context(), "GardenAdmin", 11, 102, 11, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, target, body string) {
		u, err := url.Parse("/api/v1/" + target)
		if err != nil || strings.ContainsAny(method, " \r\n") {
			return
		}
		r := (&http.Request{
			Method: method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: "127.0.0.1:1",
			Header: http.Header{"Authorization": {"Bearer " + token}}, Body: http.NoBody,
		}).WithContext(t.Context())
		if body != "" {
			r.Body = readCloser{bytes.NewReader([]byte(body))}
		}
		w := newMemoryWriter()
		srv.ServeHTTP(w, r)
		mu.Lock()
		defer mu.Unlock()
		if len(panics) > 0 {
			t.Fatalf("%s %s: %s", method, target, panics[0])
		}
		if w.status == 0 {
			t.Fatalf("%s %s: no response", method, target)
		}
	})
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// panicHandler tells of the panics that the server logs.
type panicHandler struct{ found func(string) }

func (panicHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h panicHandler) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h panicHandler) WithGroup(string) slog.Handler          { return h }
func (h panicHandler) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "panic") {
		r.Attrs(func(a slog.Attr) bool { h.found(a.String()); return true })
	}
	return nil
}
