package erptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// members is a JSON object whose member names are known beforehand.
type members map[string]json.RawMessage

// readMembers reads the request's body as an object with these member names
// and no others, as the plugin's auth endpoints do: a body that is not such an
// object is 400 with plain text, no body at all the container's 500.
func (c *call) readMembers(names ...string) (members, error) {
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	return parseMembers(body, names...)
}

func parseMembers(body []byte, names ...string) (members, error) {
	body = bytes.Trim(body, " \t\r\n") // what JSON calls white space
	if len(body) == 0 || string(body) == "null" {
		return nil, page(http.StatusInternalServerError)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	} else if t != json.Delim('{') {
		return nil, badRequestText("Cannot deserialize value: expected a JSON object")
	}
	m := members{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		name, _ := t.(string)
		if !slices.Contains(names, name) {
			return nil, badRequestText(fmt.Sprintf("Unrecognized field %q (known properties: %s)", name, strings.Join(names, ", ")))
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, badJSON(err)
		}
		m[name] = v
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, badRequestText("Unexpected content after the JSON object")
	}
	return m, nil
}

func badRequestText(text string) error { return &textError{status: http.StatusBadRequest, text: text} }

func badJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badRequestText("Unexpected end of the JSON text")
	}
	return badRequestText("Malformed JSON: " + err.Error())
}

// text is a scalar member as text; numbers and booleans are turned into text.
// An absent or null member gives false.
func (m members) text(name string) (string, bool, error) {
	raw, ok := m[name]
	if !ok || string(raw) == "null" {
		return "", false, nil
	}
	switch raw[0] {
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", false, badJSON(err)
		}
		return s, true, nil
	case '{', '[':
		return "", false, badRequestText(fmt.Sprintf("Cannot deserialize value of member %q: expected a string", name))
	default:
		return string(raw), true, nil
	}
}

// integer is an integer member; a string of digits counts as one. An absent or
// null member gives false.
func (m members) integer(name string) (int64, bool, error) {
	s, ok, err := m.text(name)
	if err != nil || !ok {
		return 0, false, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	if err != nil {
		return 0, false, badRequestText(fmt.Sprintf("Cannot deserialize value of member %q: expected an integer", name))
	}
	return n, true, nil
}
