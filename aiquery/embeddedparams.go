package aiquery

import (
	"encoding/json"

	"github.com/erphub/erphub/aiquery/guard"
)

// embeddedParams are the parameters as PostgreSQL's text for their types, which
// rendered statements convert.
func embeddedParams(params []json.RawMessage, values []guard.Value, types []string) ([]any, error) {
	args := make([]any, 0, len(types))
	for i, kind := range types {
		if i >= len(params)+len(values) {
			return nil, errFewParams()
		}
		if i >= len(params) {
			args = append(args, values[i-len(params)].Text)
			continue
		}
		text, err := paramText(params[i], pgTypeName(kind))
		switch {
		case err != nil:
			return nil, fail(CodeInvalid, err, "parameter $%d %v", i+1, err)
		case text == nil:
			args = append(args, nil)
		default:
			args = append(args, string(text))
		}
	}
	return args, nil
}
