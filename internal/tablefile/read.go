package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Load reads files and directories, a directory with all below it. In
// directories only files whose names end in .yaml or .yml are read, in the
// order of their names, and those that begin with a dot are left out. The error
// is an [*Error] when the content is wrong, and matches [ErrNoTables] when they
// define no table.
func Load(paths ...string) (*Set, error) {
	var files []string
	for _, path := range paths {
		found, err := filesOf(path)
		if err != nil {
			return nil, fmt.Errorf("reading table definitions: %w", err)
		}
		for _, f := range found {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	s := newSet()
	s.files = files
	var problems []Problem
	total := 0
	for _, path := range files {
		data, err := atomicfile.ReadAtMost(path, maxFileBytes)
		if err != nil {
			return nil, fmt.Errorf("reading table definitions: %w", err)
		}
		if total += len(data); total > maxSetBytes {
			return nil, fmt.Errorf("reading table definitions: there are more than %d MiB of them; read fewer at once", maxSetBytes>>20)
		}
		problems = append(problems, s.parse(path, data)...)
	}
	if len(problems) > 0 {
		return nil, &Error{Problems: problems}
	}
	if len(s.tables) == 0 {
		return nil, fmt.Errorf("reading table definitions from %s: %w; write one with the key table, or let one be written from the ERP",
			strings.Join(paths, ", "), ErrNoTables)
	}
	return s, nil
}

// Parse reads the definitions in data; name is what positions call the file.
// Data without a definition gives an empty set.
func Parse(name string, data []byte) (*Set, error) {
	s := newSet()
	if problems := s.parse(name, data); len(problems) > 0 {
		return nil, &Error{Problems: problems}
	}
	return s, nil
}

func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != path && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		}
		if ext := strings.ToLower(filepath.Ext(p)); ext == ".yaml" || ext == ".yml" {
			if len(files) == maxFiles {
				return fmt.Errorf("%s holds more than %d files", path, maxFiles)
			}
			files = append(files, p)
		}
		return nil
	})
	return files, err
}

// yamlLine finds the line in an error of the YAML parser.
var yamlLine = lazyregexp.New(`^yaml: (?:line (\d+): )?`)

// parse adds the definitions in data to the set and tells what is wrong.
func (s *Set) parse(name string, data []byte) []Problem {
	if len(data) > maxFileBytes {
		return []Problem{{Position{File: name}, fmt.Sprintf("the file is larger than %d MiB", maxFileBytes>>20), "split it"}}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var problems []Problem
	for n := 0; ; n++ {
		if n == maxDocuments {
			return append(problems, Problem{Position{File: name}, fmt.Sprintf("the file has more than %d documents", maxDocuments), "split it"})
		}
		node, err := nextNode(dec)
		if errors.Is(err, io.EOF) {
			return problems
		}
		if err != nil {
			at := Position{File: name}
			if m := yamlLine().FindStringSubmatch(err.Error()); m != nil {
				at.Line, _ = strconv.Atoi(m[1])
			}
			what := yamlLine().ReplaceAllString(err.Error(), "")
			return append(problems, Problem{at, "this is not YAML: " + what, ""})
		}
		if len(node.Content) != 1 || node.Content[0].Kind == yaml.ScalarNode && node.Content[0].ShortTag() == "!!null" {
			continue // nothing between two lines of dashes, or comments only
		}
		d := &decoder{file: name, places: map[any]Position{}}
		var doc document
		d.into(node.Content[0], reflect.ValueOf(&doc).Elem(), field{key: "a table"}, 0)
		problems = append(problems, d.problems...)
		if len(d.problems) == 0 {
			problems = append(problems, s.add(&doc, d)...)
		}
		if len(problems) >= maxProblems {
			return problems
		}
	}
}

// nextNode reads a document. The parser is known to panic on some malformed
// input; that counts as malformed.
func nextNode(dec *yaml.Decoder) (node *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	node = &yaml.Node{}
	return node, dec.Decode(node)
}
