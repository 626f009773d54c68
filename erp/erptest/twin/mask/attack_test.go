package mask

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The attempts to get from masked values back to their sources, with what came
// of them. The headings are those of the package comment.

// TestAttackDictionary: who has the program and a list that the source is in,
// but not the key, masks the list with keys of their own and compares. Outcome:
// nothing is found.
func TestAttackDictionary(t *testing.T) {
	t.Parallel()
	secret := NewKey()
	victim := newTools(secret)
	r := rand.New(rand.NewPCG(11, 1))
	var names []string
	masked := map[string]bool{}
	for range 300 {
		name := randomName(r, 2)
		names = append(names, name)
		masked[victim.party(name, 60)] = true
	}
	guesses := []Key{FixedKey(""), FixedKey("erphub"), FixedKey(secret.Fingerprint()), {&[32]byte{}}, NewKey()}
	for range 10 {
		guesses = append(guesses, NewKey())
	}
	for _, guess := range guesses {
		tools := newTools(guess)
		for _, name := range names {
			assert.False(t, masked[tools.party(name, 60)], "a guessed key found %s", name)
		}
	}
	hits := 0
	for _, name := range names {
		if masked[victim.party(name, 60)] {
			hits++
		}
	}
	assert.Len(t, names, hits, "with the key every name is found: it is what protects them")
}

// TestAttackFrequency: who knows how often each source value occurs looks for
// values that occur as often. Outcome: it works for what stands out. Repeated
// values stay repeated, or a copy would be none.
func TestAttackFrequency(t *testing.T) {
	t.Parallel()
	tools := testTools()
	counts := map[string]int{}
	for name, n := range map[string]int{"Berlin": 500, "Hamburg": 180, "Jena": 3} {
		for range n {
			counts[tools.city(name, 60)]++
		}
	}
	assert.ElementsMatch(t, []int{500, 180, 3}, slices.Collect(func(yield func(int) bool) {
		for _, n := range counts {
			if !yield(n) {
				return
			}
		}
	}), "what is visible: how often values occur")
	first := map[string]int{}
	for i := range 200 {
		first[strings.Fields(tools.party("Michael "+title(strings.Repeat(string(rune('a'+i%26)), 3+i/26)), 60))[0]]++
	}
	assert.Greater(t, len(first), 50, "what is not: how often first names occur, because names are masked as a whole")
}

// TestAttackLength: who sees the lengths of masked values looks for sources of
// that length. Outcome: names and addresses have nothing in common with the
// length of their source; codes have its length, texts nearly.
func TestAttackLength(t *testing.T) {
	t.Parallel()
	tools := testTools()
	r := rand.New(rand.NewPCG(5, 5))
	correlation := func(class Class, generate func() string) float64 {
		var x, y []float64
		for range 1500 {
			v := generate()
			x, y = append(x, float64(len(v))), append(y, float64(len(tools.value(class, v, 200))))
		}
		return pearson(x, y)
	}
	two := func() string { return title(randomWord(r)) + " " + title(randomWord(r)+randomWord(r)[:r.IntN(4)]) }
	assert.InDelta(t, 0, correlation(Person, two), 0.1)
	assert.InDelta(t, 0, correlation(City, func() string { return title(randomWord(r)) }), 0.1)
	assert.InDelta(t, 0, correlation(Label, two), 0.1)
	assert.InDelta(t, 1, correlation(Code, func() string { return fmt.Sprint(r.IntN(1e8)) }), 0.001, "visible")
	assert.Greater(t, correlation(Text, func() string { return randomText(r, 1+r.IntN(40)) }), 0.9, "visible, roughly")
}

func pearson(x, y []float64) float64 {
	mean := func(v []float64) float64 {
		sum := 0.0
		for _, f := range v {
			sum += f
		}
		return sum / float64(len(v))
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

// TestAttackNeighbours: who knows what some codes became predicts the next ones
// from those beside them, digit by digit. Outcome: no better than chance.
func TestAttackNeighbours(t *testing.T) {
	t.Parallel()
	tools := testTools()
	const n = 4000
	right, sameDistance := 0, map[int]int{}
	before := tools.code("200000")
	for i := 1; i < n; i++ {
		out := tools.code(fmt.Sprintf("%06d", 200000+i))
		for at := range out {
			if out[at] == before[at] {
				right++
			}
		}
		var a, b int
		_, err := fmt.Sscan(strings.TrimLeft(before, "0")+" "+strings.TrimLeft(out, "0"), &a, &b)
		require.NoError(t, err)
		sameDistance[b-a]++
		before = out
	}
	assert.InDelta(t, 0.1, float64(right)/(6*n), 0.012, "one digit in ten")
	for distance, times := range sameDistance {
		assert.LessOrEqual(t, times, 4, "the distance %d", distance)
	}
}

// TestAttackKnownPairs: who knows what some names became reads off the parts of
// others. Outcome: names with a common part have none afterwards.
func TestAttackKnownPairs(t *testing.T) {
	t.Parallel()
	tools := testTools()
	known := strings.Fields(tools.party("Jane Roe", 60))
	family := map[string]bool{}
	for _, first := range []string{"John", "Mary", "Ann", "Peter", "Paul", "Rachel", "Susan", "Tom"} {
		words := strings.Fields(tools.party(first+" Roe", 60))
		assert.NotEqual(t, known[1], words[1])
		family[words[1]] = true
	}
	assert.Len(t, family, 8)
	a, b := tools.mails("jane.roe@mainfirm.com", 60), tools.mails("john.roe@mainfirm.com", 60)
	_, domainA, _ := strings.Cut(a, "@")
	_, domainB, _ := strings.Cut(b, "@")
	assert.Equal(t, domainA, domainB, "what is visible: addresses of one domain share one")
}

// TestAttackChosenValues: who may write into the source before it is copied
// again with the same key writes guesses and compares. Outcome: it works, for
// one guess a value. Who wants to exclude that uses a new key each time.
func TestAttackChosenValues(t *testing.T) {
	t.Parallel()
	key := NewKey()
	masked := newTools(key).party("Jane Roe", 60)
	assert.Equal(t, masked, newTools(key).party("Jane Roe", 60), "with the same key")
	assert.NotEqual(t, masked, newTools(NewKey()).party("Jane Roe", 60), "with a new one")
}

// TestAttackCheckDigits: who sees an account number computes what the check
// digits exclude. Outcome: they are computed anew, and say nothing of the source.
func TestAttackCheckDigits(t *testing.T) {
	t.Parallel()
	tools := testTools()
	r := rand.New(rand.NewPCG(9, 9))
	same := 0
	const n = 2000
	for range n {
		v := strings.ReplaceAll(randomIBAN(r), " ", "")
		if tools.iban(v)[2:4] == v[2:4] {
			same++
		}
	}
	assert.InDelta(t, n/97.0, same, 25)
}

// TestAttackSmallSpaces: who knows that a value is one of few tries them all.
// Outcome: no key is needed to see that two records have the same value, and one
// digit has ten images; which one is which is not told by the space itself.
func TestAttackSmallSpaces(t *testing.T) {
	t.Parallel()
	images := map[string]bool{}
	for i := range 60 {
		images[newTools(FixedKey(fmt.Sprint(i))).code("7")] = true
	}
	assert.Len(t, images, 9, "any digit but 7: that a value is not its own image is visible")
	assert.NotContains(t, images, "7")
}
