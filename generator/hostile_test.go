package generator

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileNames are what nothing may be called that becomes a folder, a bundle,
// a package, a class or part of one.
func hostileNames() map[string]string {
	return map[string]string{
		"blank": "com example", "double quote": `com."x"`, "single quote": "com.'x'", "newline": "com.example\nBundle-Activator: x", "carriage return": "a\rb",
		"tab": "a\tb", "nul": "a\x00b", "long": strings.Repeat("a", 10_000), "dots": "..", "dot": ".", "two dots": "com..example", "last dot": "com.example.",
		"hidden": ".hidden", "traversal": "../../etc/passwd", "inner traversal": "a/../../b", "absolute": "/etc/passwd", "backslash": `a\b`, "drive": "c:x",
		"unc": `\\host\share`, "device": "con", "device with extension": "NUL.txt", "device in capitals": "LPT1", "stream": "a:b", "wild card": "a*", "question": "a?",
		"pipe": "a|b", "umlaut": "com.exämple", "greek question mark": "com.example;", "full width": "ｃom", "cyrillic": "сom.example", "bidi": "a\u202eb",
		"zero width": "a\u200bb", "joiner": "a\u200db", "bom": "\ufeffcom", "combining": "e\u0301", "line separator": "a\u2028b", "not utf-8": "a\xff",
		"flag": "-rf", "markup": "<a>", "template": "{{.}}", "maven": "${x}", "shell": "$(id)", "backticks": "`id`", "semicolon": "a;singleton:=true",
		"comma": "a,b", "percent": "%2e%2e%2f", "tilde": "~root", "git": ".git", "digit": "1a", "emoji": "a\U0001f600",
	}
}

func TestHostileNamesAreRefused(t *testing.T) {
	t.Parallel()
	devices := map[string]bool{"device": true, "device in capitals": true} // names in the dictionary, not of files
	keywords := []string{"class", "int", "_", "true", "null", "goto", "var$x/"}
	for _, where := range []struct {
		generator, option string
		options           map[string]any
		wrap              func(string) string
		more              []string        // refused here as well
		may               map[string]bool // fine here
	}{
		{"plugin", "artifactId", nil, nil, []string{"COM1.x", "aux"}, nil},
		{"plugin", "groupId", nil, nil, nil, nil},
		{"plugin", "package", nil, nil, append(keywords, "java.lang", "javax.x", "com.class.x", "a.1b", "a-b", "com.con"), nil},
		{"plugin", "version", nil, nil, []string{"1.0", "1.0.0.0", "01.0.0", "1.0.x", "1.0.0-SNAPSHOT", "9999999.0.0"}, nil},
		{"plugin", "tables", nil, nil, keywords, devices},
		{"plugin", "archiveTables", nil, nil, keywords, devices},
		{"plugin", "components", nil, func(s string) string { return "process:" + s }, append(keywords, "", "String", "lower", "A:B", "A@B"), nil},
		{"plugin", "components", nil, func(s string) string { return s + ":Good" }, nil, nil},
		{"plugin", "components", nil, func(s string) string { return "callout:Good@C_Order." + s }, nil, devices},
		{"plugin", "components", nil, func(s string) string { return "rest-extension:Good@v1/" + s }, nil,
			map[string]bool{"last dot": true, "hidden": true, "device": true, "device with extension": true, "device in capitals": true, "flag": true,
				"tilde": true, "git": true, "digit": true, "two dots": true}},
		{"process", "class", nil, nil, append(keywords, "lower", "Object", "SvrProcess", "A.B", "A$B"), nil},
		{"process", "entityType", nil, nil, []string{"D", "u", "EE01", "A"}, map[string]bool{"device in capitals": true}},
		{"process", "parameters", nil, func(s string) string { return s + ":String" }, append(keywords, "_x", strings.Repeat("a", 61)), devices},
		{"process", "parameters", nil, func(s string) string { return "Name:" + s }, []string{"Binary", "List", "TableDirect"}, nil},
		{"event-handler", "table", map[string]any{"class": "Good"}, nil, keywords, devices},
		{"event-handler", "modelClass", map[string]any{"class": "Good", "shape": "delegate"}, nil, []string{"PO", "org.compiere.model.PO", "a.class"}, nil},
		{"report", "table", map[string]any{"class": "Good"}, nil, keywords, devices},
		{"report", "columns", map[string]any{"class": "Good", "table": "C_Order"}, nil, keywords, devices},
		{"callout", "columns", map[string]any{"class": "Good"}, func(s string) string { return s + ".Name" }, []string{"*.*x"}, devices},
		{"rest-extension", "path", map[string]any{"class": "Good"}, func(s string) string { return "v1/" + s + "/x" }, []string{"..", "."},
			map[string]bool{"last dot": true, "hidden": true, "device": true, "device with extension": true, "device in capitals": true, "flag": true,
				"tilde": true, "git": true, "digit": true, "two dots": true}},
		{"test", "host", map[string]any{"class": "Good"}, nil, nil, nil},
	} {
		names := hostileNames()
		for _, m := range where.more {
			names[m] = m
		}
		for name, value := range names {
			if where.may[name] {
				continue
			}
			if where.wrap != nil {
				value = where.wrap(value)
			}
			options := map[string]any{"artifactId": "com.example.demo"}
			if where.generator != "plugin" && where.option != "class" {
				options["class"] = "Good"
			}
			for k, v := range where.options {
				options[k] = v
			}
			options[where.option] = value
			g, err := Find(where.generator)
			require.NoError(t, err)
			if o, _ := g.Option(where.option); o.Type == TypeStrings {
				options[where.option] = []string{value}
			}
			_, err = Generate(t.Context(), nil, where.generator, options)
			var bad *OptionsError
			if !assert.ErrorAs(t, err, &bad, "%s.%s = %s", where.generator, where.option, name) {
				continue
			}
			found := false
			for _, p := range bad.Problems {
				found = found || p.Option == where.option
			}
			assert.True(t, found, "%s.%s = %s: %v", where.generator, where.option, name, err)
			assert.Less(t, len(err.Error()), 1000, "%s.%s = %s", where.generator, where.option, name)
			assert.False(t, strings.ContainsAny(err.Error(), "\n\r\t\x00\u202e\u200b\u2028\ufeff"), "%s.%s = %s: %q", where.generator, where.option, name, err)
		}
	}
}

// checkArtifact holds for everything that is generated: names that are a place
// below the root everywhere, XML that parses, manifests that say what was
// asked for, and a zip that unpacks where it should.
func checkArtifact(t *testing.T, a *Artifact, name string) {
	t.Helper()
	for _, f := range a.Tree.Files() {
		require.True(t, fs.ValidPath(f.Name) && filepath.IsLocal(f.Name), "%q", f.Name)
		require.Empty(t, checkFileName(f.Name))
		switch {
		case path.Ext(f.Name) == ".xml", path.Ext(f.Name) == ".target", path.Ext(f.Name) == ".jrxml", path.Base(f.Name) == ".project", path.Base(f.Name) == ".classpath":
			wellFormed(t, f)
		case path.Base(f.Name) == "MANIFEST.MF":
			m, err := parseManifest(f.Content)
			require.NoError(t, err)
			if m.symbolicName() == a.ArtifactID && name != "" {
				require.Equal(t, manifestText(name), m.get("Bundle-Name"))
			}
			require.Equal(t, f.Content, m.bytes())
		}
		if path.Base(f.Name) == "pom.xml" {
			var pom struct {
				XMLName    xml.Name `xml:"http://maven.apache.org/POM/4.0.0 project"`
				ArtifactID string   `xml:"artifactId"`
			}
			require.NoError(t, xml.Unmarshal(f.Content, &pom), f.Name)
			require.True(t, strings.HasPrefix(pom.ArtifactID, a.ArtifactID), f.Name)
		}
	}
	data, err := a.Zip()
	require.NoError(t, err)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Len(t, z.File, a.Tree.Len())
	for _, f := range z.File {
		require.True(t, filepath.IsLocal(f.Name) && strings.HasPrefix(f.Name, a.Name+"/"), "%q leads out of the archive's folder", f.Name)
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		want, err := a.Tree.ReadFile(strings.TrimPrefix(f.Name, a.Name+"/"))
		require.NoError(t, err)
		require.Equal(t, want, content)
	}
}

// Whatever is asked for is refused as options that cannot be used, or made in a
// form that reads back.
func FuzzGenerate(f *testing.F) {
	for name, text := range hostileNames() {
		f.Add("com.example.demo", text, name)
		f.Add(text, "Demo", "Vendor")
	}
	for _, text := range []string{`Demo <&> "quoted" */ ${x}`, "%key", strings.Repeat("ä", 120), "]]>", "*/ @x", "`code` [l](u)", "a;b=\"c\",d"} {
		f.Add("com.example.demo", text, text)
	}
	f.Fuzz(func(t *testing.T, id, name, text string) {
		options := map[string]any{"artifactId": id, "name": name, "vendor": text, "description": text, "modules": []string{"feature", "p2"},
			"components": []string{"process:ImportOrders"}}
		a, err := Generate(t.Context(), nil, "plugin", options)
		if err == nil {
			checkArtifact(t, a, name)
			options = map[string]any{"artifactId": id, "name": name, "class": "Shown", "label": name, "help": text, "value": text,
				"parameters": []string{"DateFrom:Date:range"}}
			a, err = Generate(t.Context(), nil, "process", options)
			if err == nil {
				checkArtifact(t, a, name)
				source, err := a.Tree.ReadFile("src/" + strings.ReplaceAll(packageOf(id), ".", "/") + "/process/Shown.java")
				require.NoError(t, err)
				require.Equal(t, strings.Count(string(source), "/*"), strings.Count(string(source), "*/"))
				return
			}
		}
		var bad *OptionsError
		require.True(t, errors.As(err, &bad), "%v", err)
		require.Less(t, len(err.Error()), 2500)
		require.False(t, strings.ContainsAny(err.Error(), "\n\r\x00\x1b"), "%q", err)
	})
}

// A tree takes names that are a place in it on every system, and no others.
func FuzzTree(f *testing.F) {
	for _, text := range hostileNames() {
		f.Add(text, "a/b.txt")
		f.Add("src/"+text, strings.ToUpper(text))
	}
	f.Add("a/b", "A/c")
	f.Add("a", "a/b")
	f.Fuzz(func(t *testing.T, one, two string) {
		var tree Tree
		for _, name := range []string{one, two} {
			err := tree.Add(name, []byte(name))
			var bad *NameError
			if err != nil {
				require.True(t, errors.As(err, &bad) || errors.Is(err, ErrDuplicate), "%v", err)
				continue
			}
			require.True(t, filepath.IsLocal(filepath.FromSlash(name)))
			require.False(t, strings.ContainsAny(name, "\\:*?\"<>|\x00\n"))
		}
		if tree.Len() == 2 {
			require.False(t, strings.EqualFold(one, two))
		}
		var b bytes.Buffer
		require.NoError(t, tree.Zip(&b, "root"))
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err)
		require.Len(t, z.File, tree.Len())
		require.Error(t, tree.Zip(io.Discard, "../root"))
	})
}
