package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
)

var link = lazyregexp.New(`(?:href|src)="([^"]*)"`)

// Every link and picture of the documents leads to something: read gives the project's,
// and what is written is looked at again.
func TestLinks(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	pages, err := build(filepath.Join("..", ".."), out)
	require.NoError(t, err)
	require.Greater(t, pages, 40)
	written, err := filepath.Glob(filepath.Join(out, "*.html"))
	require.NoError(t, err)
	require.Len(t, written, pages)
	links := 0
	for _, file := range written {
		for _, m := range link().FindAllStringSubmatch(readFile(t, file), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			links++
			to := filepath.Join(out, filepath.FromSlash(target))
			if assert.FileExists(t, to, "%s links to %s", file, m[1]) && fragment != "" {
				assert.Contains(t, readFile(t, to), `id="`+fragment+`"`, "%s links to %s", file, m[1])
			}
		}
	}
	assert.Greater(t, links, 45*45, "each page has the menu")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(content)
}

// project is a small one whose index is text.
func project(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"README.md": "# Project\n[docs](docs/README.md)", "CHANGELOG.md": "# Changes", "CONTRIBUTING.md": "# Contributing", "SECURITY.md": "# Security",
		"examples/README.md": "# Examples", "docs/README.md": "# Index\n" + text, "docs/other.md": "# Other\n## A `b` & c!\n## Again\n## Again\n## See [this](README.md) &amp; _that_", "docs/two words.md": "# Two",
		"docs/picture.svg": "<svg/>", "cmd/main.go": "package main",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
	}
	return dir
}

func TestWhatLinksBecome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ markdown, html, problem string }{
		"page":             {markdown: "[x](other.md)", html: `href="other.html"`},
		"heading":          {markdown: "[x](other.md#a-b--c)", html: `href="other.html#a-b--c"`},
		"second of a name": {markdown: "[x](other.md#again-1)", html: `href="other.html#again-1"`},
		"heading of code":  {markdown: "[x](other.md#see-this--that)", html: `href="other.html#see-this--that"`},
		"encoded":          {markdown: "[x](two%20words.md)", html: `href="two%20words.html"`},
		"query":            {markdown: "[x](other.md?plain=1#again)", html: `href="other.html#again"`},
		"from the root":    {markdown: "[x](/docs/other.md)", html: `href="other.html"`},
		"line":             {markdown: "[x](../cmd/main.go#L1)", html: `href="` + repository + `blob/main/cmd/main.go#L1"`},
		"aligned":          {markdown: "|a|\n|-:|\n|b|", html: `<td align="right">`},
		"outside":          {markdown: "![x](../../x.svg)", problem: "it is outside of the project"},
		"own heading":      {markdown: "[x](#index)", html: `href="documents.html#index"`},
		"project":          {markdown: "[x](../README.md)", html: `href="index.html"`},
		"source":           {markdown: "[x](../cmd/main.go)", html: `href="` + repository + `blob/main/cmd/main.go"`},
		"folder":           {markdown: "[x](../cmd)", html: `href="` + repository + `tree/main/cmd"`},
		"picture":          {markdown: "![x](picture.svg)", html: `src="docs/picture.svg"`},
		"elsewhere":        {markdown: "[x](https://example.com/a#b)", html: `href="https://example.com/a#b"`},
		"markup":           {markdown: "<script>alert(1)</script>", html: "<!-- raw HTML omitted -->"},
		"script":           {markdown: "[x](javascript:alert(1))", html: `href=""`},
		"no page":          {markdown: "[x](gone.md)", problem: "docs/README.md: link to gone.md: there is no such file"},
		"no heading":       {markdown: "[x](other.md#gone)", problem: "docs/README.md: link to other.md#gone: docs/other.md has no such heading"},
		"no own heading":   {markdown: "[x](#gone)", problem: "link to #gone: docs/README.md has no such heading"},
		"no picture":       {markdown: "![x](gone.png)", problem: "link to gone.png: there is no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			_, err := build(project(t, tt.markdown), out)
			if tt.problem != "" {
				require.ErrorContains(t, err, tt.problem)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, readFile(t, filepath.Join(out, "documents.html")), tt.html)
		})
	}
	_, err := build(t.TempDir(), t.TempDir())
	require.ErrorContains(t, err, "-root")
	twice := project(t, "")
	require.NoError(t, os.WriteFile(filepath.Join(twice, "docs", "Index.md"), []byte("# Index"), 0o644))
	_, err = build(twice, t.TempDir())
	require.ErrorContains(t, err, "README.md and docs/Index.md would both be the page index.html")
}

// Search finds a section by its words, and what is typed stays text.
func TestSearch(t *testing.T) {
	t.Parallel()
	b := testbrowser.New(t)
	out := t.TempDir()
	_, err := build(filepath.Join("..", ".."), out)
	require.NoError(t, err)
	srv := httptest.NewServer(http.FileServer(http.Dir(out)))
	t.Cleanup(srv.Close)
	b.Open(srv.URL + "/index.html")
	for _, tt := range []struct{ words, page string }{
		{"undo apply", "dictionary-as-code.html"},
		{"fixed-dates", "sandbox.html#data"},
		{"ERPHUB_PROFILE", "configuration.html"},
		{"TENANT role", "glossary.html"},
	} {
		b.Strike("/")
		b.Script(`document.getElementById("search").value = ""`)
		b.TypeText(tt.words)
		b.Until(`[...document.querySelectorAll("#found a")].some(a => a.href.includes(%q))`, tt.page)
	}
	b.Script(`document.getElementById("search").value = ""`)
	b.TypeText(`<img src=x onerror=alert(1)> (`)
	b.Until(`document.getElementById("found").textContent === "No page has all of these words."`)
	b.Script(`document.getElementById("search").value = ""`)
	b.TypeText("griffin glossary")
	b.View("site")
	assert.NotEmpty(t, regexp.MustCompile(`"t":"[^"]*"`).FindAllString(readFile(t, filepath.Join(out, "sections.js")), -1))
}
