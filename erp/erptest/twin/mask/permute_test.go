package mask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func testTools() *tools { return newTools(FixedKey("tests")) }

// TestPermuteIsExact goes through whole spaces of values: the permutation is
// one-to-one, stays in the space and moves every value.
func TestPermuteIsExact(t *testing.T) {
	t.Parallel()
	digits := func(n int) []string {
		var all []string
		for i := range int(pow(10, n)) {
			all = append(all, fmt.Sprintf("%0*d", n, i))
		}
		return all
	}
	letters := func(first, last rune) []string {
		var all []string
		for r := first; r <= last; r++ {
			all = append(all, string(r))
		}
		return all
	}
	var mixed []string
	for i := range 26 * 26 * 10 {
		mixed = append(mixed, string(rune('A'+i/260))+"-"+string(rune('a'+i/10%26))+"."+string(rune('0'+i%10)))
	}
	for name, space := range map[string][]string{
		"one digit": digits(1), "two digits": digits(2), "three digits": digits(3), "four digits": digits(4),
		"one capital": letters('A', 'Z'), "one letter of Cyrillic": letters('а', 'џ'), "kinds mixed": mixed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := testTools()
			seen := make(map[string]bool, len(space))
			for _, v := range space {
				out, ok := tools.codes.permute(v, within{})
				require.True(t, ok)
				require.NotEqual(t, v, out)
				require.False(t, seen[out], "%s is the result of two values", out)
				require.False(t, survives(v, out), "%s became %s", v, out)
				seen[out] = true
			}
			for _, v := range space {
				require.True(t, seen[v], "nothing became %s", v)
			}
		})
	}
}

func pow(b, n int) float64 {
	p := 1.0
	for range n {
		p *= float64(b)
	}
	return p
}

// TestPermuteWithinASet: check digits divide a space in two, and each part is
// permuted in itself.
func TestPermuteWithinASet(t *testing.T) {
	t.Parallel()
	tools := testTools()
	even := func(v []rune) bool { // the sum of the digits
		sum := 0
		for _, r := range v {
			sum += int(r - '0')
		}
		return sum%2 == 0
	}
	odd := func(v []rune) bool { return !even(v) }
	seen := map[string]bool{}
	for i := range 10000 {
		v := fmt.Sprintf("%04d", i)
		set := odd
		if even([]rune(v)) {
			set = even
		}
		out, ok := tools.codes.permute(v, within{valid: set})
		require.True(t, ok)
		require.True(t, set([]rune(out)), "%s became %s", v, out)
		require.NotEqual(t, v, out)
		require.False(t, seen[out])
		seen[out] = true
	}
}

// TestPermuteSpreads: values in a row have nothing in common afterwards.
func TestPermuteSpreads(t *testing.T) {
	t.Parallel()
	tools := testTools()
	var count [6][10]int
	const n = 20000
	inOrder, before := 0, ""
	for i := range n {
		out := tools.code(fmt.Sprintf("%06d", 100000+i))
		for at, r := range out {
			count[at][r-'0']++
		}
		if out > before {
			inOrder++
		}
		before = out
	}
	for at := range count {
		for digit, c := range count[at] {
			assert.InDelta(t, n/10, c, 250, "digit %d at %d", digit, at) // six deviations
		}
	}
	assert.InDelta(t, n/2, inOrder, 500)
}

func TestPermuteFormats(t *testing.T) {
	t.Parallel()
	tools := testTools()
	for _, v := range []string{"1", "12", "A", "Ab1", "10-2024/77", "Müller KG 5", "ΑΘΗΝΑ 12", "Жуков-1", "東京都12", "서울 1", "שלום", "مكتب 9",
		"カタカナ", "ひらがな", "  x  ", "(c) 2024"} {
		out := tools.code(v)
		assert.NotEqual(t, v, out)
		assert.Len(t, out, len(v), "the same number of bytes: %q %q", v, out)
		a, b := []rune(v), []rune(out)
		require.Len(t, b, len(a))
		for i := range a {
			x, _, known := position(a[i])
			y, _, _ := position(b[i])
			assert.Same(t, x, y, "%q %q", v, out)
			if !known {
				assert.Equal(t, a[i], b[i])
			}
		}
	}
	for _, v := range []string{"", "---", " . "} {
		assert.Equal(t, v, tools.code(v), "nothing to replace")
	}
	for _, v := range []string{"नमस्ते", "a\u0301b\u0301", "bad\xffbytes", "🙂 smile"} {
		out := tools.code(v)
		assert.NotEqual(t, v, out)
		assert.Equal(t, utf8.RuneCountInString(v), len(out), "as many capitals and digits for characters that are in no alphabet")
	}
}

func TestAlphabets(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for i, a := range alphabets() {
		assert.Zero(t, len(a.chars)%2, "alphabet %d", i)
		assert.True(t, slices.IsSorted(a.chars))
		for at, r := range a.chars {
			require.False(t, seen[r], "%q is in two alphabets", r)
			seen[r] = true
			found, n, ok := position(r)
			require.True(t, ok)
			require.Same(t, a, found)
			require.Equal(t, at, int(n))
			require.Equal(t, utf8.RuneLen(a.chars[0]), utf8.RuneLen(r))
		}
	}
	sizes := make([]int, len(alphabets()))
	for i, a := range alphabets() {
		sizes[i] = len(a.chars)
	}
	assert.Equal(t, []int{10, 26, 26, 0, 0, 0, 0, 48, 48, 28, 36, 46, 84, 86, 20902, 11172}, append(append(slices.Clone(sizes[:3]), 0, 0, 0, 0), sizes[7:]...))
}

// randomCode makes values as people write codes.
func randomCode(r *rand.Rand) string {
	const chars = "0123456789ABCDEFGHIJabcdefghij-/. "
	var b strings.Builder
	for range 1 + r.IntN(24) {
		b.WriteByte(chars[r.IntN(len(chars))])
	}
	return b.String()
}
