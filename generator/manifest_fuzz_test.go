package generator

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What is written into a manifest is read from it again, in lines that are
// short enough and whole characters.
func FuzzManifestValue(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = string([]rune(text))
		m := &manifest{eol: "\n"}
		m.set("Manifest-Version", "1.0")
		m.set("Bundle-SymbolicName", "com.example.demo")
		m.set("Bundle-Name", text)
		m.set("Bundle-Vendor", "last")
		data := m.bytes()
		for line := range strings.Lines(string(data)) {
			require.LessOrEqual(t, len(line), manifestLine)
			require.True(t, utf8.ValidString(line), "a character is cut: %q", line)
			require.NotEqual(t, "\n", line)
			require.True(t, strings.HasSuffix(line, "\n"))
		}
		again, err := parseManifest(data)
		require.NoError(t, err)
		require.Len(t, again.headers, 4, "%q", data)
		require.Equal(t, manifestText(text), again.get("Bundle-Name"))
		require.Equal(t, "last", again.get("Bundle-Vendor"))
		require.Equal(t, data, again.bytes())
	})
}

// A list keeps its clauses, whatever is in quotes.
func FuzzManifestList(f *testing.F) {
	for _, s := range []string{"", "org.adempiere.base", `a;x="1,2",b`, `a;version="[1.0,2.0)"`, `"`, ",,a,,", `a;b:="c;d"`, strings.Repeat("org.example.bundle,", 30)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !utf8.ValidString(value) {
			return
		}
		m := &manifest{eol: "\r\n"}
		m.set("Import-Package", value)
		before := m.clauses("Import-Package")
		if _, open := splitQuoted(manifestText(value)); open {
			_, err := parseManifest(m.bytes())
			require.ErrorContains(t, err, "quotes that do not end")
			return
		}
		m.require("Import-Package", "org.osgi.framework")
		again, err := parseManifest(m.bytes())
		require.NoError(t, err)
		require.Equal(t, m.clauses("Import-Package"), again.clauses("Import-Package"))
		require.True(t, again.has("Import-Package", "org.osgi.framework"))
		require.GreaterOrEqual(t, len(again.clauses("Import-Package")), len(before))
		again.require("Import-Package", "org.osgi.framework")
		require.Equal(t, m.bytes(), again.bytes(), "requiring it again changes something")
	})
}

// Any manifest is refused, or written as it was read; changing one header keeps
// the others.
func FuzzParseManifest(f *testing.F) {
	for _, s := range []string{"", "A: b\n", "A: b", "A: b\r\n c\r\n", "\ufeffA: b\n", " a\n", "A\n", "A: b\nA: c\n", "A: b\n\nName: x\nB: c\n",
		"A : b\n", "A:b\n", "Bundle-Name: " + strings.Repeat("x", 60) + "\n yyy\n", "\xff: a\n", "A: b\n\n\n", "A: b\r\n\r\nName: x\r\n"} {
		f.Add([]byte(s), "text")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := parseManifest(data)
		if err != nil {
			require.LessOrEqual(t, len(err.Error()), 1000)
			return
		}
		want := bytes.TrimPrefix(data, []byte("\ufeff"))
		if got := m.bytes(); !bytes.Equal(want, got) {
			require.Equal(t, string(want)+m.eol, string(got), "only the last line end may be added")
		}
		others := map[string]string{}
		for _, h := range m.headers {
			if !strings.EqualFold(h.name, "Bundle-Name") {
				others[h.name] = m.get(h.name)
			}
		}
		m.set("Bundle-Name", string([]rune(text)))
		again, err := parseManifest(m.bytes())
		require.NoError(t, err, "%q", m.bytes())
		for name, value := range others {
			require.Equal(t, value, again.get(name), name)
		}
		require.Equal(t, manifestText(string([]rune(text))), again.get("Bundle-Name"))
	})
}

// Any build.properties is written as it was read, and gets an entry once.
func FuzzBuildProperties(f *testing.F) {
	for _, s := range []string{"", "source.. = src/\nbin.includes = META-INF/,\\\n               .\n", "bin.includes=.", "bin.includes : a , b", "# bin.includes = x\\\n",
		"bin.includes = a,\\\r\n  b\r\n", "bin.includes\n", "bin.includes = \\\n", "! c\nbin.includes=a\\", "source..=../../etc/\n", "0\\", "0\\\n", "\\\n\\\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := parseBuildProperties(data)
		require.Equal(t, string(data), string(p.bytes()))
		before, _ := p.list("bin.includes")
		p.include("OSGI-INF/", "reports/")
		once := string(p.bytes())
		again := parseBuildProperties([]byte(once))
		after, at := again.list("bin.includes")
		require.GreaterOrEqual(t, at, 0, "%q", once)
		for _, e := range append(before, "OSGI-INF/") {
			found := false
			for _, a := range after {
				found = found || strings.TrimSuffix(a, "/") == strings.TrimSuffix(e, "/")
			}
			require.True(t, found, "%q is not in %q", e, after)
		}
		again.include("OSGI-INF/", "reports/")
		require.Equal(t, once, string(again.bytes()), "including it again changes something")
	})
}
