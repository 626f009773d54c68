package netguard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		addr             string
		public, operator bool // allowed for anybody's host, for the operator's
	}{
		{"93.184.216.34", true, true},
		{"2606:2800:220:1:248:1893:25c8:1946", true, true},
		{"127.0.0.1", false, true},
		{"127.8.9.10", false, true},
		{"::1", false, true},
		{"10.1.2.3", false, true},
		{"172.16.0.1", false, true},
		{"172.32.0.1", true, true},
		{"192.168.1.1", false, true},
		{"100.64.0.1", false, true},
		{"fd12:3456::1", false, true},
		{"::ffff:10.0.0.1", false, true},
		{"::ffff:169.254.169.254", false, false},
		{"169.254.169.254", false, false},
		{"fe80::1%eth0", false, false},
		{"fd00:ec2::254", false, false},
		{"100.100.100.200", false, false},
		{"0.0.0.0", false, false},
		{"::", false, false},
		{"0.1.2.3", false, true},
		{"224.0.0.1", false, false},
		{"ff02::1", false, false},
		{"255.255.255.255", false, false},
		{"240.0.0.1", false, true},
		{"64:ff9b::a00:1", false, true},
		{"2002:a00:1::", false, true},
		{"2001:0:a00:1::", false, true},
		{"::10.0.0.1", false, true},
		{"198.18.0.1", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.addr, func(t *testing.T) {
			t.Parallel()
			addr := netip.MustParseAddr(tt.addr)
			assert.Equal(t, tt.public, check(addr, false, false) == nil, "anybody's")
			assert.Equal(t, tt.operator, check(addr, true, false) == nil, "operator's")
		})
	}
	assert.NoError(t, check(netip.MustParseAddr("169.254.169.254"), true, true), "the very address was configured")
	assert.ErrorIs(t, check(netip.MustParseAddr("0.0.0.0"), true, true), ErrRefused)
}

func TestClient(t *testing.T) {
	t.Parallel()
	var secondHits atomic.Int64
	second := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { secondHits.Add(1) }))
	t.Cleanup(second.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, second.URL, http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, "here")
	}))
	t.Cleanup(first.Close)
	named := strings.Replace(first.URL, "127.0.0.1", "localhost", 1)

	get := func(g *Guard, url string) (*http.Response, error) {
		c := g.Client(nil)
		t.Cleanup(c.CloseIdleConnections)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		resp, err := c.Do(req)
		if err == nil {
			require.NoError(t, resp.Body.Close())
		}
		return resp, err
	}
	t.Run("configured address", func(t *testing.T) {
		resp, err := get(New(strings.TrimPrefix(first.URL, "http://")), first.URL)
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
	})
	t.Run("configured name, however spelled", func(t *testing.T) {
		_, err := get(New("LocalHost."), named)
		require.NoError(t, err)
	})
	t.Run("another one was configured", func(t *testing.T) {
		_, err := get(New("erp.example.com"), first.URL)
		require.ErrorIs(t, err, ErrRefused)
		_, err = get(New("127.0.0.1"), named)
		require.ErrorIs(t, err, ErrRefused)
	})
	t.Run("odd spellings of this machine", func(t *testing.T) {
		port := first.URL[strings.LastIndex(first.URL, ":"):]
		for _, host := range []string{"[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "[::]"} {
			_, err := get(New(), "http://"+host+port)
			require.ErrorIs(t, err, ErrRefused, host)
		}
	})
	t.Run("responses end", func(t *testing.T) {
		endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}))
		t.Cleanup(endless.Close)
		c := New("127.0.0.1").Client(nil)
		t.Cleanup(c.CloseIdleConnections)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endless.URL, nil)
		require.NoError(t, err)
		resp, err := c.Do(req)
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, resp.Body.Close())
		require.Error(t, err)
		assert.Equal(t, int64(maxResponse), n)
	})
	t.Run("redirects are responses", func(t *testing.T) {
		resp, err := get(New("127.0.0.1"), first.URL+"/away")
		require.NoError(t, err)
		assert.Equal(t, http.StatusTemporaryRedirect, resp.StatusCode)
		assert.Zero(t, secondHits.Load())
	})
}

func TestExplain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"refused by rule", fmt.Errorf("dial: %w", ErrRefused), "not one that may be connected to"},
		{"no such name", &net.DNSError{IsNotFound: true}, "name is not known"},
		{"name servers", &net.DNSError{}, "could not be looked up"},
		{"nobody there", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "nothing listens"},
		{"deadline", context.DeadlineExceeded, "in time"},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, "closed the connection"},
		{"no route", &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, "no way"},
		{"other", errors.New("other"), ""},
		{"canceled", context.Canceled, ""},
		{"none", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			why, next, ok := Explain(tt.err)
			assert.Equal(t, tt.want != "", ok)
			assert.Contains(t, why, tt.want)
			assert.Equal(t, ok, next != "")
		})
	}
}
