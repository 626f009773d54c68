package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/mcp"
)

// fileLine is a file of a plugin, or a piece of it.
type fileLine struct {
	Name    string `json:"name"`
	Size    int    `json:"size" jsonschema:"bytes"`
	Binary  bool   `json:"binary,omitempty"`
	From    int    `json:"from,omitempty" jsonschema:"byte where the content begins; before it is on an earlier page"`
	Content string `json:"content,omitempty"`
}

type generatedOut struct {
	Generator  string       `json:"generator"`
	ArtifactID string       `json:"artifactId"`
	Version    string       `json:"version"`
	Output     string       `json:"output"`
	Receipt    *receiptLine `json:"receipt,omitempty"`
	Files      []fileLine   `json:"files"`
	Notes      []string     `json:"notes,omitempty"`
	withFile
	paged
}

// show fills in the files.
func (o *generatedOut) show(c *mcp.Call, question any, tree *generator.Tree, in deliverIn) error {
	p, err := pagerFor(c, in.Cursor, question)
	if err != nil {
		return err
	}
	files := tree.Files()
	if len(in.Files) > 0 {
		if files, err = chosen(files, in.Files); err != nil {
			return err
		}
	}
	if in.Show != "content" {
		o.Files, o.paged = part(p, files, func(f *generator.File) fileLine {
			return fileLine{Name: f.Name, Size: len(f.Content), Binary: !utf8.Valid(f.Content)}
		})
		return nil
	}
	next := 0
	o.Files, next = contents(files, p.offset)
	o.Total = len(files)
	if next > 0 {
		o.Truncated, o.NextCursor = true, p.cursor(next)
	}
	return nil
}

// chosen are the files of the names.
func chosen(files []generator.File, names []string) ([]generator.File, error) {
	all := mapped(files, func(f *generator.File) string { return f.Name })
	for _, name := range names {
		if !slices.Contains(all, name) {
			hint := "call it with show names to see them"
			if near := mcp.Nearest(name, all); len(near) > 0 {
				hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
			}
			return nil, fail(mcp.CodeNotFound, hint, "the plugin has no file %q", clip(name, 120))
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f generator.File) bool { return !slices.Contains(names, f.Name) }), nil
}

// contents are as many files as fit into a response, from an offset on that counts
// the bytes of all. next is the offset to continue at, 0 at the end.
func contents(files []generator.File, place int) (lines []fileLine, next int) {
	lines = []fileLine{}
	begin, room := 0, maxResponse
	for _, f := range files {
		size := len(f.Content)
		end := begin + size
		if end <= place && place > 0 {
			begin = end
			continue // an earlier page had it
		}
		line := fileLine{Name: f.Name, Size: size, From: max(place-begin, 0)}
		room -= len(f.Name) + 60
		if line.Binary = !utf8.Valid(f.Content); !line.Binary {
			rest := f.Content[line.From:]
			piece := rest[:fitsInto(rest, room)]
			line.Content = string(piece)
			room -= encodedLen(piece)
			if len(piece) < len(rest) {
				if len(piece) > 0 {
					lines = append(lines, line)
				}
				return lines, begin + line.From + len(piece)
			}
		}
		lines = append(lines, line)
		begin = end
	}
	return lines, 0
}

// encodedLen is how long a text is in JSON.
func encodedLen(text []byte) int {
	raw, _ := json.Marshal(string(text)) // a text always encodes
	return len(raw)
}

// fitsInto is how many bytes of a text fit into so much JSON, whole characters
// only.
func fitsInto(text []byte, room int) int {
	if room <= 0 {
		return 0
	}
	n := len(text)
	for n > 0 && encodedLen(text[:n]) > room {
		if n > room {
			n = room
		} else {
			n = n * 9 / 10
		}
		for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
	}
	return n
}
