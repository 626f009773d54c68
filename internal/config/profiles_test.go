package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
)

// A profile gets another name where it stands; nothing else changes.
func TestRenameProfile(t *testing.T) {
	t.Parallel()
	const named = "# ours\nurl: http://a\nprofile: b\nprofiles:\n  # test\n  b: # soon gone\n    url: http://b # old\n    other: 1\n  c: {url: 'http://c'}\n"
	tests := []struct {
		name, before, from, to string
		after                  string // "": refused
		says                   string
		current                string
	}{
		{"the current one", named, "b", "x",
			"# ours\nurl: http://a\nprofile: x\nprofiles:\n  # test\n  x: # soon gone\n    url: http://b # old\n    other: 1\n  c: {url: 'http://c'}\n", "", "x"},
		{"another one", named, "c", "x",
			"# ours\nurl: http://a\nprofile: b\nprofiles:\n  # test\n  b: # soon gone\n    url: http://b # old\n    other: 1\n  x: {url: 'http://c'}\n", "", "b"},
		{"the default one", "# ours\nurl: http://a # top\nother:\n  key: 1\nprofiles:\n  b:\n    token: t\n", "", "x",
			"profiles:\n  b:\n    token: t\n    url: http://a\n  x:\n    # ours\n    url: http://a # top\n    other:\n      key: 1\nprofile: x\n", "", "x"},
		{"the default one, alone", "url: http://a\ntoken: t\n", "", "x", "profiles:\n  x:\n    url: http://a\n    token: t\nprofile: x\n", "", "x"},
		{"the default one, while another is current", "url: http://a\nprofile: b\nprofiles:\n  b: {url: 'http://b'}\n", "", "x",
			"profile: b\nprofiles:\n  b: {url: 'http://b'}\n  x:\n    url: http://a\n", "", "b"},
		{"of nothing", "", "", "x", "profiles:\n  x: {}\nprofile: x\n", "", "x"},
		{"to one there is", named, "b", "c", "", "there is such a profile already", "b"},
		{"to itself", named, "b", "b", "", "there is such a profile already", "b"},
		{"one there is not", named, "z", "x", "", "there is no such profile", "b"},
		{"to a name that is none", named, "b", "a b", "", "cannot be the name of a profile", "b"},
		{"to no name", named, "b", "", "", "cannot be the name of a profile", "b"},
		{"to that of the default one", named, "b", "default", "", "is the profile without a name", "b"},
		{"the default one to no name", named, "", "", "", "cannot be the name of a profile", "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, err := config.Parse([]byte(tt.before))
			require.NoError(t, err)
			err = doc.RenameProfile(tt.from, tt.to)
			if tt.says != "" {
				require.ErrorContains(t, err, tt.says)
				return
			}
			require.NoError(t, err)
			got, err := doc.Bytes()
			require.NoError(t, err)
			assert.Equal(t, tt.after, string(got))
			again, err := config.Parse(got)
			require.NoError(t, err)
			assert.Equal(t, tt.current, again.Current())
		})
	}
}

// The default profile can be asked for by a word, unless a profile is called so.
func TestChooseDefault(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"profile: b\nprofiles: {b: {}}\n":                "",
		"profile: b\nprofiles: {b: {}, default: {}}\n":   "default",
		"profile: default\nprofiles: {b: {url: http}}\n": "",
	} {
		doc, err := config.Parse([]byte(before))
		require.NoError(t, err)
		got, err := doc.Choose(config.DefaultProfile)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		require.NoError(t, doc.Use(config.DefaultProfile))
		assert.Equal(t, want, doc.Current(), before)
	}
}
