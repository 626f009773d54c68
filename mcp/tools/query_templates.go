package tools

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp"
)

// template is a reporting query that was tried out.
type template struct {
	Name   string          `json:"name"`
	Topic  string          `json:"topic"`
	Title  string          `json:"title"`
	About  string          `json:"about,omitempty"`
	Params []templateParam `json:"params,omitempty"`
	SQL    string          `json:"sql,omitempty"`
	// Parts are texts that stand in SQL by their names in braces, beside those of the
	// whole file.
	Parts map[string]string `json:"-"`
}

type templateParam struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Example string `json:"example"`
}

//go:embed query_templates.yaml
var templateFile []byte

// templates are all there are, by topic. They are part of the program, so one that
// cannot be read is a mistake in it.
var templates = sync.OnceValue(func() []template {
	var file struct {
		Parts     map[string]string
		Templates []template
	}
	d := yaml.NewDecoder(bytes.NewReader(templateFile))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		panic(fmt.Sprintf("mcp/tools: query_templates.yaml: %v", err))
	}
	for i := range file.Templates {
		t := &file.Templates[i]
		for _, parts := range []map[string]string{file.Parts, t.Parts} { // a part of all may have some of the template's
			for name, text := range parts {
				t.SQL = strings.ReplaceAll(t.SQL, "{"+name+"}", text)
			}
		}
	}
	return file.Templates
})

type getQueryTemplatesIn struct {
	Topic string `json:"topic,omitempty" jsonschema:"only of this topic, with their SQL"`
	Name  string `json:"name,omitempty" jsonschema:"one template, with its SQL"`
}

type getQueryTemplatesOut struct {
	Templates []template `json:"templates"`
	Total     int        `json:"total"`
}

func templateNames() []string {
	return mapped(templates(), func(t *template) string { return t.Name })
}

func findTemplate(name string) (*template, error) {
	all, names := templates(), templateNames()
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) }); i >= 0 {
		return &all[i], nil
	}
	hint := "there are: " + strings.Join(names, ", ")
	if near := nearest.Names(name, names, 3); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return nil, fail(mcp.CodeNotFound, hint, "there is no query template %q", clip(name, 80))
}

func (b *Toolbox) getQueryTemplates() mcp.Tool {
	in := input[getQueryTemplatesIn](shorter(80, "name"))
	topic := property(in, "topic")
	for _, t := range templates() {
		if !slices.Contains(topic.Enum, any(t.Topic)) {
			topic.Enum = append(topic.Enum, t.Topic)
		}
	}
	return mcp.New(mcp.Tool{
		Name: "getQueryTemplates", Title: "Query templates", Sets: []string{SetQuery}, Hints: readOnly,
		Description: "Lists ready reporting queries; with a topic or a name also their SQL and parameters, for executeQuery or to adapt.",
		Input:       in,
	}, func(_ context.Context, _ *mcp.Call, in getQueryTemplatesIn) (*getQueryTemplatesOut, error) {
		out := &getQueryTemplatesOut{Templates: []template{}}
		if in.Name != "" {
			t, err := findTemplate(in.Name)
			if err != nil {
				return nil, err
			}
			out.Templates, out.Total = append(out.Templates, *t), 1
			return out, nil
		}
		for _, t := range templates() {
			switch in.Topic {
			case "":
				out.Templates = append(out.Templates, template{Name: t.Name, Topic: t.Topic, Title: t.Title})
			case t.Topic:
				out.Templates = append(out.Templates, t)
			}
		}
		out.Total = len(out.Templates)
		return out, nil
	})
}
