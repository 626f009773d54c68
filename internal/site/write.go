package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"slices"
)

//go:embed page.html site.css search.js
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "page.html"))

// entry is a line of the menu.
type entry struct {
	Name, Title string
	Here        bool
}

// write writes the pages, what they show and what search reads.
func (s *site) write(out string) error {
	var sections []section
	for _, p := range s.pages {
		sections = append(sections, p.sections()...)
		var menu []entry
		for _, other := range s.pages {
			menu = append(menu, entry{other.name, other.title, other == p})
		}
		var html bytes.Buffer
		err := layout.Execute(&html, map[string]any{"Title": p.title, "Menu": menu, "Body": template.HTML(p.body), "Source": repository + "blob/main/" + p.source})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, p.name), html.Bytes(), 0o644); err != nil {
			return err
		}
	}
	index, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	// A script, because pages without a server may not load anything else.
	if err := os.WriteFile(filepath.Join(out, "sections.js"), slices.Concat([]byte("const sections = "), index, []byte(";\n")), 0o644); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "search.js"} {
		content, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			return err
		}
	}
	for file := range s.files {
		to := filepath.Join(out, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
