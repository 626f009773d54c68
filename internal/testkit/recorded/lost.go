package recorded

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
)

// Lost tells what of a response is not in what a client decoded from it: members and
// entries that are missing, values that changed, and members with a value that the
// response did not have. Numbers are compared by value, however they are written. A
// member that is null, false, 0 or empty may be missing on either side. Both are JSON.
func Lost(response, decoded []byte) ([]string, error) {
	want, err := decode(response)
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	got, err := decode(decoded)
	if err != nil {
		return nil, fmt.Errorf("read what was decoded: %w", err)
	}
	return lost(nil, "$", want, got), nil
}

func lost(found []string, path string, want, got any) []string {
	if isEmpty(want) && isEmpty(got) {
		return found
	}
	unequal := append(found, fmt.Sprintf("%s: the response has %s, decoded is %s", path, shortValue(want), shortValue(got)))
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return unequal
		}
		names := maps.Clone(want)
		maps.Copy(names, got)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			found = lost(found, path+"."+name, want[name], got[name])
		}
		return found
	case []any:
		got, ok := got.([]any)
		if !ok || len(want) != len(got) {
			return unequal
		}
		for i := range want {
			found = lost(found, fmt.Sprintf("%s[%d]", path, i), want[i], got[i])
		}
		return found
	case json.Number:
		got, ok := got.(json.Number)
		if ok && sameValue(want, got) {
			return found
		}
		return unequal
	}
	if !reflect.DeepEqual(want, got) {
		return unequal
	}
	return found
}

// isEmpty reports whether a value may be left out.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		return sameValue(v, "0")
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func sameValue(a, b json.Number) bool {
	x, ok1 := new(big.Rat).SetString(a.String())
	y, ok2 := new(big.Rat).SetString(b.String())
	return a == b || ok1 && ok2 && x.Cmp(y) == 0
}
