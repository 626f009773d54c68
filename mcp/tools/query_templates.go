package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp"
)

// template is a reporting query that was tried out.
type template struct {
	name, topic, title, about string
	params                    []templateParam
	sql                       string
}

type templateParam struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Example string `json:"example"`
}

// templates are all there are, by topic.
func templates() []template {
	return slices.Concat(salesTemplates(), purchaseTemplates(), moneyTemplates(), stockTemplates(), otherTemplates())
}

func textParam(name, about, example string) templateParam {
	return templateParam{name, about, example}
}

func fromDate() templateParam { return textParam("from", "first day", "2024-01-01") }
func toDate() templateParam   { return textParam("to", "last day", "2029-12-31") }

type getQueryTemplatesIn struct {
	Topic string `json:"topic,omitempty" jsonschema:"only of this topic, with their SQL"`
	Name  string `json:"name,omitempty" jsonschema:"one template, with its SQL"`
}

type templateLine struct {
	Name   string          `json:"name"`
	Topic  string          `json:"topic"`
	Title  string          `json:"title"`
	About  string          `json:"about,omitempty"`
	Params []templateParam `json:"params,omitempty"`
	SQL    string          `json:"sql,omitempty"`
}

type getQueryTemplatesOut struct {
	Templates []templateLine `json:"templates"`
	Total     int            `json:"total"`
}

func topics() []string {
	var names []string
	for _, t := range templates() {
		if !slices.Contains(names, t.topic) {
			names = append(names, t.topic)
		}
	}
	return names
}

func (t *template) line(full bool) templateLine {
	line := templateLine{Name: t.name, Topic: t.topic, Title: t.title}
	if full {
		line.About, line.Params, line.SQL = t.about, t.params, t.sql
	}
	return line
}

func findTemplate(name string) (*template, error) {
	all := templates()
	names := make([]string, len(all))
	for i := range all {
		if names[i] = all[i].name; strings.EqualFold(names[i], strings.TrimSpace(name)) {
			return &all[i], nil
		}
	}
	hint := "there are: " + strings.Join(names, ", ")
	if near := nearest.Names(name, names, 3); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return nil, &mcp.Error{Code: mcp.CodeNotFound, Message: fmt.Sprintf("there is no query template %q", clip(name, 80)), Hint: hint}
}

func (b *Toolbox) getQueryTemplates() mcp.Tool {
	in := input[getQueryTemplatesIn](shorter(80, "name"))
	for _, topic := range topics() {
		p := property(in, "topic")
		p.Enum = append(p.Enum, topic)
	}
	return mcp.New(mcp.Tool{
		Name: "getQueryTemplates", Title: "Query templates", Sets: []string{SetQuery}, Hints: readOnly,
		Description: "Lists ready reporting queries; with a topic or a name also their SQL and parameters, for executeQuery or to adapt.",
		Input:       in,
	}, func(_ context.Context, _ *mcp.Call, in getQueryTemplatesIn) (*getQueryTemplatesOut, error) {
		out := &getQueryTemplatesOut{Templates: []templateLine{}}
		if in.Name != "" {
			t, err := findTemplate(in.Name)
			if err != nil {
				return nil, err
			}
			out.Templates, out.Total = append(out.Templates, t.line(true)), 1
			return out, nil
		}
		for _, t := range templates() {
			if in.Topic == "" || in.Topic == t.topic {
				out.Templates = append(out.Templates, t.line(in.Topic != ""))
			}
		}
		out.Total = len(out.Templates)
		return out, nil
	})
}
