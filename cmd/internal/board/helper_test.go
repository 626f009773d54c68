package board_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/board"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// login connects to an embedded ERP as GardenAdmin, by name and password.
func login(t testing.TB, url string) *erp.Client {
	t.Helper()
	m, err := tokens.NewManager(url, tokens.WithCredentials(tokens.Login{
		Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11",
	}))
	require.NoError(t, err)
	c, err := erp.New(url, erp.WithTokenSource(m), erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// install brings the log into the ERP.
func install(t testing.TB, srv *erptest.Server) {
	t.Helper()
	plan, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: true})
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	admin, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	t.Cleanup(admin.CloseIdleConnections)
	_, err = restdict.Run(t.Context(), admin, plan, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
}

// world is an ERP with a deployment log, a writer of it, and a board on it.
type world struct {
	erp   *erptest.Server
	log   *deploylog.Log
	board *board.Board
	url   string // of the board
	stop  func() // ends the board and waits for it
}

// serve runs a board on an ERP.
func serve(t testing.TB, srv *erptest.Server, o *board.Options) *world {
	t.Helper()
	client := login(t, srv.URL())
	b := board.New(client, o)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the board ended: %v", err)
		}
	})
	wg.Go(func() {
		s := httpserver.New(b.Handler(), &httpserver.Options{
			Parts: []string{"board"}, Dependencies: []httpserver.Dependency{{Name: "erp", Check: b.Ready, Needed: []string{"board"}}}, Streams: board.Streams,
		})
		assert.NoError(t, s.Serve(ctx, ln))
	})
	w := &world{erp: srv, log: deploylog.New(client, nil), board: b, url: httpserver.URL(ln.Addr())}
	w.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(w.stop)
	return w
}

// start is a board on an ERP that has a log.
func start(t testing.TB) *world {
	t.Helper()
	srv := erptest.New(t)
	install(t, srv)
	return serve(t, srv, &board.Options{Every: 20 * time.Millisecond, Quiet: 50 * time.Millisecond})
}

// get reads a path of the board.
func (w *world) get(t testing.TB, path string, into any) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	if into != nil {
		require.NoError(t, json.Unmarshal(body, into), "%s", body)
	}
	return resp
}

func ptr[T any](v T) *T { return &v }
