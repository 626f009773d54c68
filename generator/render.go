package generator

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

// templates reads the templates once; they are not changed afterwards.
var templates = sync.OnceValues(func() (*template.Template, error) {
	all := template.New("").Funcs(template.FuncMap{
		"java": javaString, "doc": javadoc, "comment": javaComment, "xml": xmlText, "maven": mavenText,
		"prop": property, "md": markdown,
	}).Option("missingkey=error")
	names, err := fs.Glob(templateFiles, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := templateFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		base := path.Base(name)
		if _, err := all.New(base[:len(base)-len(".tmpl")]).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// render fills in a template.
func render(name string, data any) ([]byte, error) {
	all, err := templates()
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	var b bytes.Buffer
	if err := all.ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("filling in %s: %w", name, err)
	}
	return b.Bytes(), nil
}
