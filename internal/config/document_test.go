package config_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
)

const sample = `# my ERP
url: https://erp.example.com # production
token: aaa.bbb.ccc
# who I am
auth:
  username: GardenAdmin
  default-client-id: 11
colour: green # unknown to the program
hub.artifacts.default-ttl-minutes: 30
list: [1, 2]

profile: staging
profiles:
  # the test system
  staging:
    url: https://staging.example.com
    token.clientId: 0
  "42":
    url: http://localhost:8080
`

func parse(t testing.TB, text string) *config.Document {
	t.Helper()
	d, err := config.Parse([]byte(text))
	require.NoError(t, err)
	return d
}

func text(t testing.TB, d *config.Document) string {
	t.Helper()
	b, err := d.Bytes()
	require.NoError(t, err)
	return string(b)
}

func TestGet(t *testing.T) {
	t.Parallel()
	d := parse(t, sample)
	tests := []struct{ name, profile, key, want string }{
		{"plain", "", "url", "https://erp.example.com"},
		{"in a section", "", "auth.username", "GardenAdmin"},
		{"number in a section", "", "auth.default-client-id", "11"},
		{"dotted", "", "hub.artifacts.default-ttl-minutes", "30"},
		{"unknown key", "", "colour", "green"},
		{"profile", "staging", "url", "https://staging.example.com"},
		{"zero is a value", "staging", "token.clientId", "0"},
		{"profile with a number for a name", "42", "url", "http://localhost:8080"},
		{"a document does not inherit", "staging", "token", "-"},
		{"absent", "", "auth.password", "-"},
		{"absent profile", "nowhere", "url", "-"},
		{"a list is its values", "", "list", "1,2"},
		{"a section is no value", "", "auth", "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := parse(t, sample).Get(tt.profile, tt.key)
			if !ok {
				got = "-"
			}
			assert.Equal(t, tt.want, got)
		})
	}
	assert.Equal(t, []string{"staging", "42"}, d.Profiles())
	assert.Equal(t, "staging", d.Current())
	assert.Equal(t, map[string]string{
		"url": "https://erp.example.com", "token": "aaa.bbb.ccc", "auth.username": "GardenAdmin",
		"auth.default-client-id": "11", "colour": "green", "hub.artifacts.default-ttl-minutes": "30", "list": "1,2",
	}, maps.Collect(d.All("")))
}

func TestSetKeepsTheRest(t *testing.T) {
	t.Parallel()
	d := parse(t, sample)
	require.NoError(t, d.Set("", "token", "ddd.eee.fff"))
	require.NoError(t, d.Set("", "auth.username", "WebService"))
	require.NoError(t, d.Set("", "token.userId", "101"))
	require.NoError(t, d.Set("staging", "auth.password", "*s: #ecret"))
	require.NoError(t, d.Set("new", "url", "https://new.example.com"))
	require.NoError(t, d.Use("new"))
	assert.True(t, d.Unset("", "hub.artifacts.default-ttl-minutes"))
	assert.False(t, d.Unset("", "hub.email.from"))

	want := `# my ERP
url: https://erp.example.com # production
token: ddd.eee.fff
# who I am
auth:
  username: WebService
  default-client-id: 11
colour: green # unknown to the program
list: [1, 2]
profile: new
profiles:
  # the test system
  staging:
    url: https://staging.example.com
    token.clientId: 0
    auth.password: '*s: #ecret'
  "42":
    url: http://localhost:8080
  new:
    url: https://new.example.com
token.userId: 101
`
	assert.Equal(t, want, text(t, d))
	again := parse(t, text(t, d))
	got, _ := again.Get("staging", "auth.password")
	assert.Equal(t, "*s: #ecret", got)
}

func TestValuesSurvive(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"", "true", "011", "null", "~", "1e3", "*x", "&x", "!x", "- x", "a: b", "#", "'", `"`, "x # y", " lead", "trail ", "ü", "a\nb", "{", "[", "%", "@", "`", "0x1F", "2026-01-01", "<<", "=", strings.Repeat("long ", 200)} {
		d := parse(t, "")
		require.NoError(t, d.Set("p", "auth.username", v))
		require.NoError(t, d.Set("", "auth.default-client-id", v))
		again := parse(t, text(t, d))
		for _, at := range [][2]string{{"p", "auth.username"}, {"", "auth.default-client-id"}} {
			got, ok := again.Get(at[0], at[1])
			require.True(t, ok, "%q", v)
			assert.Equal(t, v, got)
		}
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	d := parse(t, "# only a comment\n")
	name, err := d.Choose("")
	require.NoError(t, err)
	assert.Empty(t, name)
	_, err = d.Choose("prod")
	require.ErrorIs(t, err, config.ErrNoProfile)
	require.ErrorIs(t, d.Use("prod"), config.ErrNoProfile)

	require.NoError(t, d.AddProfile("prod"))
	require.NoError(t, d.Use("prod"))
	name, err = d.Choose("")
	require.NoError(t, err)
	assert.Equal(t, "prod", name)
	assert.Equal(t, "# only a comment\n\nprofiles:\n  prod: {}\nprofile: prod\n", text(t, d))

	require.NoError(t, d.RemoveProfile("prod"))
	assert.Empty(t, d.Current())
	require.ErrorIs(t, d.RemoveProfile("prod"), config.ErrNoProfile)
	for _, bad := range []string{"", "a b", "a\nb", strings.Repeat("x", 101)} {
		require.Error(t, d.AddProfile(bad), "%q", bad)
	}
	for _, bad := range []string{"", "profile", "profiles.prod.url", "a b"} {
		require.Error(t, d.Set("", bad, "x"), "%q", bad)
		assert.False(t, d.Unset("", bad))
	}
	// What the file names but does not have is an error, not the default.
	_, err = parse(t, "profile: gone\nurl: http://x\n").Choose("")
	require.ErrorIs(t, err, config.ErrNoProfile)
}

func TestComments(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "# a\n", "# a\n# b\n"} {
		assert.Equal(t, s, text(t, parse(t, s)))
	}
	d := parse(t, "# about the file\n\n# about url\nurl: http://x\ntoken: t # c\n")
	d.Unset("", "url")
	assert.Contains(t, text(t, d), "# about")
	assert.Contains(t, text(t, d), "token: t # c")
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const canary = "CANARYsecret"
	tests := []struct{ name, text, want string }{
		{"a list", "- " + canary, "line 1: at the top"},
		{"a text", canary, "line 1: at the top"},
		{"two documents", "a: 1\n---\nb: " + canary, "more than one YAML document"},
		{"a key twice", "token: a\n" + canary + ": 1\n" + canary + ": 2", "line 3"},
		{"a key twice, quoted", "token: a\n\"token\": " + canary, "line 2"},
		{"a list for a setting", "token: [" + canary + "]", "line 1: token must be a single value"},
		{"a list in a profile", "profiles: {p: {auth: {password: [" + canary + "]}}}", "auth.password must be a single value"},
		{"profiles is text", "profiles: " + canary, "profiles must be"},
		{"a profile is text", "profiles: {p: " + canary + "}", "a profile must consist of settings"},
		{"profile is a list", "profile: [" + canary + "]", "profile must be one name"},
		{"unquoted asterisk", "auth.password: *" + canary, "not valid YAML"},
		{"unquoted percent", "a: 1\nauth.password: %" + canary, "not valid YAML"},
		{"open quote", "token: \"" + canary, "not valid YAML"},
		{"tab", "a:\n\tb: " + canary, "not valid YAML"},
		{"control character", "token: \x01" + canary, "not valid YAML"},
		{"group alias", "a: &a {x: " + canary + "}\nprofiles: {p: *a}", "line 2: an alias"},
		{"alias of itself", "a: &a {b: *a, c: *a, d: " + canary + "}", "an alias"},
		{"merge", "a: &a {x: 1}\n<<: *a", "an alias"},
		{"too deep", strings.Repeat("{a: ", 60) + "1" + strings.Repeat("}", 60), "nested too deeply"},
		{"too long", "a: " + strings.Repeat("x", 1<<20), "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse([]byte(tt.text))
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), canary)
		})
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	d := parse(t, "auth: {username: a}\nname: &n x\nother: *n\n")
	require.ErrorContains(t, d.Set("", "auth", "x"), "further settings")
	require.ErrorContains(t, d.Set("", "name", "y"), "anchor")
	// An alias is replaced, what it stood for is not.
	require.NoError(t, d.Set("", "other", "z"))
	got, _ := d.Get("", "name")
	assert.Equal(t, "x", got)
	got, _ = d.Get("", "other")
	assert.Equal(t, "z", got)
}

// FuzzParse: no panic, and what was read can be changed, written and read
// again without losing a value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", sample, "a: &a b\nc: *a\n", "profiles:\n  p:\n", "{token: x, profiles: {p: {url: y}}}", "? a\n: b\n", "token: !!binary aGk=\n", "a: |\n  x\n", "[]", "---\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := config.Parse(data)
		if err != nil {
			if len(err.Error()) > 300 {
				t.Fatalf("error of %d bytes", len(err.Error()))
			}
			return
		}
		before := maps.Collect(d.All(""))
		if d.Set("", "token", "new-token") != nil || d.Set("fuzzed", "refreshToken", "r") != nil {
			return // the key is a group or an anchor here
		}
		out, err := d.Bytes()
		if err != nil {
			return
		}
		again, err := config.Parse(out)
		if err != nil {
			// Write refuses in this case, so nothing would be lost.
			return
		}
		if got, _ := again.Get("", "token"); got != "new-token" {
			t.Fatalf("token is %q after writing %q", got, out)
		}
		if got, _ := again.Get("fuzzed", "refreshToken"); got != "r" {
			t.Fatalf("refreshToken is %q after writing %q", got, out)
		}
		after := maps.Collect(again.All(""))
		for k, v := range before {
			if k != "token" && after[k] != v {
				t.Fatalf("%q changed from %q to %q in %q", k, v, after[k], out)
			}
		}
	})
}

// A file without a number was written by hand, in the present form; one of another
// number is refused.
func TestVersion(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, err string }{
		{"none", "colour: green\n", "colour: green\n", ""},
		{"the present one", "url: http://a\nversion: 1\ntoken.url: http://b\n", "url: http://a\nversion: 1\ntoken.url: http://b\n", ""},
		{"newer", "version: 2\ntoken: CANARY\n", "", "another version of erphub wrote it: it has form 2, and this erphub reads form 1 alone: use the erphub that wrote it"},
		{"older", "version: 0\n", "", "another version of erphub"},
		{"much newer", "version: 999999999\n", "", "another version of erphub"},
		{"no number", "url: http://a\nversion: CANARY\n", "", "line 2: version must be a whole number"},
		{"a group", "version: {a: 1}\n", "", "must be a whole number"},
		{"negative", "version: -1\n", "", "must be a whole number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := config.Parse([]byte(tt.in))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				assert.NotContains(t, err.Error(), "CANARY")
				assert.Equal(t, strings.Contains(tt.err, "another version"), errors.Is(err, config.ErrVersion))
				return
			}
			require.NoError(t, err)
			assert.YAMLEq(t, tt.want, text(t, d))
			assert.NotContains(t, maps.Collect(d.All("")), "version")
		})
	}
	require.Error(t, parse(t, "").Set("", "version", "7"))
}

func TestSetAddress(t *testing.T) {
	t.Parallel()
	d := parse(t, "url: http://top\nprofiles: {own: {url: http://own}}\n")
	for _, profile := range []string{"", "own", "same", "other"} {
		url := "http://other"
		if profile == "same" {
			url = "http://top"
		}
		require.NoError(t, d.SetAddress(profile, url))
	}
	for profile, want := range map[string]string{"": "http://top", "own": "http://own", "same": "", "other": "http://other"} {
		got, _ := d.Get(profile, "url")
		assert.Equal(t, want, got, profile)
	}
}
