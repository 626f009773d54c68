// Package complete offers what a command line that is being typed can go on with.
// The scripts for the shells ask the program itself, by a hidden command.
package complete

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/shell"
)

// Candidate is a word to go on with, and what it is for.
type Candidate struct{ Value, About string }

// result is what there is to offer.
type result struct {
	candidates []Candidate
	mode       mode
	nospace    bool // the word may go on
	otherwise  mode // where no candidate fits
}

// mode says what the shell completes.
type mode string

const (
	modeWords   mode = "words"
	modeFiles   mode = "files"
	modeFolders mode = "folders"
)

// request is a command line that is being typed.
type request struct {
	app   *cli.App
	line  *shell.Line // what stands before the word
	word  string      // the word at the cursor, which may be empty
	names names       // of what the ERP has
}

// complete is what the word at the cursor can become.
func (r *request) complete() result {
	if r.line.Awaits != nil {
		return r.offer(r.valuesOf(r.line.Awaits), r.word, "")
	}
	if strings.HasPrefix(r.word, "-") && !r.line.Only {
		name, value, given := strings.Cut(r.word, "=")
		if !given {
			return r.offer(func(r *request) result { return result{candidates: r.flags()} }, r.word, "")
		}
		flag := r.line.Flag(r.app, strings.TrimLeft(name, "-"))
		if flag == nil {
			return result{mode: modeWords}
		}
		return r.offer(r.valuesOf(flag), value, name+"=")
	}
	return r.offer((*request).arguments, r.word, "")
}

// offer is what of a kind of words begins with what was typed, without regard to
// case. Each gets the head, which is typed already.
func (r *request) offer(of kind, typed, head string) result {
	if of == nil {
		return result{mode: modeWords}
	}
	word := r.word
	r.word = typed
	found := of(r)
	r.word = word
	found.mode = cmp.Or(found.mode, modeWords)
	if found.mode != modeWords && head != "" { // shells complete whole words
		found = result{mode: modeWords}
	}
	var matching []Candidate
	for _, c := range found.candidates {
		if len(c.Value) >= len(typed) && strings.EqualFold(c.Value[:len(typed)], typed) {
			matching = append(matching, Candidate{head + c.Value, c.About})
		}
	}
	if len(matching) == 0 && found.otherwise != "" && head == "" {
		found.mode = found.otherwise
	}
	found.candidates = matching
	return found
}

// command is the command that is typed, nil before there is one.
func (r *request) command() *cli.Command {
	if len(r.line.Chain) == 0 {
		return nil
	}
	return r.line.Chain[len(r.line.Chain)-1]
}

// path is the command as it is called, by the names that help shows.
func (r *request) path() string {
	var words []string
	for _, c := range r.line.Chain {
		words = append(words, c.Name)
	}
	path := strings.Join(words, " ")
	if same, ok := strings.CutPrefix(path, "dict add "); ok {
		return "add " + same
	}
	return path
}

// flags are those of the command and the global ones, without those that are
// given already and can be given once only.
func (r *request) flags() []Candidate {
	var all []cli.Flag
	if c := r.command(); c != nil {
		all = slices.Clone(c.Flags)
	}
	var found []Candidate
	for _, f := range append(all, r.app.Flags...) {
		if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
			continue
		}
		if !repeatable(f) && r.line.Given(f) {
			continue
		}
		about := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			about = short(strings.ReplaceAll(d.GetUsage(), "`", ""))
		}
		for _, name := range f.Names() {
			if len(name) > 1 {
				found = append(found, Candidate{"--" + name, about})
			} else if len(r.word) == 2 && r.word == "-"+name {
				found = append(found, Candidate{"-" + name, about})
			}
		}
	}
	return found
}

// repeatable reports whether a flag can be given several times.
func repeatable(f cli.Flag) bool {
	if s, ok := f.(cli.DocGenerationSliceFlag); ok && s.IsSliceFlag() {
		return true
	}
	g, ok := f.(*cli.GenericFlag)
	if !ok {
		return false
	}
	_, texts := g.Value.(*shell.Texts)
	return texts
}

// arguments are subcommands, or what the command is about.
func (r *request) arguments() result {
	commands := r.app.Commands
	if c := r.command(); c != nil {
		commands = c.Subcommands
	}
	if len(r.line.Words) == 0 && len(commands) > 0 && !r.line.Only {
		return result{candidates: commandWords(commands)}
	}
	kinds := arguments[r.path()]
	if len(kinds) == 0 {
		return result{}
	}
	of := kinds[min(len(r.line.Words), len(kinds)-1)]
	if of == nil {
		return result{}
	}
	return of(r)
}

// commandWords are the commands that are not hidden.
func commandWords(commands []*cli.Command) []Candidate {
	var found []Candidate
	for _, c := range commands {
		if !c.Hidden {
			found = append(found, Candidate{c.Name, short(c.Usage)})
		}
	}
	return found
}

// helpWords go on with a command or a topic behind help.
func helpWords(r *request) result {
	chain, rest := help.Find(r.app, r.line.Words)
	if len(rest) > 0 {
		return result{}
	}
	if len(chain) > 0 {
		return result{candidates: commandWords(chain[len(chain)-1].Subcommands)}
	}
	found := commandWords(r.app.Commands)
	for _, t := range help.Topics() {
		found = append(found, Candidate{t.Name, t.Text})
	}
	return result{candidates: found}
}

// short is a description in a list.
func short(s string) string {
	const longest = 60
	return shell.Short(s, longest)
}
