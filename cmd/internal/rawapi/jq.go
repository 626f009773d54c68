package rawapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// filter is a jq expression.
type filter struct{ code *gojq.Code }

// compile reads an expression; an empty one is no filter.
func compile(expression string) (*filter, error) {
	if expression == "" {
		return nil, nil
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, shell.Usagef("--jq %q: %v", expression, err)
	}
	code, err := gojq.Compile(query) // without the environment: a response must not read variables
	if err != nil {
		return nil, shell.Usagef("--jq %q: %v", expression, err)
	}
	return &filter{code}, nil
}

// filtered prints what the expression selects of JSON, a value a line, texts as
// they are.
func (p *printer) filtered(ctx context.Context, text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return errors.New("--jq needs JSON, which the response is not; leave it out to see the response")
	}
	results := p.filter.code.RunWithContext(ctx, v)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return shell.Usagef("--jq: %v", err)
		}
		if s, ok := v.(string); ok {
			if _, err := fmt.Fprintln(p.a.Data(), s); err != nil {
				return err
			}
			continue
		}
		line, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.a.Data(), "%s\n", line); err != nil {
			return err
		}
	}
}
