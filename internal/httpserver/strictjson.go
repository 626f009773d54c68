package httpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// maxDepth is how deep encoding/json decodes. Looking deeper takes hundreds of bytes for
// each of the caller's.
const maxDepth = 10_000

// Unambiguous refuses JSON that two programs may read differently: an object with
// the same name twice, in whatever case, and something behind the value; and what is
// nested deeper than 10,000. What is no JSON at all is left to the decoder.
func Unambiguous(value []byte) error {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	type level struct {
		names map[string]bool // of an object; nil: an array
		value bool            // what comes is the value of a name
	}
	var open []level
	for {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		var top *level
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		name, isText := token.(string)
		switch {
		case token == json.Delim('{'), token == json.Delim('['):
			l := level{}
			if token == json.Delim('{') {
				l.names = map[string]bool{}
			}
			if top != nil {
				top.value = false
			}
			if open = append(open, l); len(open) > maxDepth {
				return fmt.Errorf("the body is nested deeper than %d", maxDepth)
			}
			continue
		case token == json.Delim('}'), token == json.Delim(']'):
			open = open[:len(open)-1]
		case top != nil && top.names != nil && !top.value && isText:
			folded := strings.ToLower(strings.ToUpper(name)) // as encoding/json compares
			if top.names[folded] {
				return fmt.Errorf("an object of the body has the member %s twice", Clip(name))
			}
			top.names[folded], top.value = true, true
			continue
		case top != nil:
			top.value = false
		}
		if len(open) == 0 {
			if _, err := dec.Token(); !errors.Is(err, io.EOF) {
				return errors.New("there is something behind the JSON value of the body")
			}
			return nil
		}
	}
}

// misspelled returns a member of an object that is not spelled as the type has it,
// which encoding/json takes in any case; "" when there is none. The text has been
// decoded into the type.
func misspelled(value []byte, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage](), reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return ""
		}
		for _, item := range items {
			if name := misspelled(item, t.Elem()); name != "" {
				return name
			}
		}
	case t.Kind() == reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil {
			return ""
		}
		known := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			name = cmp.Or(name, f.Name)
			known[name] = f.Type
		}
		for name, member := range members {
			inner, ok := known[name]
			if !ok {
				return name
			}
			if name := misspelled(member, inner); name != "" {
				return name
			}
		}
	}
	return ""
}
