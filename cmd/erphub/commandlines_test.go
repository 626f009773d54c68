package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/toolserver"
)

// Every command has examples that call it, and nothing else has.
func TestEveryCommandHasExamples(t *testing.T) {
	t.Parallel()
	sections := map[string]help.Section{}
	for _, g := range exampleGroups(t) {
		for _, s := range help.Sections(g) {
			group, _, _ := strings.Cut(s.Command, " ")
			assert.Equal(t, g, group, "[%s] is in the wrong file", s.Command)
			assert.NotContains(t, sections, s.Command)
			sections[s.Command] = s
		}
	}
	covered := func(path, call string) {
		s, ok := sections[path]
		delete(sections, path)
		if !assert.True(t, ok && len(s.Examples) > 0, "cmd/internal/help/examples has no example of %s", path) {
			return
		}
		for _, e := range s.Examples {
			assert.NotEmpty(t, e.Lines, "%s: %s", path, e.About)
		}
		assert.True(t, slices.ContainsFunc(s.Examples, func(e help.Example) bool {
			return strings.Contains(strings.Join(e.Lines, "\n"), call)
		}), "no example of %s calls it", path)
	}
	covered("erphub", "erphub demo")
	covered("erphub-mcp", "erphub-mcp")
	program := newProgram(&shell.Shell{})
	eachCommand(program.Commands, nil, func(chain []*cli.Command) {
		path := pathOf(chain)
		call := path[strings.LastIndex(path, " ")+1:] // flags may stand before
		if last := chain[len(chain)-1]; len(last.Subcommands) > 0 {
			call = "erphub"
		}
		covered(path, call)
	})
	for path := range sections {
		t.Errorf("there are examples of %s, which is no command", path)
	}
}

// eachCommand calls do with every command that help shows.
func eachCommand(commands []*cli.Command, above []*cli.Command, do func(chain []*cli.Command)) {
	for _, c := range commands {
		if !c.Hidden {
			chain := append(slices.Clone(above), c)
			do(chain)
			eachCommand(c.Subcommands, chain, do)
		}
	}
}

func pathOf(chain []*cli.Command) string {
	var words []string
	for _, c := range chain {
		words = append(words, c.Name)
	}
	return strings.Join(words, " ")
}

// Every line of help, and every text that names a command line, names commands and
// flags that exist.
func TestCommandLinesExist(t *testing.T) {
	t.Parallel()
	programs := map[string]*cli.App{"erphub": newProgram(&shell.Shell{}), "erphub-mcp": toolserver.Program(&shell.Shell{})}
	found := 0
	for at, lines := range commandLines(t) {
		for _, line := range lines {
			found++
			if wrong := wrongLine(programs, line); wrong != "" {
				t.Errorf("%s: `%s`: %s", at, line, wrong)
			}
		}
	}
	assert.Greater(t, found, 400)
	assert.NotEmpty(t, wrongLine(programs, "erphub recrd list"), "the test can fail")
	assert.NotEmpty(t, wrongLine(programs, "erphub record lst C_Order"), "the test can fail")
	assert.NotEmpty(t, wrongLine(programs, "erphub record list C_Order --selct x"), "the test can fail")
	assert.Empty(t, wrongLine(programs, `erphub --json record list C_Order --filter "a b" -h`))
}

// A flag that a document names alone is one of some command.
func TestFlagsInDocumentsExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"--help": true, "--version": true}
	var collect func(commands []*cli.Command)
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			for _, name := range f.Names() {
				known["--"+name] = true
			}
		}
	}
	collect = func(commands []*cli.Command) {
		for _, c := range commands {
			add(c.Flags)
			collect(c.Subcommands)
		}
	}
	for _, program := range []*cli.App{newProgram(&shell.Shell{}), toolserver.Program(&shell.Shell{})} {
		add(program.Flags)
		collect(program.Commands)
	}
	alone := regexp.MustCompile("`(--[a-z][a-z-]*)(?:[ =][^`]*)?`")
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, path := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range alone.FindAllStringSubmatch(string(text), -1) {
			assert.True(t, known[m[1]], "%s names %s, which no command has", path, m[1])
		}
	}
	assert.False(t, known["--colums"], "the test can fail")
}

// inCode finds command lines in the running text of messages, comments and
// documents.
var inCode = regexp.MustCompile("`(erphub(?:-mcp)?(?: [^`]*)?)`")

// commandLines are the command lines of the repository's messages, comments,
// documents and examples, by where they are.
func commandLines(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	add := func(at, line string) { found[at] = append(found[at], line) }
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir():
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			inGo(t, path, add)
		case strings.HasSuffix(path, ".md") && d.Name() != "CHANGELOG.md", strings.HasSuffix(path, ".yml"), strings.HasSuffix(path, ".txt"):
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			inText(path, string(text), add)
		}
		return nil
	}))
	return found
}

// inText finds lines that begin with a command, and those in running text.
func inText(path, text string, add func(at, line string)) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		at := fmt.Sprintf("%s:%d", path, n)
		if m := regexp.MustCompile(`^\s*(?:- (?:run: )?)?(?:\w+=\$\()?(erphub(?:-mcp)? .*)`).FindStringSubmatch(line); m != nil {
			add(at, m[1])
			continue
		}
		for _, m := range inCode.FindAllStringSubmatch(line, -1) {
			add(at, m[1])
		}
	}
}

// inGo finds them in strings and comments.
func inGo(t *testing.T, path string, add func(at, line string)) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	require.NoError(t, err)
	look := func(at token.Pos, text string) {
		for _, m := range inCode.FindAllStringSubmatch(strings.ReplaceAll(text, "\n", " "), -1) {
			add(set.Position(at).String(), m[1])
		}
	}
	for _, c := range file.Comments {
		look(c.Pos(), c.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				look(lit.Pos(), text)
			}
		}
		return true
	})
}

// wrongLine says what of a command line does not exist.
func wrongLine(programs map[string]*cli.App, line string) string {
	words := shellWords(line)
	program := programs[words[0]]
	l := shell.ParseLine(program, words[1:])
	if len(l.Unknown) > 0 {
		for _, f := range l.Unknown {
			if f != "--version" && f != "-v" {
				return "there is no flag " + f
			}
		}
	}
	commands := program.Commands
	if len(l.Chain) > 0 {
		commands = l.Chain[len(l.Chain)-1].Subcommands
	}
	// A group takes no arguments of its own; placeholders are in capitals.
	if len(l.Words) > 0 && len(commands) > 0 && regexp.MustCompile(`^[a-z-]+$`).MatchString(l.Words[0]) && (len(l.Chain) == 0 || l.Chain[len(l.Chain)-1].ArgsUsage == "") {
		return "there is no command " + l.Words[0]
	}
	return ""
}

// shellWords splits a command line as a shell does, up to the first redirection,
// pipe or comment.
func shellWords(line string) []string {
	var words []string
	word, quote, started := "", rune(0), false
	flush := func() {
		if started {
			words = append(words, word)
		}
		word, started = "", false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case strings.ContainsRune("|<>&;()#", r) && (r != '#' || !started) && (r != '|' || !started):
			flush()
			return words
		case r == ' ' || r == '\n' || r == '\t':
			flush()
		default:
			word, started = word+string(r), true
		}
	}
	flush()
	return words
}
