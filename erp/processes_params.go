package erp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// ProcessParamsError says what is wrong with the parameters of a process. It
// matches ErrInvalid: nothing was sent.
type ProcessParamsError struct {
	Process string // the slug
	// Unknown is the parameter that the process does not have, "" when the error
	// is about another thing; Missing are mandatory ones without a default.
	Unknown string
	Missing []string
	text    string
}

func (e *ProcessParamsError) Error() string { return e.text }

// Is reports whether target is ErrInvalid.
func (e *ProcessParamsError) Is(target error) bool { return target == ErrInvalid }

// CheckParams compares values for ProcessParams.Values with the parameters of the
// process, which must come from FindProcess or Process. The server ignores names
// it does not know and runs without mandatory parameters; CheckParams refuses both
// with a *ProcessParamsError. Names in another case are replaced in values by those of
// the dictionary.
func (p *Process) CheckParams(values map[string]any) error {
	names := map[string]string{}
	var known []string
	for _, par := range p.Parameters {
		known = append(known, par.Parameter)
		if par.IsRange {
			known = append(known, par.Parameter+"_to")
		}
	}
	for _, name := range known {
		names[strings.ToLower(name)] = name
	}
	for _, given := range slices.Sorted(maps.Keys(values)) {
		name, ok := names[strings.ToLower(given)]
		if !ok {
			text := "it has none"
			if meant := nearest.Name(given, known); meant != "" {
				text = fmt.Sprintf("did you mean %q?", meant)
			} else if len(known) > 0 {
				text = "it has " + strings.Join(known, ", ")
			}
			return &ProcessParamsError{Process: p.Slug, Unknown: given, text: fmt.Sprintf("process %s has no parameter %q; %s", p.Slug, given, text)}
		}
		if name == given {
			continue
		}
		if _, twice := values[name]; twice {
			return &ProcessParamsError{Process: p.Slug, text: fmt.Sprintf("the parameter %s is given twice", name)}
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
	return &ProcessParamsError{Process: p.Slug, Missing: missing, text: fmt.Sprintf("process %s cannot do without %s", p.Slug, strings.Join(missing, ", "))}
}
