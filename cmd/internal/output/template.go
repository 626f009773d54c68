package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"
	"time"
)

// Template is a Go template over a JSON value.
type Template struct{ parsed *template.Template }

// maxPad bounds what pad adds.
const maxPad = 1000

// ParseTemplate reads a template. Beside what text/template has there are json,
// join, upper, lower, pad and date.
func ParseTemplate(source string) (*Template, error) {
	t, err := template.New("--template").Funcs(template.FuncMap{
		"json": func(v any) (string, error) {
			raw, err := marshal(v, "")
			return string(raw), err
		},
		"join": join, "upper": strings.ToUpper, "lower": strings.ToLower, "pad": pad, "date": date,
	}).Parse(source)
	if err != nil {
		return nil, fmt.Errorf("--template: %w", err)
	}
	return &Template{t}, nil
}

// Write writes what the template makes of JSON, with a line break at the end.
func (t *Template) Write(w io.Writer, raw []byte) error {
	v, err := decode(raw)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.parsed.Execute(&b, v); err != nil {
		return fmt.Errorf("--template: %w", err)
	}
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	_, err = w.Write(b.Bytes())
	return err
}

// join is a list with a text between its elements.
func join(between string, list []any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = templateText(v)
	}
	return strings.Join(texts, between)
}

// pad fills a text with blanks up to a width, on its right, or on its left for a
// negative width.
func pad(width int, v any) string {
	s := templateText(v)
	blanks := func(n int) string { return strings.Repeat(" ", min(max(n-cells(s), 0), maxPad)) }
	if width < 0 {
		return blanks(-width) + s
	}
	return s + blanks(width)
}

// date writes a date or a time in another layout of the package time.
func date(layout, value string) (string, error) {
	for _, known := range []string{time.RFC3339, time.DateOnly, time.DateTime} {
		if t, err := time.Parse(known, value); err == nil {
			return t.Format(layout), nil
		}
	}
	return "", fmt.Errorf("date takes a date such as 2026-03-09 or a time in RFC 3339, not %q", value)
}

// templateText is a value in one piece of text.
func templateText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	raw, err := marshal(v, "")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}
