package tokens_test

import (
	"encoding/json"
	"strings"
)

// expOf returns the raw exp member by a way of its own, "" when absent.
func expOf(claims []byte) string {
	dec := json.NewDecoder(strings.NewReader(string(claims)))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return ""
	}
	exp := ""
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return ""
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return ""
		}
		if name == "exp" {
			exp = string(v)
		}
	}
	return exp
}
