package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/aiquery/api"
)

// ErrFewParams is a statement with more parameters than values.
func ErrFewParams() *Failure {
	return Fail(api.CodeInvalid, nil, "the statement has more parameters than values were given").Advise("give one value in params for each of $1, $2 …")
}

var errParamShape = errors.New("is neither null, a boolean, a number, a text nor an array of these")

// DecodeParam reads the JSON of a parameter: nil, bool, json.Number, string or
// []any of these.
func DecodeParam(raw json.RawMessage) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("is no JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("is more than one JSON value")
	}
	list, ok := v.([]any)
	if !ok {
		return v, scalar(v)
	}
	for _, item := range list {
		if err := scalar(item); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func scalar(v any) error {
	switch v := v.(type) {
	case nil, bool:
		return nil
	case json.Number:
		if len(v) > 1000 {
			return errors.New("is too long a number")
		}
		return nil
	case string:
		if strings.ContainsRune(v, 0) {
			return errors.New("holds a NUL character, which no text of the database can")
		}
		return nil
	}
	return errParamShape
}

// paramTypes are the types a parameter may be of; arrays of them, too.
var paramTypes = map[string]bool{
	"bool": true, "int2": true, "int4": true, "int8": true, "numeric": true, "float4": true, "float8": true, "text": true,
	"varchar": true, "bpchar": true, "date": true, "time": true, "timetz": true, "timestamp": true, "timestamptz": true,
	"interval": true, "json": true, "jsonb": true, "uuid": true, "bytea": true, "bit": true, "varbit": true,
	"int4range": true, "int8range": true, "numrange": true, "daterange": true, "tsrange": true, "tstzrange": true,
}

// ParamText is the i-th parameter, from 0, as PostgreSQL reads it for a type; nil
// is NULL.
func (s *Statement) ParamText(i int, kind string) ([]byte, error) {
	text, err := paramText(s.Params[i], kind)
	if err != nil {
		return nil, Fail(api.CodeInvalid, err, "parameter $%d %v", i+1, err)
	}
	return text, nil
}

func paramText(raw json.RawMessage, kind string) ([]byte, error) {
	element, array := strings.CutSuffix(kind, "[]")
	if !paramTypes[element] {
		return nil, fmt.Errorf("would be of the type %s, which is not supported; cast it: $1::text", kind)
	}
	v, err := DecodeParam(raw)
	if err != nil || v == nil {
		return nil, err
	}
	list, isList := v.([]any)
	switch {
	case isList && array:
		return arrayText(list)
	case isList && (element == "json" || element == "jsonb"):
		return raw, nil
	case isList:
		return nil, fmt.Errorf("is an array where %s is needed; write = ANY($1)", kind)
	case array:
		if text, ok := v.(string); ok {
			return []byte(text), nil // {1,2}, which the database reads
		}
		return nil, errors.New(`is one value where an array is needed; give an array such as [1, 2], or the text "{1,2}"`)
	case element == "json" || element == "jsonb":
		return raw, nil
	}
	return []byte(scalarText(v)), nil
}

func scalarText(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "true"
		}
		return "false"
	case json.Number:
		return v.String()
	default:
		return fmt.Sprint(v)
	}
}

func arrayText(list []any) ([]byte, error) {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	b.WriteByte('{')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if v == nil {
			b.WriteString("NULL")
			continue
		}
		b.WriteByte('"')
		b.WriteString(escape.Replace(scalarText(v)))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
