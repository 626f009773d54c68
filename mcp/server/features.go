package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/erphub/erphub/mcp"
)

func (s *Server) addPrompt(p mcp.Prompt) error {
	if !mcp.ValidName(p.Name) || p.Description == "" || p.Get == nil {
		return fmt.Errorf("the prompt %q needs a valid name, a description and a function", p.Name)
	}
	d := &sdk.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		if a.Name == "" || a.Description == "" {
			return fmt.Errorf("the argument %q of prompt %s needs a name and a description", a.Name, p.Name)
		}
		d.Arguments = append(d.Arguments, &sdk.PromptArgument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required})
	}
	s.sdk.AddPrompt(d, func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		for _, a := range p.Arguments {
			if a.Required && req.Params.Arguments[a.Name] == "" {
				return nil, invalidParams(fmt.Sprintf("the prompt %s needs the argument %q: %s", p.Name, a.Name, a.Description))
			}
		}
		c, err := s.call(ctx, p.Name, req.Session, req.Extra, req.ClientInfo())
		if err != nil {
			return nil, err
		}
		if !s.offersPrompt(p.Name, c.Offers) {
			return nil, invalidParams(fmt.Sprintf("the prompt %s needs tools that are not offered here", p.Name))
		}
		messages, err := p.Get(ctx, c, req.Params.Arguments)
		if err != nil {
			return nil, s.protocolError(ctx, c, "prompt "+p.Name, err)
		}
		out := &sdk.GetPromptResult{Description: p.Description, Messages: []*sdk.PromptMessage{}}
		for _, m := range messages {
			role := sdk.Role("user")
			if m.Role == "assistant" {
				role = "assistant"
			}
			out.Messages = append(out.Messages, &sdk.PromptMessage{Role: role, Content: content(m.Content)})
		}
		return out, nil
	})
	return nil
}

// call returns the call for a prompt, a resource or a completion. It fails when the
// caller's login has ended.
func (s *Server) call(ctx context.Context, name string, ss *sdk.ServerSession, extra *sdk.RequestExtra, program *sdk.Implementation) (*mcp.Call, error) {
	caller := s.caller(ctx, ss, extra, program)
	c := &mcp.Call{Tool: name, Caller: caller, Log: s.opts.Logger, Offers: s.offers(caller)}
	if err := s.opts.Boundary.Admit(ctx, caller); err != nil {
		return nil, s.protocolError(ctx, c, name, err)
	}
	return c, nil
}

func (s *Server) resourceHandler(r mcp.Resource) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c, err := s.call(ctx, r.Name, req.Session, req.Extra, req.ClientInfo())
		if err != nil {
			return nil, err
		}
		got, err := r.Read(ctx, c)
		return s.readResult(ctx, c, req.Params.URI, got, err)
	}
}

func (s *Server) addTemplate(t mcp.ResourceTemplate) error {
	tmpl, err := uritemplate.New(t.URITemplate)
	if err != nil || t.Name == "" || t.Read == nil {
		return fmt.Errorf("the resource template %q needs a template of RFC 6570, a name and a function", t.URITemplate)
	}
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: t.URITemplate, Name: t.Name, Title: t.Title, Description: t.Description, MIMEType: t.MIMEType,
	}, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		variables := map[string]string{}
		for name, v := range tmpl.Match(req.Params.URI) {
			variables[name] = v.String()
		}
		c, err := s.call(ctx, t.Name, req.Session, req.Extra, req.ClientInfo())
		if err != nil {
			return nil, err
		}
		got, err := t.Read(ctx, c, req.Params.URI, variables)
		return s.readResult(ctx, c, req.Params.URI, got, err)
	})
	return nil
}

func (s *Server) readResult(ctx context.Context, c *mcp.Call, uri string, got mcp.ResourceContent, err error) (*sdk.ReadResourceResult, error) {
	var e *mcp.Error
	switch {
	case errors.As(err, &e) && e.Code == mcp.CodeNotFound:
		notFound := sdk.ResourceNotFoundError(uri)
		var wire *jsonrpc.Error
		if hint := s.opts.Catalog.Tools.Without(e.Hint, c.Offers); hint != "" && errors.As(notFound, &wire) {
			wire.Message += ": " + hint
		}
		return nil, notFound
	case err != nil:
		return nil, s.protocolError(ctx, c, "a resource", err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents(got)}}, nil
}

// protocolError is the error of something that is not a tool.
func (s *Server) protocolError(ctx context.Context, c *mcp.Call, what string, err error) error {
	e := *mcp.ErrorOf(err)
	e.Hint = s.opts.Catalog.Tools.Without(e.Hint, c.Offers)
	if e.Code == mcp.CodeInternal {
		s.opts.Logger.ErrorContext(ctx, what+" failed", "error", err)
	}
	code := int64(jsonrpc.CodeInternalError)
	if e.Code == mcp.CodeInvalidArguments || e.Code == mcp.CodeNotFound {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: e.Error()}
}

func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// completes reports whether anything in the catalog offers completion.
func (s *Server) completes() bool {
	for _, p := range s.opts.Catalog.Prompts {
		for _, a := range p.Arguments {
			if a.Complete != nil {
				return true
			}
		}
	}
	for _, t := range s.opts.Catalog.Templates {
		if len(t.Complete) > 0 {
			return true
		}
	}
	return false
}

// maxCompletions is what one response may hold by the protocol.
const maxCompletions = 100

func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	empty := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	if req.Params.Ref == nil {
		return nil, invalidParams("completion needs a ref: a prompt or a resource template")
	}
	completer, known := s.completer(req.Params.Ref, req.Params.Argument.Name)
	if !known {
		return nil, invalidParams("there is no such prompt or resource template to complete arguments of")
	}
	if completer == nil {
		return empty, nil
	}
	var others map[string]string
	if req.Params.Context != nil {
		others = req.Params.Context.Arguments
	}
	c, err := s.call(ctx, "completion", req.Session, req.Extra, req.ClientInfo())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, mcp.DefaultTimeout)
	defer cancel()
	got, err := completer(ctx, c, req.Params.Argument.Value, others)
	if err != nil {
		return nil, s.protocolError(ctx, c, "completion", err)
	}
	total := max(got.Total, len(got.Values))
	values := append([]string{}, got.Values[:min(len(got.Values), maxCompletions)]...)
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, Total: total, HasMore: total > len(values)}}, nil
}

// completer finds what completes an argument; known is false when what it
// belongs to does not exist.
func (s *Server) completer(ref *sdk.CompleteReference, argument string) (_ mcp.Completer, known bool) {
	switch ref.Type {
	case "ref/prompt":
		for _, p := range s.opts.Catalog.Prompts {
			if p.Name != ref.Name {
				continue
			}
			for _, a := range p.Arguments {
				if a.Name == argument {
					return a.Complete, true
				}
			}
			return nil, true
		}
	case "ref/resource":
		for _, t := range s.opts.Catalog.Templates {
			if t.URITemplate == ref.URI {
				return t.Complete[argument], true
			}
		}
		for _, r := range s.opts.Catalog.Resources {
			if r.URI == ref.URI {
				return nil, true
			}
		}
	}
	return nil, false
}
