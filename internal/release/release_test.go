package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/licences"
)

func TestHasSection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		changelog string
		want      bool
	}{
		"there":            {"# Changelog\n\n## v1.2.3\n\n- new\n", true},
		"with a date":      {"## v1.2.3 (2030-01-02)\n- new\n", true},
		"without a text":   {"## v1.2.3\n\n## v1.2.2\n- old\n", false},
		"another version":  {"## v1.2.30\n- new\n", false},
		"only unreleased":  {"## Unreleased\n- new\n", false},
		"named in a text":  {"## Unreleased\n- since v1.2.3\n", false},
		"heading of parts": {"### v1.2.3\n- new\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, hasSection(c.changelog, "v1.2.3"))
		})
	}
}

// repository is a small one with a commit.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte("# Changelog\n\n## v1.2.3\n\n- new\n"), 0o644))
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, commit("first")} {
		_, err := git(t.Context(), dir, args...)
		require.NoError(t, err)
	}
	return dir
}

func commit(message string) []string {
	return []string{"-c", "user.name=tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "-m", message}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version string
		before  [][]string // of git
		file    string     // that is not committed
		want    string     // "": may be released
	}{
		"ready":                  {"v1.2.3", nil, "", ""},
		"tagged":                 {"v1.2.3", [][]string{{"tag", "v1.2.3"}}, "", ""},
		"no version":             {"", nil, "", `"" is no version`},
		"without v":              {"1.2.3", nil, "", `"1.2.3" is no version`},
		"an option":              {"v1.2.3 --upload-pack=x", nil, "", `is no version`},
		"not in the changelog":   {"v1.2.4", nil, "", `no section "## v1.2.4"`},
		"not committed":          {"v1.2.3", nil, "new.go", "not committed"},
		"tag on another commit":  {"v1.2.3", [][]string{{"tag", "v1.2.3"}, commit("second")}, "", "the tag v1.2.3 is on another commit"},
		"all reasons at a time":  {"v1.2.4", nil, "new.go", "not committed"},
		"all reasons, the other": {"v1.2.4", nil, "new.go", "no section"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			for _, args := range c.before {
				_, err := git(t.Context(), dir, args...)
				require.NoError(t, err)
			}
			if c.file != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), nil, 0o644))
			}
			err := check(t.Context(), dir, c.version)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// The same files give the same archive, whenever and by whom it is made.
func TestArchives(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	files := []file{{name: "erphub", content: []byte("program"), program: true}, {name: "erphub-mcp", link: "erphub"}, {name: "man/erphub.1", content: []byte("page")}}
	var once, twice bytes.Buffer
	require.NoError(t, writeTar(&once, "erphub_1.2.3", files, at))
	require.NoError(t, writeTar(&twice, "erphub_1.2.3", files, at))
	assert.Equal(t, once.Bytes(), twice.Bytes())
	unzipped, err := gzip.NewReader(&once)
	require.NoError(t, err)
	var got []string
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		assert.True(t, at.Equal(h.ModTime), h.Name)
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+h.Linkname)
	}
	assert.Equal(t, []string{"-rwxr-xr-x erphub_1.2.3/erphub ", "Lrwxrwxrwx erphub_1.2.3/erphub-mcp erphub", "-rw-r--r-- erphub_1.2.3/man/erphub.1 "}, got)
}

// The parts list of a program, here of this test, has what the schema demands.
func TestPartsList(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	modules, err := licences.Linked(t.Context(), "../..", []string{runtime.GOOS + "/" + runtime.GOARCH}, "github.com/stretchr/testify/require", "./internal/release")
	require.NoError(t, err)
	b := &builder{at: time.Unix(0, 0).UTC(), modules: modules}
	text, err := b.partsList(self, "linux/amd64")
	require.NoError(t, err)
	again, err := b.partsList(self, "linux/amd64")
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	checkPartsList(t, text)
}

// checkPartsList looks for what the schema of CycloneDX 1.6 requires, and for the
// forms it gives to what is there.
func checkPartsList(t *testing.T, text []byte) {
	t.Helper()
	var list map[string]any
	require.NoError(t, json.Unmarshal(text, &list))
	assert.Equal(t, "CycloneDX", list["bomFormat"])
	assert.Equal(t, "1.6", list["specVersion"])
	assert.Regexp(t, `^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`, list["serialNumber"])
	assert.EqualValues(t, 1, list["version"])
	about := list["metadata"].(map[string]any)
	_, err := time.Parse(time.RFC3339, about["timestamp"].(string))
	require.NoError(t, err)
	refs := map[string]bool{}
	for _, c := range append([]any{about["component"]}, list["components"].([]any)...) {
		c := c.(map[string]any)
		assert.Contains(t, []any{"application", "library"}, c["type"])
		assert.NotEmpty(t, c["name"])
		assert.Regexp(t, `^pkg:golang/.+@.+$`, c["purl"])
		ref := c["bom-ref"].(string)
		assert.False(t, refs[ref], "%s is there twice", ref)
		refs[ref] = true
		for _, l := range c["licenses"].([]any) {
			assert.Regexp(t, `^[A-Za-z0-9.-]+$`, l.(map[string]any)["license"].(map[string]any)["id"])
		}
		for _, h := range asList(c["hashes"]) {
			assert.Equal(t, "SHA-256", h.(map[string]any)["alg"])
			assert.Regexp(t, `^[0-9a-f]{64}$`, h.(map[string]any)["content"])
		}
	}
	assert.GreaterOrEqual(t, len(refs), 3)
	for _, d := range list["dependencies"].([]any) {
		d := d.(map[string]any)
		assert.True(t, refs[d["ref"].(string)], d["ref"])
		for _, on := range asList(d["dependsOn"]) {
			assert.True(t, refs[on.(string)], on)
		}
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// The whole release of this commit for two systems, twice, in another folder and with
// nothing compiled before: the same bytes, with all that belongs into an archive. It
// compiles the program four times, so it runs where ERPHUB_PROOF=1.
func TestReproducible(t *testing.T) {
	if os.Getenv("ERPHUB_PROOF") == "" {
		t.Skip("SKIPPED: a release is built twice with ERPHUB_PROOF=1")
	}
	head, err := git(t.Context(), "../..", "rev-parse", "HEAD")
	require.NoError(t, err)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	var first map[string]string
	for range 2 {
		source := filepath.Join(t.TempDir(), "checkout")
		for _, args := range [][]string{{"clone", "--quiet", root, source}, {"-C", source, "-c", "advice.detachedHead=false", "checkout", "--quiet", head}} {
			_, err := git(t.Context(), ".", args...)
			require.NoError(t, err)
		}
		got := releaseOnce(t.Context(), t, source)
		if first == nil {
			first = got
			t.Setenv("GOCACHE", t.TempDir())
			continue
		}
		assert.Equal(t, first, got)
	}
}

// releaseOnce releases a commit, whose changelog has a section for it, and returns
// what SHA256SUMS says by file.
func releaseOnce(ctx context.Context, t *testing.T, source string) map[string]string {
	t.Helper()
	changelog, err := os.ReadFile(filepath.Join(source, "CHANGELOG.md"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(source, "CHANGELOG.md"), regexp.MustCompile(`(?m)^## Unreleased$`).ReplaceAll(changelog, []byte("## v0.0.1-proof")), 0o644))
	require.NoError(t, command(ctx, source, goEnvironment(), "go", "generate", ".")) // this is not about whether they are current
	t.Setenv("GIT_AUTHOR_DATE", "2030-01-02T03:04:05Z")
	t.Setenv("GIT_COMMITTER_DATE", "2030-01-02T03:04:05Z")
	_, err = git(ctx, source, append(commit("version"), "--all")...)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "dist")
	var log strings.Builder
	require.NoError(t, release(ctx, options{source: source, version: "v0.0.1-proof", out: out, systems: []string{"linux/amd64", "windows/arm64"}, log: &log}))
	t.Log(log.String())
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	require.NoError(t, err)
	got := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		fields := strings.Fields(line)
		got[fields[1]] = fields[0]
		if strings.HasSuffix(fields[1], ".cdx.json") {
			text, err := os.ReadFile(filepath.Join(out, fields[1]))
			require.NoError(t, err)
			checkPartsList(t, text)
		}
	}
	require.Len(t, got, 4)
	checkArchive(t, filepath.Join(out, "erphub_0.0.1-proof_linux_amd64.tar.gz"))
	return got
}

// checkArchive looks for what an archive has to hold.
func checkArchive(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	sizes := map[string]int64{}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		sizes[strings.TrimPrefix(h.Name, "erphub_0.0.1-proof_linux_amd64/")] = h.Size
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "THIRD_PARTY_LICENSES.txt", "completions/erphub.bash", "completions/_erphub",
		"completions/erphub.fish", "completions/erphub.ps1", "man/erphub.1", "man/erphub-server-api.1"} {
		assert.Positive(t, sizes[name], name)
	}
	assert.Contains(t, sizes, "erphub-mcp", "the tool server is the program under another name")
	t.Logf("the program has %.1f MB", float64(sizes["erphub"])/1e6)
	// It has 60.4 MB. Of the last 1.6, 0.6 are the demo ERP and the rest is our own code:
	// no library came in.
	assert.Less(t, sizes["erphub"], int64(62e6), "a program that grows by that much links what it does not need")
}
