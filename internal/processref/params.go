package processref

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/recordinput"
)

// ParamsError says what is wrong with the parameters of a process.
type ParamsError struct {
	Process string // the slug
	// Unknown is the parameter the process does not have, "" when the error is
	// about another thing; Missing are those it cannot do without.
	Unknown string
	Missing []string
	text    string
}

func (e *ParamsError) Error() string { return e.text }

// CheckParams refuses parameters the process does not have and names those it
// cannot do without: the server does neither. Names get the spelling of the
// dictionary. The error is a [*ParamsError].
func CheckParams(p *erp.Process, values map[string]any) error {
	names := map[string]string{}
	var known []string
	for _, par := range p.Parameters {
		for _, name := range []string{par.Parameter, par.Parameter + "_to"} {
			if name != par.Parameter && !par.IsRange {
				continue
			}
			names[strings.ToLower(name)] = name
			known = append(known, name)
		}
	}
	for _, given := range recordinput.Names(values) {
		name, ok := names[strings.ToLower(given)]
		if !ok {
			text := "it has none"
			if meant := nearest.Name(given, known); meant != "" {
				text = fmt.Sprintf("did you mean %q?", meant)
			} else if len(known) > 0 {
				text = "it has " + strings.Join(known, ", ")
			}
			return &ParamsError{Process: p.Slug, Unknown: given, text: fmt.Sprintf("process %s has no parameter %q; %s", p.Slug, given, text)}
		}
		if name == given {
			continue
		}
		if _, twice := values[name]; twice {
			return &ParamsError{Process: p.Slug, text: fmt.Sprintf("the parameter %s is given twice", name)}
		}
		values[name] = values[given]
		delete(values, given)
	}
	var missing []string
	for _, par := range p.Parameters {
		if _, ok := values[par.Parameter]; !ok && par.IsMandatory && par.Default == "" {
			missing = append(missing, par.Parameter)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return &ParamsError{Process: p.Slug, Missing: missing, text: fmt.Sprintf("process %s cannot do without %s", p.Slug, strings.Join(missing, ", "))}
}
