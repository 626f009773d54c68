package values_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
)

// noDictionary has no tables and no lists, so lists take every code.
type noDictionary struct{}

func (noDictionary) Table(context.Context, string, ...registry.Detail) (registry.Table, error) {
	return registry.Table{}, &registry.NotFoundError{Kind: "table", Empty: true}
}

func (noDictionary) Reference(context.Context, string, ...registry.Detail) (registry.Reference, error) {
	return registry.Reference{}, &registry.NotFoundError{Kind: "reference", Empty: true}
}

func reader(t testing.TB, opts values.Options) *values.Reader {
	t.Helper()
	r, err := values.New(nil, noDictionary{}, opts)
	require.NoError(t, err)
	return r
}

// What a secret column is given stands in no error, whatever is wrong with it.
func TestSecretsAreNotInErrors(t *testing.T) {
	t.Parallel()
	r := reader(t, values.Options{})
	for name, typ := range map[string]dict.DisplayType{
		"a number": dict.TypeInteger, "an amount": dict.TypeAmount, "a date": dict.TypeDate, "yes or no": dict.TypeYesNo,
		"a time": dict.TypeTime, "JSON": dict.TypeJSON, "a reference": dict.TypeUUID,
	} {
		target := values.Target{Name: "XX_Pin_UU", Type: typ, Secret: true}
		for _, cell := range []values.Cell{{Text: "hunter2"}, {Text: "hunter2\x00"}, {Kind: values.Fault, Text: "hunter2"}} {
			_, err := r.Read(t.Context(), target, cell)
			var wrong *values.Error
			require.ErrorAs(t, err, &wrong, name)
			assert.NotContains(t, err.Error(), "hunter", name)
			assert.Contains(t, err.Error(), "XX_Pin_UU", name)
		}
	}
}

// An error names the option only where whoever reads it has one.
func TestAdvice(t *testing.T) {
	t.Parallel()
	amount := values.Target{Name: "Amt", Type: dict.TypeAmount}
	_, err := reader(t, values.Options{}).Read(t.Context(), amount, values.Cell{Text: "1,5"})
	require.EqualError(t, err, `"1,5" is not a number; write it with a point before the decimals`)
	_, err = reader(t, values.Options{Advice: values.Advice{DecimalComma: "give --decimal-comma"}}).Read(t.Context(), amount, values.Cell{Text: "1,5"})
	require.EqualError(t, err, `"1,5" is not a number; write it with a point before the decimals, or give --decimal-comma`)
}

// Every text is read without a panic, refused in words or read; and what was read
// reads as itself.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "yes", "007", "-1.50", "1e9", "2026-02-29", "2026-03-09T14:05:06+01:00", "14:05", "{\"id\":5}", "[1]", "118", "\xff", "á\x00"} {
		f.Add(text, 10, 0)
	}
	f.Fuzz(func(t *testing.T, text string, typ, kind int) {
		target := values.Target{Name: "X", Type: dict.DisplayType(typ), Length: 40, Min: "-1000000", Max: "1000000"}
		cell := values.Cell{Kind: values.Kind(kind & 1), Text: text}
		if json.Valid([]byte(text)) && kind&2 != 0 {
			cell = values.CellOf(json.RawMessage(text))
		}
		r := reader(t, values.Options{})
		v, err := r.Read(t.Context(), target, cell)
		var wrong *values.Error
		if err != nil {
			require.True(t, errors.As(err, &wrong), "%v", err)
			return
		}
		if v.Empty || v.Plain == "" {
			return
		}
		again, err := r.Read(t.Context(), target, values.Cell{Text: v.Plain})
		require.NoError(t, err, "%q was read as %q", text, v.Plain)
		assert.Equal(t, v.Plain, again.Plain)
	})
}
