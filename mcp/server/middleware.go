package server

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
)

// listLimit bounds everything but calls of tools, which have limits of their
// own and may wait for the user.
const listLimit = 60 * time.Second

// receive is around every request of the protocol.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		if method == "subscriptions/listen" {
			return next(ctx, method, req) // it lasts as long as the client listens
		}
		s.work.start()
		defer s.work.end()
		limit := listLimit
		call, isCall := req.(*sdk.CallToolRequest)
		if isCall {
			limit = s.opts.Question
			if t, ok := s.opts.Catalog.Tools.Tool(call.Params.Name); ok {
				limit += 2 * t.Limit()
			}
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		start := time.Now()
		ctx, end := s.trace(ctx, method, req)
		defer func() {
			if p := recover(); p != nil {
				reference := rand.Text()[:12]
				httpserver.LogPanic(ctx, p, s.opts.Logger, "a handler panicked", "method", method, "reference", reference)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server has a bug here, which it has logged (reference " + reference + ")"}
			}
			failed := err != nil
			if r, ok := res.(*sdk.CallToolResult); ok && r != nil && r.IsError {
				failed = true
			}
			end(failed)
			label := knownMethod(method)
			s.opts.Metrics.requests.Add(1, label, strconv.FormatBool(failed))
			s.opts.Metrics.methods.Observe(time.Since(start).Seconds(), label)
		}()
		res, err = next(ctx, method, req)
		if err == nil {
			s.fit(ctx, req, res)
		}
		if r, ok := res.(*sdk.InitializeResult); ok && err == nil {
			err = s.initialized(ctx, req, r)
		}
		var wire *jsonrpc.Error
		if isCall && errors.As(err, &wire) && strings.HasPrefix(wire.Message, "unknown tool") {
			err = invalidParams(s.unknownTool(ctx, call).Error())
		}
		return res, err
	}
}

// initialized keeps a session where several servers serve it, before its client
// learns of it.
func (s *Server) initialized(ctx context.Context, req sdk.Request, res *sdk.InitializeResult) error {
	ss, ok := req.GetSession().(*sdk.ServerSession)
	if !ok {
		return nil
	}
	return s.sessions.keep(ctx, ss, res.ProtocolVersion)
}

// unknownTool names the nearest tools the caller may use; others stay unnamed.
func (s *Server) unknownTool(ctx context.Context, req *sdk.CallToolRequest) *mcp.Error {
	c := s.caller(ctx, req.Session, req.Extra, nil)
	return s.Tools(c).Unknown(req.Params.Name)
}

// knownMethod keeps made-up methods out of the metrics.
func knownMethod(method string) string {
	switch method {
	case "initialize", "ping", "server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get",
		"resources/list", "resources/read", "resources/templates/list", "resources/subscribe", "resources/unsubscribe",
		"completion/complete", "logging/setLevel", "notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/roots/list_changed":
		return method
	}
	return "other"
}
