package values

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// Parameters reads the values of parameters of a process, by name; the end of a range has
// the name with _to. Nothing stays nothing, and names of other parameters are passed over:
// [erp.Process.CheckParams] refuses them. The problems are all that is wrong with the
// values; any other error is that of the dictionary or the ERP.
func (r *Reader) Parameters(ctx context.Context, parameters []registry.Parameter, given map[string]any) (read map[string]*Value, problems []error, err error) {
	read = map[string]*Value{}
	var names []string
	var all []*Value
	report := func(name string, err error) { problems = append(problems, fmt.Errorf("%s: %w", name, err)) }
	for i := range parameters {
		p := &parameters[i]
		for _, name := range []string{p.Column, p.Column + "_to"} {
			if given[name] == nil || name != p.Column && !p.Range {
				continue
			}
			if _, isFile := given[name].(map[string]any); isFile && p.Type == dict.TypeFileName { // its name and its content
				read[name] = &Value{Send: given[name]}
				continue
			}
			raw, err := json.Marshal(given[name])
			if err != nil {
				return nil, nil, err
			}
			v, err := r.Read(ctx, ofParameter(p), CellOf(raw))
			var about *Error
			switch {
			case errors.As(err, &about):
				report(name, err)
				continue
			case err != nil:
				return nil, nil, err
			}
			read[name], names, all = &v, append(names, name), append(all, &v)
		}
	}
	err = r.Lookup(ctx, all, func(v *Value, err error) { report(names[slices.Index(all, v)], err) })
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return read, problems, err
}
