package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
)

// Server serves a catalog. It is safe for concurrent use.
type Server struct {
	opts     Options
	sdk      *sdk.Server
	modern   http.Handler // no sessions
	sse      *sseSessions
	send     sdk.MethodHandler // sends to a client
	sessions *sessions         // streamable HTTP with sessions
	handler  http.Handler
	slots    httpserver.Slots
	work     work
	leaving  chan struct{} // closed when the server begins to end
	ready    *httpserver.Readiness
	mentions func() map[string][]string // tools that the definition of each names
	reworded sync.Map                   // definitions as they are listed, as *sdk.Tool
}

// pageSize is more than there will ever be tools: a list is one page, of which
// a caller may see a part.
const pageSize = 1000

// New makes a server.
func New(opts Options) (*Server, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	opts.fill()
	s := &Server{opts: opts, slots: httpserver.NewSlots(opts.MaxConcurrent)}
	s.work.idle = sync.NewCond(&s.work.mu)
	s.work.draining, s.leaving = make(chan struct{}), make(chan struct{})
	s.ready = httpserver.NewReadiness(opts.Logger, s.leaving, opts.Parts, dependencies(opts.Dependencies))
	s.mentions = sync.OnceValue(func() map[string][]string { return mentionsOf(opts.Catalog.Tools) })
	so := &sdk.ServerOptions{
		Instructions: opts.Catalog.Instructions,
		PageSize:     pageSize,
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{ListChanged: true},
		},
		SetCacheable: s.cacheable,
	}
	if len(opts.Catalog.Prompts) > 0 {
		so.Capabilities.Prompts = &sdk.PromptCapabilities{}
	}
	if len(opts.Catalog.Resources)+len(opts.Catalog.Templates) > 0 {
		so.Capabilities.Resources = &sdk.ResourceCapabilities{}
	}
	if s.completes() {
		so.CompletionHandler = s.complete
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: opts.Name, Title: opts.Title, Version: opts.Version}, so)
	if err := s.register(); err != nil {
		return nil, err
	}
	s.sdk.AddReceivingMiddleware(s.receive)
	s.sdk.AddSendingMiddleware(func(send sdk.MethodHandler) sdk.MethodHandler {
		s.send = send
		return send
	})
	s.sessions = newSessions(s)
	s.sse = newSSESessions(s, opts.MaxSessions, opts.MaxUserSessions)
	s.modern = s.modernHandler()
	s.handler = s.routes()
	m := opts.Metrics.all
	s.ready.Show(m)
	m.GaugeFunc("mcp_sessions_open", "Sessions, connections of /mcp/sse and of standard input included.", func() float64 {
		n := 0
		for range s.sdk.Sessions() {
			n++
		}
		return float64(n)
	})
	m.GaugeFunc("mcp_calls_running", "Requests of the protocol being worked on.", func() float64 { return float64(s.work.count()) })
	return s, nil
}

// cacheable says how long clients may keep lists and resources. What one user
// sees is not for others.
func (s *Server) cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	c.CacheScope = "private"
	c.TTLMs = int((5 * time.Minute).Milliseconds())
	switch req.(type) {
	case *sdk.ReadResourceRequest:
		c.TTLMs = int(time.Minute.Milliseconds())
	case *sdk.ListToolsRequest, *sdk.ListPromptsRequest: // for clients that do not listen for changes
		c.TTLMs = int((5 * time.Second).Milliseconds())
	}
}

// ToolsChanged tells clients that the list of tools may be another now, because others
// are available (see mcp.Tool) or it is known later who calls.
func (s *Server) ToolsChanged() {
	if len(s.opts.Catalog.Tools) > 0 {
		t := s.opts.Catalog.Tools[0]
		s.sdk.AddTool(registered(t), s.toolHandler(t)) // the SDK tells that a tool was replaced
	}
}

// register adds everything of the catalog.
func (s *Server) register() error {
	for _, t := range s.opts.Catalog.Tools {
		s.sdk.AddTool(registered(t), s.toolHandler(t))
	}
	for _, p := range s.opts.Catalog.Prompts {
		if err := s.addPrompt(p); err != nil {
			return err
		}
	}
	for _, r := range s.opts.Catalog.Resources {
		if r.URI == "" || r.Name == "" || r.Read == nil {
			return fmt.Errorf("the resource %q needs a URI, a name and a function", r.URI)
		}
		s.sdk.AddResource(&sdk.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType}, s.resourceHandler(r))
	}
	for _, t := range s.opts.Catalog.Templates {
		if err := s.addTemplate(t); err != nil {
			return err
		}
	}
	return nil
}

// ServeStdio serves one client over in and out, one message a line, until ctx
// ends or in does. Nothing else may be written to out. Everything that is
// called is called by Options.Local.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	connected := context.WithValue(ctx, switchedKey{}, &switched{alone: true})
	err := s.sdk.Run(connected, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
	if ctx.Err() != nil {
		return nil // that is how it ends
	}
	if err != nil {
		return fmt.Errorf("serving standard input and output: %w", err)
	}
	return nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// work counts what is being worked on, so that the end can wait for it.
type work struct {
	mu       sync.Mutex // guards n
	idle     *sync.Cond // n became 0
	n        int
	draining chan struct{} // closed when the server begins to end
}

func (w *work) start() {
	w.mu.Lock()
	w.n++
	w.mu.Unlock()
}

func (w *work) end() {
	w.mu.Lock()
	if w.n--; w.n == 0 {
		w.idle.Broadcast()
	}
	w.mu.Unlock()
}

func (w *work) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// wait returns when nothing is being worked on, or with ctx.
func (w *work) wait(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.idle.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.n > 0 && ctx.Err() == nil {
		w.idle.Wait()
	}
}

// Tools are the tools the caller may use, as this server lists them.
func (s *Server) Tools(c mcp.Caller) mcp.Set { return s.opts.Boundary.Visible(s.opts.Catalog.Tools, c) }
