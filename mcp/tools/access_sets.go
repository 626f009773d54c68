package tools

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/erphub/erphub/mcp"
)

type listToolsetsIn struct {
	SwitchOn string `json:"switchOn,omitempty" jsonschema:"name of a set to add to your tools, for this session"`
}

type toolsetLine struct {
	Name   string   `json:"name"`
	About  string   `json:"about"`
	On     string   `json:"on" jsonschema:"yes, no or partly"`
	Tools  []string `json:"tools"`
	Tokens int      `json:"tokens,omitempty" jsonschema:"about how many its definitions add when it is switched on"`
}

type listToolsetsOut struct {
	Toolsets []toolsetLine `json:"toolsets"`
	noted
}

func (b *Toolbox) listToolsets() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listToolsets", Title: "List tool sets", Sets: []string{SetAccess}, Hints: readOnly,
		Description: "When no tool here does what is asked: the tool sets there are, what each is for, and whether it is on. With switchOn it adds one to your tools.",
		Input:       input[listToolsetsIn](shorter(60, "switchOn")),
	}, func(ctx context.Context, c *mcp.Call, in listToolsetsIn) (*listToolsetsOut, error) {
		out := &listToolsetsOut{}
		for _, s := range toolsets {
			if line, ok := b.toolset(c, s.name, s.about); ok {
				out.Toolsets = append(out.Toolsets, line)
			}
		}
		if in.SwitchOn == "" {
			return out, nil
		}
		return b.switchOn(ctx, c, in.SwitchOn, out)
	})
}

// toolset describes a set by the tools that the caller may have.
func (b *Toolbox) toolset(c *mcp.Call, name, about string) (toolsetLine, bool) {
	allowed := b.all().Filter([]string{name}, func(t mcp.Tool) bool { return c.Allows(t.Name) })
	line := toolsetLine{Name: name, About: about, On: "yes", Tools: allowed.Names()}
	for _, t := range allowed {
		if c.Offers(t.Name) {
			continue
		}
		line.On = "no"
		schema, err := json.Marshal(t.Input)
		if err == nil {
			line.Tokens += mcp.EstimateTokens(len(t.Name) + len(t.Description) + len(schema))
		}
	}
	if line.On == "no" && slices.ContainsFunc(line.Tools, c.Offers) {
		line.On = "partly"
	}
	return line, len(allowed) > 0
}

// switchOn switches on one of the sets, and returns it alone.
func (b *Toolbox) switchOn(ctx context.Context, c *mcp.Call, name string, all *listToolsetsOut) (*listToolsetsOut, error) {
	i := slices.IndexFunc(all.Toolsets, func(l toolsetLine) bool { return l.Name == name })
	if i < 0 {
		if name == mcp.AllSets {
			return nil, fail(mcp.CodeInvalidArguments, "name one of them", "tool sets are switched on one by one")
		}
		if err := b.all().CheckSets([]string{name}); err != nil {
			return nil, err
		}
		return nil, fail(mcp.CodePermissionDenied, "the sets you may have are those that listToolsets names without an argument; the operator decides about others",
			"the tool set %s may not be switched on: it has no tool that you may use", clip(name, 60))
	}
	line := all.Toolsets[i]
	out := &listToolsetsOut{Toolsets: []toolsetLine{line}}
	if line.On == "yes" {
		out.AddNote("it was on already")
		return out, nil
	}
	if c.SwitchOn == nil {
		return nil, fail(mcp.CodeUnsupported, "name tool sets with --toolsets", "there is no session here, so no tool set can be switched on")
	}
	if err := c.SwitchOn(ctx, name); err != nil {
		return nil, err
	}
	out.Toolsets[0].On, out.Toolsets[0].Tokens = "yes", 0
	out.AddNote("its tools are in your list now; if they do not appear, the user adds ?toolsets=all to the server's address, or --toolsets all where it is started")
	return out, nil
}
