package httpapi

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/httpserver/access"
)

// What is kept of responses is bounded, whatever is requested.
func TestKeptIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newJobs(time.Hour, 1, func() time.Time { return now })
	run := func(user int, key string, bytes int) {
		t.Helper()
		j, joined, err := s.join(t.Context(), jobKey{access.UserKey{User: user}, key}, sha256.Sum256([]byte(key)))
		require.NoError(t, err)
		require.False(t, joined, key)
		s.finish(j, outcome{receipt: &generator.Receipt{Mode: generator.ModeArchive, Zip: make([]byte, bytes)}})
	}
	known := func(user int, key string) bool { return s.byKey[jobKey{access.UserKey{User: user}, key}] != nil }
	consistent := func() {
		t.Helper()
		bytes := 0
		for _, j := range s.kept {
			bytes += j.size
		}
		assert.Equal(t, bytes, s.bytes)
		assert.Len(t, s.byKey, len(s.kept))
		assert.LessOrEqual(t, s.bytes, maxKeptBytes)
		assert.LessOrEqual(t, len(s.kept), maxKept)
	}

	run(2, "other", 10)
	for i := range maxKeptPerUser + 10 {
		run(1, fmt.Sprint(i), 10)
	}
	consistent()
	assert.Len(t, s.kept, maxKeptPerUser+1)
	assert.True(t, known(2, "other"), "one user does not push out another")
	assert.False(t, known(1, "9"))
	assert.True(t, known(1, "10"))

	run(3, "large", maxKeptBytes/2)
	run(3, "larger", maxKeptBytes/2)
	consistent()
	assert.False(t, known(3, "large"))
	run(3, "too large", maxKeptBytes)
	consistent()
	assert.False(t, known(3, "too large"))
	assert.True(t, known(3, "larger"))

	for i := range maxKept + 10 {
		run(100+i/500, fmt.Sprint("k", i), 1)
	}
	consistent()
	assert.False(t, known(3, "larger"))

	now = now.Add(time.Hour)
	run(1, "next", 1)
	consistent()
	assert.Len(t, s.kept, 1, "all others have expired")
	assert.Equal(t, map[access.UserKey]int{{User: 1}: 1}, s.perUser)
}

func TestStepsAreBounded(t *testing.T) {
	t.Parallel()
	j := newJob(jobKey{}, [sha256.Size]byte{})
	for i := range 3 * maxSteps {
		j.report(i, 3*maxSteps, "x")
	}
	_, steps, _ := j.since(0)
	assert.Len(t, steps, maxSteps)
}

func TestDisposition(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"com.example.demo.zip":          "attachment; filename=com.example.demo.zip",
		"a b.zip":                       "attachment; filename=a_b.zip; filename*=UTF-8''a%20b.zip",
		"größe.zip":                     "attachment; filename=gr__e.zip; filename*=UTF-8''gr%C3%B6%C3%9Fe.zip",
		"a\"; x=\"b.zip":                "attachment; filename=a___x__b.zip; filename*=UTF-8''a%22%3B%20x%3D%22b.zip",
		"a\r\nSet-Cookie: b=c.zip":      "attachment; filename=a__Set-Cookie__b_c.zip; filename*=UTF-8''a__Set-Cookie%3A%20b%3Dc.zip",
		"../../etc/passwd":              "attachment; filename=.._.._etc_passwd; filename*=UTF-8''.._.._etc_passwd",
		"":                              "attachment; filename=plugin.zip; filename*=UTF-8''",
		"日本":                            "attachment; filename=plugin.zip; filename*=UTF-8''%E6%97%A5%E6%9C%AC",
		"\xff.zip":                      "attachment; filename=_.zip; filename*=UTF-8''_.zip",
		strings.Repeat("a", 20) + "%0d": "attachment; filename=aaaaaaaaaaaaaaaaaaaa_0d; filename*=UTF-8''aaaaaaaaaaaaaaaaaaaa%250d",
	} {
		assert.Equal(t, want, disposition(name), name)
	}
}

func FuzzDisposition(f *testing.F) {
	f.Add("größe \"x\".zip")
	f.Add("a\r\nb")
	f.Fuzz(func(t *testing.T, name string) {
		got := disposition(name)
		for _, r := range got {
			if r < ' ' || r > '~' {
				t.Fatalf("%q is no header", got)
			}
		}
		_, value, _ := strings.Cut(got, "filename=")
		plain, _, _ := strings.Cut(value, ";")
		if plain == "" || strings.ContainsAny(plain, "\"/\\ ,%") {
			t.Fatalf("%q is not a name", plain)
		}
	})
}
