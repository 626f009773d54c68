package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	o := NewObject("b", "x", "a", int64(-5), "n", nil)
	o.Set("b", "C&W <b> \"q\" \\ \n Grün \u2028")
	o.Set("yes", true)
	o.Set("amount", Decimal("12.50"))
	o.Set("odd", Decimal(".5"))
	o.Set("raw", json.RawMessage(`{"k":1}`))
	o.Set("list", []any{NewObject(), 1, "t"})
	o.Set("none", []*Object{})
	o.Set("gone", 1)
	o.Delete("gone")
	got, err := Encode(o)
	require.NoError(t, err)
	assert.Equal(t, `{"b":"C&W <b> \"q\" \\ \n Grün \u2028","a":-5,"n":null,"yes":true,"amount":12.50,"odd":".5","raw":{"k":1},"list":[{},1,"t"],"none":[]}`, string(got))
}

// Strings are written by a short cut where they need no escapes; it must not
// differ from the long way.
func FuzzStrings(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b", "\\", "\x00", "ü", "\xff", "\x7f", "~ ", "Gr\u00fcn", "a\u2028b", "a\u2029b", "\u00e2\u0080\xa8", "Gr\xfcn"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Encode(s)
		require.NoError(t, err)
		long, err := appendOther(nil, s)
		require.NoError(t, err)
		assert.Equal(t, string(long), string(got))
	})
}

// Numbers are written by a short cut where their digits are plain.
func FuzzDecimals(f *testing.F) {
	for _, s := range []string{"", "-", "0", "-0.50", "12.50", "01", "1.", ".5", "1e5", "1.2.3", "--1", "null", " 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Encode(Decimal(s))
		require.NoError(t, err)
		want := s
		if !json.Valid([]byte(s)) {
			long, err := appendOther(nil, s)
			require.NoError(t, err)
			want = string(long)
		}
		assert.Equal(t, want, string(got))
	})
}
