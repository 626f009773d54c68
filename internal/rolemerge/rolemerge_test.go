package rolemerge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/rolemerge"
)

type entry struct {
	about  string
	closed bool
}

func TestRules(t *testing.T) {
	t.Parallel()
	same := func(a, b entry) bool { return a.about == b.about }
	relax := func(old *entry, n entry) { old.closed = old.closed && n.closed }
	first := []entry{{"a", true}, {"b", false}, {"b", true}}
	others := []entry{{"a", false}, {"b", true}, {"c", true}, {"c", false}}
	kept := rolemerge.Rules(first, others, same, nil)
	assert.Equal(t, []entry{{"a", true}, {"b", false}, {"b", true}, {"c", true}, {"c", false}}, kept, "what is there stays; of another role both come")
	relaxed := rolemerge.Rules(first, others, same, relax)
	assert.Equal(t, []entry{{"a", false}, {"b", false}, {"b", true}, {"c", true}, {"c", false}}, relaxed)
	assert.Equal(t, []entry{{"a", true}, {"b", false}, {"b", true}}, first)
}

func TestRelaxes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		last, seq int64
		want      bool
	}{
		"the first": {-1, 10, false}, "another number": {10, 20, false}, "the same": {10, 10, true}, "zero": {0, 0, true},
		"who is stood in for": {10, -1, false}, "one more": {-1, -1, false},
	} {
		assert.Equal(t, tc.want, rolemerge.Relaxes(tc.last, tc.seq), name)
	}
}
