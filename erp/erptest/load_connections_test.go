//go:build unix

package erptest_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// dialServer opens a connection that is closed with the test.
func dialServer(t *testing.T, srv *erptest.Server) net.Conn {
	t.Helper()
	u, err := url.Parse(srv.URL())
	require.NoError(t, err)
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", u.Host)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// othersAreServed makes ordinary requests, reads and writes, that must be
// handled in time.
func othersAreServed(t *testing.T, srv *erptest.Server, token string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range 5 {
		for _, q := range []request{
			{method: "GET", path: "/models/C_BPartner?$top=5"},
			{method: "PUT", path: "/models/C_BPartner/118", body: `{"Description":"served"}`},
		} {
			r, err := http.NewRequestWithContext(ctx, q.method, srv.URL()+"/api/v1"+q.path, strings.NewReader(q.body))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(r)
			require.NoError(t, err, "others are not served in time")
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, http.StatusOK, resp.StatusCode)
		}
	}
}

// Connections that say little, or never listen, hold up nobody but themselves.
func TestSlowClients(t *testing.T) {
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	const name = "large.bin"
	data := base64.StdEncoding.EncodeToString(make([]byte, 8<<20))
	a := request{method: "POST", path: "/models/C_Order/100/attachments", token: token, body: fmt.Sprintf(`{"name":%q,"data":%q}`, name, data)}.do(t, srv)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	head := func(method, path, more string) string {
		return fmt.Sprintf("%s /api/v1%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s", method, path, token, more)
	}
	for i := range 100 {
		for _, text := range []string{
			"G", // a header that does not go on
			head("GET", "/models/C_Order", ""),
			head("PUT", "/models/C_BPartner/118", "Content-Length: 1000\r\n\r\n{\"Desc"), // a body that does not
			head("POST", "/batch?transaction=true", "Transfer-Encoding: chunked\r\n\r\n5\r\n[{\"me\r\n"),
		} {
			_, err := io.WriteString(dialServer(t, srv), text)
			require.NoError(t, err)
		}
		if i < 20 { // responses that nobody reads, larger than what the system keeps
			_, err := io.WriteString(dialServer(t, srv), head("GET", "/models/C_Order/100/attachments/"+name, "\r\n"))
			require.NoError(t, err)
		}
	}
	othersAreServed(t, srv, token)
}

// A body that does not come is given up, whoever waits for it, and one that nobody
// reads does not hold its connection.
func TestSlowBodiesAreGivenUp(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t, erptest.Options{BodyTimeout: 100 * time.Millisecond})
	token, _ := logIn(t, srv, asGardenAdmin)
	for name, tc := range map[string]struct {
		head string
		want int
	}{
		"a length":           {"POST /api/v1/auth/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", http.StatusRequestTimeout},
		"nothing at all":     {"POST /api/v1/auth/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", http.StatusRequestTimeout},
		"chunks":             {"POST /api/v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[{\"me\r\n", http.StatusRequestTimeout},
		"nobody reads it":    {"POST /api/v1/models/C_Order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", http.StatusUnauthorized},
		"nobody wants it":    {"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", http.StatusOK},
		"there is no such":   {"POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", http.StatusNotFound},
		"nobody wants a GiB": {"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dialServer(t, srv)
			require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
			_, err := io.WriteString(conn, tc.head)
			require.NoError(t, err)
			reader := bufio.NewReader(conn)
			resp, err := http.ReadResponse(reader, nil)
			require.NoError(t, err)
			defer resp.Body.Close()
			assert.Equal(t, tc.want, resp.StatusCode)
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
			_, err = reader.ReadByte()
			require.Error(t, err)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server still holds the connection")
		})
	}
}

// A connection is good for more requests after a body, and what is done with a
// body may take longer than the body.
func TestBodiesLeaveNoDeadline(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t, erptest.Options{BodyTimeout: 100 * time.Millisecond})
	token, _ := logIn(t, srv, asGardenAdmin)
	srv.Faults().On(erptest.Match{Method: "PUT"}, erptest.Delay(150*time.Millisecond))
	conn := dialServer(t, srv)
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	reader := bufio.NewReader(conn)
	for i := range 3 {
		body := fmt.Sprintf(`{"Description":"%d"}`, i)
		_, err := fmt.Fprintf(conn, "PUT /api/v1/models/C_BPartner/118 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", token, len(body), body)
		require.NoError(t, err)
		resp, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode)
	}
}

// endless is a body that goes on until it has been read to the end.
type endless struct{ left, read int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	e.left, e.read = e.left-n, e.read+n
	return int(n), nil
}

// A body of a GiB is refused once it has grown too large, whatever the request
// says about its length.
func TestHugeBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("sends the beginnings of twenty bodies of a GiB")
	}
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	const size = 1 << 30
	for _, q := range []request{
		{method: "POST", path: "/models/C_BPartner", token: token},
		{method: "PUT", path: "/models/C_BPartner/118", token: token},
		{method: "POST", path: "/batch", token: token},
		{method: "POST", path: "/auth/tokens"},
		{method: "POST", path: "/processes/rv_orderdetail", token: token},
		{method: "POST", path: "/models/C_Order/100/attachments", token: token},
		{method: "POST", path: "/windows/sales-order", token: token},
		{method: "PUT", path: "/views/customer/118", token: token},
		{method: "PUT", path: "/workflow/approve/100", token: token},
		{method: "POST", path: "/uploads", token: token},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s chunked=%t", q.method, q.path, chunked), func(t *testing.T) {
				t.Parallel()
				conn := dialServer(t, srv)
				length := fmt.Sprintf("Content-Length: %d", size)
				if chunked {
					length = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x", size)
					length = strings.Replace(length, "\r\n\r\n", "\r\nX-Body: follows\r\n\r\n", 1)
				}
				end := "\r\n\r\n"
				if chunked {
					end = "\r\n"
				}
				auth := ""
				if q.token != "" {
					auth = "Authorization: Bearer " + q.token + "\r\n"
				}
				_, err := fmt.Fprintf(conn, "%s /api/v1%s HTTP/1.1\r\nHost: x\r\n%sContent-Type: application/json\r\n%s%s", q.method, q.path, auth, length, end)
				require.NoError(t, err)
				body := &endless{left: size}
				var sending sync.WaitGroup
				sending.Go(func() { _, _ = io.Copy(conn, body) }) // fails when the server has had enough
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err)
				defer resp.Body.Close()
				assert.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
				sending.Wait()
				assert.Less(t, body.read, int64(256<<20), "of a GiB, more was sent than the limit and what the system keeps underway")
			})
		}
	}
	t.Run("others", func(t *testing.T) {
		t.Parallel()
		othersAreServed(t, srv, token)
	})
}

func TestHugeHeaders(t *testing.T) {
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	huge := strings.Repeat("x", 1<<20)
	for name, head := range map[string]string{
		"one header":       "GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Huge: " + huge + "\r\n\r\n",
		"many headers":     "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Many: "+huge[:1000]+"\r\n", 1000) + "\r\n",
		"a token":          "GET /api/v1/models/C_Order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + huge + "\r\n\r\n",
		"the path":         "GET /api/v1/models/" + huge + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"the query":        "GET /api/v1/models/C_Order?$filter=" + huge + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"no end of a line": "GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Huge: " + huge,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dialServer(t, srv)
			var sending sync.WaitGroup
			sending.Go(func() { _, _ = io.WriteString(conn, head) }) // fails when the server has had enough
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			defer resp.Body.Close()
			assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, resp.StatusCode)
			_, _ = io.Copy(io.Discard, resp.Body) // the connection may be cut
			conn.Close()
			sending.Wait()
		})
	}
	t.Run("others", func(t *testing.T) {
		t.Parallel()
		othersAreServed(t, srv, token)
	})
}

// Connections that have made a request and stay open cost little.
func TestIdleConnections(t *testing.T) {
	want := 1000
	if os.Getenv("ERPHUB_LOAD") != "" {
		want = 10_000
	}
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if most := (int(min(limit.Cur, 1<<20)) - 200) / 2; most < want { // both ends are in this process
		want = most
	}
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	heap, _ := memoryInUse()
	buffer := make([]byte, 4096)
	var conns []net.Conn
	for range want {
		conn := dialServer(t, srv)
		conns = append(conns, conn)
		_, err := io.WriteString(conn, "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		n, err := conn.Read(buffer)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(buffer[:n]), "HTTP/1.1 200 "), "%s", buffer[:n])
	}
	open, _ := memoryInUse()
	t.Logf("%d idle connections, %.1f KiB of heap each, both ends", want, float64(open-min(heap, open))/1024/float64(want))
	othersAreServed(t, srv, token)
	for _, i := range []int{0, want / 2, want - 1} { // they are still there
		_, err := io.WriteString(conns[i], "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		n, err := conns[i].Read(buffer)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(buffer[:n]), "HTTP/1.1 200 "), "%s", buffer[:n])
	}
}
