package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/mcp"
)

// offers reports whether a tool is listed for the caller.
func (s *Server) offers(c mcp.Caller) func(tool string) bool {
	return func(tool string) bool {
		t, ok := s.opts.Catalog.Tools.Tool(tool)
		return ok && s.opts.Boundary.Permit(t, c) == nil
	}
}

// fit removes from a response to a client what the caller may not use: tools,
// prompts that need one, and words about them.
func (s *Server) fit(ctx context.Context, req sdk.Request, res sdk.Result) {
	var instructions *string
	switch r := res.(type) {
	case *sdk.InitializeResult:
		instructions = &r.Instructions
	case *sdk.DiscoverResult:
		instructions = &r.Instructions
	case *sdk.ListToolsResult, *sdk.ListPromptsResult:
	default:
		return
	}
	session, _ := req.GetSession().(*sdk.ServerSession)
	caller := s.caller(ctx, session, req.GetExtra(), nil)
	offers := s.offers(caller)
	all := s.opts.Catalog.Tools
	switch r := res.(type) {
	case *sdk.ListToolsResult:
		r.Tools = slices.DeleteFunc(r.Tools, func(d *sdk.Tool) bool {
			_, ours := all.Tool(d.Name)
			return ours && !offers(d.Name)
		})
		_, byDefault := s.opts.Boundary.Selects(caller)
		for i, d := range r.Tools {
			r.Tools[i] = s.worded(d, offers, !byDefault)
		}
	case *sdk.ListPromptsResult:
		r.Prompts = slices.DeleteFunc(r.Prompts, func(d *sdk.Prompt) bool { return !s.offersPrompt(d.Name, offers) })
	default:
		*instructions = all.Without(*instructions, offers)
	}
}

// offersPrompt reports whether all tools that a prompt needs are offered.
func (s *Server) offersPrompt(name string, offers func(string) bool) bool {
	for _, p := range s.opts.Catalog.Prompts {
		if p.Name == name {
			return !slices.ContainsFunc(p.Tools, func(tool string) bool { return !offers(tool) })
		}
	}
	return true
}

// worded is the definition of a tool without words about tools that are not
// offered, as it is listed. Output schemas are optional, and longer than the rest: they
// are listed for programs that build on results, which choose the sets they work with.
func (s *Server) worded(d *sdk.Tool, offers func(string) bool, output bool) *sdk.Tool {
	missing := slices.DeleteFunc(slices.Clone(s.mentions()[d.Name]), offers)
	t, ok := s.opts.Catalog.Tools.Tool(d.Name)
	if !ok {
		return d
	}
	// Callers differ by the operator's rules, so there are few of these.
	key := d.Name + " without " + strings.Join(missing, " ")
	if !output {
		key += " and output"
	}
	if known, ok := s.reworded.Load(key); ok {
		return known.(*sdk.Tool)
	}
	if len(missing) > 0 {
		t = s.opts.Catalog.Tools.Reworded(t, offers)
	}
	if !output {
		t.Output = nil
	}
	made := encoded(definition(t))
	s.reworded.Store(key, made)
	return made
}

// mentionsOf are the tools that the definition of each names. One that cannot be
// encoded names none: it cannot be listed either.
func mentionsOf(tools mcp.Set) map[string][]string {
	named := make(map[string][]string, len(tools))
	for _, t := range tools {
		if raw, err := json.Marshal(t.Definition()); err == nil {
			named[t.Name] = slices.DeleteFunc(tools.Mentioned(string(raw)), func(name string) bool { return name == t.Name })
		}
	}
	return named
}
