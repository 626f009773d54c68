package server

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/mcp"
)

// definition is the tool as clients see it.
func definition(t mcp.Tool) *sdk.Tool {
	d := t.Definition()
	out := &sdk.Tool{
		Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.Input,
		Annotations: &sdk.ToolAnnotations{
			Title: d.Annotations.Title, ReadOnlyHint: d.Annotations.ReadOnly, IdempotentHint: d.Annotations.Idempotent,
			DestructiveHint: &d.Annotations.Destructive, OpenWorldHint: &d.Annotations.OpenWorld,
		},
	}
	if d.Output != nil {
		out.OutputSchema = d.Output
	}
	return out
}

// registered is a tool as the SDK knows it: lists show what worded makes of
// it, and the tool itself checks arguments. The SDK encodes the schema of
// a tool whenever it is called, to find the arguments that are sent as headers, too.
func registered(t mcp.Tool) *sdk.Tool {
	if inHeaders(t.Input) {
		return definition(t)
	}
	return &sdk.Tool{Name: t.Name, InputSchema: anyArguments}
}

var anyArguments = &jsonschema.Schema{Type: "object"}

// inHeaders reports whether some of the arguments are sent as headers, too.
func inHeaders(s *jsonschema.Schema) bool {
	for _, p := range s.Properties {
		if _, ok := p.Extra["x-mcp-header"]; ok || inHeaders(p) {
			return true
		}
	}
	return false
}

// encoded has the schemas of a definition as JSON: encoding them for every list
// of tools is most of its work.
func encoded(d *sdk.Tool) *sdk.Tool {
	for _, schema := range []*any{&d.InputSchema, &d.OutputSchema} {
		if *schema == nil {
			continue
		}
		if raw, err := mcp.Encode(*schema); err == nil { // else the list fails, as it would without this
			*schema = raw
		}
	}
	return d
}

func (s *Server) toolHandler(t mcp.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := &mcp.Call{
			Tool: t.Name, Arguments: req.Params.Arguments, Caller: s.caller(ctx, req.Session, req.Extra, req.ClientInfo()),
			Progress: progress(ctx, req), Log: s.opts.Logger,
		}
		c.Offers, c.Allows, c.SwitchOn = s.offers(c.Caller), s.allows(c.Caller), s.switchOn(c.Caller, req)
		c.Confirm = s.confirm(c, req)
		reply, err := s.opts.Boundary.Call(ctx, t, c)
		var ask *mcp.ConfirmationRequired
		if errors.As(err, &ask) && elicits(req) {
			if state, serr := s.opts.Boundary.Seal(ctx, c, ask.Whole); serr != nil {
				err = serr
			} else {
				return &sdk.CallToolResult{
					InputRequests: sdk.InputRequestMap{confirmKey: &sdk.ElicitParams{Mode: "form", Message: ask.Message, RequestedSchema: confirmSchema}},
					RequestState:  state,
				}, nil
			}
		}
		if err != nil {
			return s.failure(c, err), nil
		}
		return result(reply), nil
	}
}

// progress passes on how far the work is, if the client wants to know. The
// protocol wants every message to tell of more than the one before.
func progress(ctx context.Context, req *sdk.CallToolRequest) func(done, total float64, message string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var mu sync.Mutex // one message at a time, in order
	last := -1.0
	return func(done, total float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		if !(done > last) || ctx.Err() != nil {
			return
		}
		last = done
		// The client may be gone; the call finds out by itself.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: max(total, 0), Message: message})
	}
}

// failure is an error as a result the model sees. Its hint names no tool that
// the caller is not offered.
func (s *Server) failure(c *mcp.Call, err error) *sdk.CallToolResult {
	e := *mcp.ErrorOf(err)
	e.Hint = s.opts.Catalog.Tools.Without(e.Hint, c.Offers)
	text, merr := mcp.Encode(&e)
	if merr != nil {
		text = []byte(`{"code":"internal","message":"the error cannot be shown"}`)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
}

func result(r *mcp.Reply) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: r.Failed}
	if len(r.JSON) > 0 {
		if trimmed := bytes.TrimSpace(r.JSON); len(trimmed) > 0 && trimmed[0] == '{' {
			res.StructuredContent = r.JSON
		}
	}
	if len(r.Content) == 0 && len(r.JSON) > 0 {
		res.Content = []sdk.Content{&sdk.TextContent{Text: string(r.JSON)}}
		return res
	}
	for _, c := range r.Content {
		res.Content = append(res.Content, content(c))
	}
	return res
}

func content(c mcp.Content) sdk.Content {
	switch {
	case c.Embedded != nil:
		return &sdk.EmbeddedResource{Resource: contents(*c.Embedded)}
	case c.Link != nil:
		link := &sdk.ResourceLink{URI: c.Link.URI, Name: c.Link.Name, Title: c.Link.Title, Description: c.Link.Description, MIMEType: c.Link.MIMEType}
		if c.Link.Size > 0 {
			link.Size = &c.Link.Size
		}
		return link
	case c.Data != nil && strings.HasPrefix(c.MIMEType, "audio/"):
		return &sdk.AudioContent{Data: c.Data, MIMEType: c.MIMEType}
	case c.Data != nil:
		return &sdk.ImageContent{Data: c.Data, MIMEType: c.MIMEType}
	}
	return &sdk.TextContent{Text: c.Text}
}

func contents(r mcp.ResourceContent) *sdk.ResourceContents {
	out := &sdk.ResourceContents{URI: r.URI, MIMEType: r.MIMEType}
	if r.Data != nil {
		out.Blob = r.Data
	} else {
		out.Text = r.Text
	}
	return out
}
