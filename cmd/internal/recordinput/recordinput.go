// Package recordinput reads the values of a record, or of the parameters of a
// process, as people write them on a command line.
package recordinput

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// maxData bounds what is read from a file or stream.
const maxData = 64 << 20

// Pairs reads arguments of the form name=value, name:=JSON and name@=FILE.
//
// name=value is sent as text, which the ERP converts by the type of the column:
// digits to a number, a record's id or a list's code, true and Y to yes, an ISO
// date to a date. Nothing is guessed from the look of the value, so a search
// key of 007 stays one. name= clears the column: null, or [erp.NoRef] for
// columns named like a reference. name:=JSON is sent as it is: a [json.RawMessage].
// name@=FILE is the text of a file, or of in for -, without the line break at its end.
func Pairs(args []string, in io.Reader) (map[string]any, error) {
	values := make(map[string]any, len(args))
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("%s is not of the form NAME=VALUE, NAME:=JSON or NAME@=FILE", text.Quote(arg))
		}
		name, isFile := strings.CutSuffix(name, "@")
		name, isJSON := strings.CutSuffix(name, ":")
		if name == "" {
			return nil, fmt.Errorf("%s names no column before the =", text.Quote(arg))
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("%s is given twice", text.Shorten(name, 60))
		}
		if isFile {
			content, err := content(value, in)
			if err == nil && !utf8.Valid(content) {
				err = errors.New("it is not text in UTF-8")
			}
			if err != nil {
				return nil, fmt.Errorf("reading the value of %s: %w", text.Shorten(name, 60), err)
			}
			value = strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
		}
		switch {
		case isJSON:
			if _, err := one([]byte(value)); err != nil {
				return nil, fmt.Errorf("the value of %s: %w; write %s=TEXT for text", text.Shorten(name, 60), err, text.Shorten(name, 60))
			}
			values[name] = json.RawMessage(strings.TrimSpace(value))
		case value == "" && isReference(name):
			values[name] = erp.NoRef
		case value == "":
			values[name] = nil
		default:
			values[name] = value
		}
	}
	return values, nil
}

// isReference goes by the dictionary's custom of naming foreign keys, which the
// ERP refuses to clear with null.
func isReference(name string) bool {
	return strings.HasSuffix(name, "_ID") || strings.HasSuffix(name, "_Acct")
}

// content is what a file has, or in for -, which it ends: it can be given once.
func content(path string, in io.Reader) ([]byte, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxData+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxData:
		return nil, fmt.Errorf("there are more than %d MiB", maxData>>20)
	}
	return text, nil
}

// Data reads an object given as JSON text, as @FILE, or as - for in.
func Data(given string, in io.Reader) (map[string]any, error) {
	text, from := []byte(given), "the data"
	if path, isFile := strings.CutPrefix(given, "@"); isFile || given == "-" {
		var err error
		if text, err = content(path, in); err != nil {
			return nil, fmt.Errorf("reading the data: %w", err)
		}
		if isFile {
			from = path
		}
	}
	v, err := one(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf(`%s must be one JSON object such as {"Name":"Joe"}`, from)
	}
	return object, nil
}

// Values are the data and the pairs as [Given] reads them, of which there is one at least.
func Values(data string, pairs []string, in io.Reader) (map[string]any, error) {
	values, err := Given(data, pairs, in)
	if err == nil && len(values) == 0 {
		err = errors.New("no values given; write them as NAME=VALUE, or NAME@=FILE, or give --data JSON, @FILE or -")
	}
	return values, err
}

// Given are the data, if any were given, with the pairs on top.
func Given(data string, pairs []string, in io.Reader) (map[string]any, error) {
	values, streams := map[string]any{}, 0
	for _, pair := range append([]string{"data@=" + strings.TrimPrefix(data, "@")}, pairs...) {
		if name, from, _ := strings.Cut(pair, "="); strings.HasSuffix(name, "@") && from == "-" {
			streams++
		}
	}
	if streams > 1 {
		return nil, errors.New("standard input can be read once: give - for one value alone")
	}
	if data != "" {
		var err error
		if values, err = Data(data, in); err != nil {
			return nil, err
		}
	}
	more, err := Pairs(pairs, in)
	if err != nil {
		return nil, err
	}
	maps.Copy(values, more)
	return values, nil
}

// one reads exactly one JSON value, numbers kept exact.
func one(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it is empty")
		}
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows after the JSON value")
	}
	return v, nil
}
