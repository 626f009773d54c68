package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"
)

// JQ is a jq expression.
type JQ struct{ code *gojq.Code }

// CompileJQ reads an expression.
func CompileJQ(expression string) (*JQ, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("--jq %q: %w", expression, err)
	}
	code, err := gojq.Compile(query) // without the environment: a response must not read variables
	if err != nil {
		return nil, fmt.Errorf("--jq %q: %w", expression, err)
	}
	return &JQ{code}, nil
}

// Write writes what the expression selects of JSON, a value per line, texts as they
// are.
func (q *JQ) Write(ctx context.Context, w io.Writer, raw []byte) error {
	v, err := decode(raw)
	if err != nil {
		return err
	}
	results := q.code.RunWithContext(ctx, v)
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
			return fmt.Errorf("--jq: %w", err)
		}
		line, isText := v.(string)
		if !isText {
			text, err := gojq.Marshal(v)
			if err != nil {
				return fmt.Errorf("--jq: %w", err)
			}
			line = string(text)
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
}

// decode is JSON as a value whose numbers are exact. Nothing is null.
func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the result as JSON: %w", err)
	}
	return v, nil
}
