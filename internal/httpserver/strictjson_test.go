package httpserver_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/httpserver"
)

func TestUnambiguous(t *testing.T) {
	t.Parallel()
	lists := func(n int) string { return strings.Repeat("[", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) }
	for name, tt := range map[string]struct{ text, says string }{
		"plain":                 {`{"a":1,"b":[{"a":2},{"a":3}]}`, ""},
		"twice":                 {`{"a":1,"a":2}`, "twice"},
		"twice in another case": {`{"Name":1,"name":2}`, "twice"},
		"twice deep down":       {`[{"x":[{"a":1,"a":2}]}]`, "twice"},
		"something behind":      {`{} {}`, "behind"},
		"no JSON":               {`{"a":`, ""},
		"as deep as can be":     {lists(10_000) + strings.Repeat("]", 10_000), ""},
		"lists too deep":        {lists(1_000_000), "nested deeper than 10000"},
		"objects too deep":      {objects(100_000), "nested deeper than 10000"},
	} {
		err := httpserver.Unambiguous([]byte(tt.text))
		if tt.says == "" {
			assert.NoError(t, err, name)
			continue
		}
		assert.ErrorContains(t, err, tt.says, name)
	}
}

// What a deep body takes is bounded, however long it is. Not parallel: it looks at what
// the process has allocated.
func TestDeepBodiesTakeLittle(t *testing.T) {
	took := func(depth int) uint64 {
		text := []byte(strings.Repeat("[", depth))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = httpserver.Unambiguous(text)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, took(4_000_000), 2*took(20_000))
}
