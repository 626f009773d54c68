package generator

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// largest are options for a plugin with everything that needs no dictionary.
func largest() map[string]any {
	return map[string]any{
		"artifactId": "com.example.demo", "modules": []string{"feature", "p2", "test"},
		"name": `Demo <&> "quoted" */ ${x}`, "vendor": strings.Repeat("Añ", 40), "description": "What it is for & more",
		"components": []string{"process:ImportOrders", "callout:OrderCallout@C_Order.C_BPartner_ID", "event-handler:OrderEvents@C_Order",
			"form:Board", "window-validator:Watch@*", "rest-extension:Status@v1/demo"},
	}
}

func openRegistry(t testing.TB) registry.Registry {
	t.Helper()
	c, err := registry.LoadCatalog(t.Context(), synthdict.New(synthdict.Options{}).Source())
	require.NoError(t, err)
	return c
}

func zipped(t testing.TB, a *Artifact) []byte {
	t.Helper()
	data, err := a.Zip()
	require.NoError(t, err)
	return data
}

func TestGenerateTwiceGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	one, err := Generate(t.Context(), nil, "plugin", largest())
	require.NoError(t, err)
	two, err := Generate(t.Context(), nil, "plugin", largest())
	require.NoError(t, err)
	require.Equal(t, zipped(t, one), zipped(t, two))
}

func TestGeneratedFilesAreWellFormed(t *testing.T) {
	t.Parallel()
	for _, variant := range []map[string]any{{}, {"registration": "components"}, {"targetPlatform": "target"}, {"release": "13", "ide": false}} {
		options := largest()
		for k, v := range variant {
			options[k] = v
		}
		a, err := Generate(t.Context(), nil, "plugin", options)
		require.NoError(t, err)
		for _, f := range a.Tree.Files() {
			switch {
			case path.Ext(f.Name) == ".xml", path.Ext(f.Name) == ".target", path.Base(f.Name) == ".project", path.Base(f.Name) == ".classpath":
				wellFormed(t, f)
			case path.Base(f.Name) == "MANIFEST.MF":
				checkManifest(t, f)
			}
		}
	}
}

func wellFormed(t *testing.T, f File) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(f.Content))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, f.Name)
	}
}

func checkManifest(t *testing.T, f File) {
	t.Helper()
	text := string(f.Content)
	require.True(t, strings.HasSuffix(text, "\n"), "the last header has no line end")
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len(line), 72, "%s: %q", f.Name, line)
		assert.True(t, utf8.ValidString(line), "%s: a character is cut: %q", f.Name, line)
		assert.NotEqual(t, "\n", line, "%s has a blank line", f.Name)
	}
	m, err := parseManifest(f.Content)
	require.NoError(t, err)
	assert.Equal(t, path.Base(path.Dir(path.Dir(f.Name))), m.symbolicName())
	for _, split := range []string{"org.compiere.model", "org.compiere.process", "org.adempiere.process", "org.compiere.print"} {
		assert.False(t, m.has("Import-Package", split), "%s imports the split package %s", f.Name, split)
	}
	assert.Equal(t, text, string(m.bytes()), "writing what was read changes it")
}

func TestHostileOptionsAreRefused(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{
		"blank": "com example", "quote": `com."x"`, "newline": "com.example\nX: y", "long": strings.Repeat("a", 10_000), "dots": "..",
		"traversal": "../../etc", "absolute": "/etc", "backslash": `a\b`, "device": "con", "empty": "", "unicode": "com.exämple", "nul": "a\x00b",
		"leading dot": ".hidden", "flag": "-rf", "markup": "<a>", "template": "{{.}}", "maven": "${x}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": id})
			var bad *OptionsError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, "artifactId", bad.Problems[0].Option)
			require.Less(t, len(err.Error()), 600)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	for option, value := range map[string]any{
		"package": "com.class.x", "version": "1.0", "vendor": "a\nBundle-Activator: x", "name": "a\u202eb", "coreRepository": "http://user:secret@host/",
		"release": "11", "modules": []string{"nothing"}, "components": []string{"process:lower"}, "ide": "maybe", "unknown": 1, "tables": map[string]any{},
	} {
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			_, err := Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": "com.example.demo", option: value})
			var bad *OptionsError
			require.ErrorAs(t, err, &bad)
			require.Contains(t, bad.Problems[0].Option, option)
		})
	}
}

func TestModelClasses(t *testing.T) {
	t.Parallel()
	reg := openRegistry(t)
	list, err := reg.Tables(t.Context(), registry.ListQuery{Limit: 60})
	require.NoError(t, err)
	made := 0
	for _, info := range list.Items {
		a, err := Generate(t.Context(), reg, "model", map[string]any{"artifactId": "com.example.demo", "tables": []string{info.Name}})
		var bad *OptionsError
		if errors.As(err, &bad) {
			continue
		}
		require.NoError(t, err, info.Name)
		made++
		table, err := reg.Table(t.Context(), info.Name)
		require.NoError(t, err)
		x, err := a.Tree.ReadFile("src/com/example/demo/model/X_" + table.Name + ".java")
		require.NoError(t, err)
		i, err := a.Tree.ReadFile("src/com/example/demo/model/I_" + table.Name + ".java")
		require.NoError(t, err)
		require.Contains(t, string(x), `@org.adempiere.base.Model(table="`+table.Name+`")`)
		for _, c := range table.Columns {
			if !c.Active || strings.HasPrefix(c.SQL, "@SQL") {
				continue
			}
			require.Equal(t, 1, strings.Count(string(i), `COLUMNNAME_`+c.Name+` = "`), "%s.%s in I_", table.Name, c.Name)
			want := 1
			if standardColumn(c.Name) {
				want = 0
			}
			require.Equal(t, want, strings.Count(string(x), "\tpublic void set"+c.Name+" ("), "%s.%s in X_", table.Name, c.Name)
		}
	}
	require.GreaterOrEqual(t, made, 30)
}

func TestAddIsIdempotent(t *testing.T) {
	t.Parallel()
	for _, registration := range []string{"activator", "components"} {
		t.Run(registration, func(t *testing.T) {
			t.Parallel()
			a, err := Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": "com.example.demo", "registration": registration})
			require.NoError(t, err)
			d := &Filesystem{Dir: t.TempDir()}
			_, err = d.Deliver(t.Context(), a, nil)
			require.NoError(t, err)
			plugin := d.Path(a)
			for _, add := range []struct {
				generator string
				options   map[string]any
			}{
				{"process", map[string]any{"class": "ImportOrders", "parameters": "C_BPartner_ID:TableDirect:mandatory"}},
				{"process", map[string]any{"class": "ExportOrders"}},
				{"callout", map[string]any{"class": "OrderCallout", "columns": "C_Order.C_BPartner_ID"}},
				{"form", map[string]any{"class": "Board"}},
			} {
				here := &Filesystem{Dir: plugin}
				more, err := Add(t.Context(), nil, os.DirFS(plugin), add.generator, add.options)
				require.NoError(t, err)
				r, err := here.Deliver(t.Context(), more, nil)
				require.NoError(t, err)
				require.NotEmpty(t, r.Files)
				again, err := Add(t.Context(), nil, os.DirFS(plugin), add.generator, add.options)
				require.NoError(t, err)
				require.Empty(t, again.Tree.Names(), "adding it again")
			}
			text, err := os.ReadFile(filepath.Join(plugin, "META-INF", "MANIFEST.MF"))
			require.NoError(t, err)
			checkManifest(t, File{Name: "com.example.demo/META-INF/MANIFEST.MF", Content: text})
		})
	}
}

func TestFilesystemNeverOverwrites(t *testing.T) {
	t.Parallel()
	a, err := Generate(t.Context(), nil, "process", map[string]any{"artifactId": "com.example.demo", "class": "ImportOrders"})
	require.NoError(t, err)
	d := &Filesystem{Dir: t.TempDir()}
	r, err := d.Deliver(t.Context(), a, nil)
	require.NoError(t, err)
	require.Equal(t, a.Tree.Names(), r.Files)
	file := filepath.Join(r.Path, "README.md")
	require.NoError(t, os.WriteFile(file, []byte("mine\n"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(r.Path, "pom.xml")))

	_, err = d.Deliver(t.Context(), a, nil)
	require.ErrorIs(t, err, ErrExists)
	require.NoFileExists(t, filepath.Join(r.Path, "pom.xml"), "a refused delivery wrote something")
	diff, err := d.Diff(t.Context(), a)
	require.NoError(t, err)
	require.Contains(t, string(diff), "-mine\n")

	r, err = (&Filesystem{Dir: d.Dir, DryRun: true}).Deliver(t.Context(), a, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"README.md", "pom.xml"}, r.Files)
	r, err = (&Filesystem{Dir: d.Dir, Force: true}).Deliver(t.Context(), a, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"README.md", "pom.xml"}, r.Files)
	entries, err := filepath.Glob(filepath.Join(d.Dir, "*", stagePrefix+"*"))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestFilesystemStaysInside(t *testing.T) {
	t.Parallel()
	var tree Tree
	for _, name := range []string{"../a", "/a", `a\b`, "a//b", "a/../b", "con", "a/NUL.txt", ".git/hooks/x", "a\nb", "a.", "a:b", ""} {
		var bad *NameError
		require.ErrorAs(t, tree.Add(name, nil), &bad, name)
	}
	dir, outside := t.TempDir(), t.TempDir()
	a, err := Generate(t.Context(), nil, "process", map[string]any{"artifactId": "com.example.demo", "class": "ImportOrders"})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "com.example.demo"), 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "com.example.demo", "META-INF")))
	_, err = (&Filesystem{Dir: dir, Force: true}).Deliver(t.Context(), a, nil)
	require.Error(t, err)
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)
}

// largestOfAll is the largest plugin with model classes of 20 tables and the
// definitions of one in its archive.
func largestOfAll(t testing.TB, reg registry.Registry) map[string]any {
	t.Helper()
	options := largest()
	list, err := reg.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	var tables []string
	for _, info := range list.Items {
		table, err := reg.Table(t.Context(), info.Name)
		require.NoError(t, err)
		if len(table.Columns) >= 20 && !strings.HasSuffix(info.Name, "_Trl") && len(tables) < 20 {
			tables = append(tables, info.Name)
		}
	}
	require.Len(t, tables, 20)
	options["tables"] = tables
	options["components"] = []string{"process:ImportOrders", "form:Board", "window-validator:Watch@*", "rest-extension:Status@v1/demo"}
	return options
}

// The largest plugin without a dictionary, and with model classes of 20 tables,
// each with its zip.
func BenchmarkLargestPlugin(b *testing.B) {
	reg := openRegistry(b)
	for _, bench := range []struct {
		name    string
		reg     registry.Registry
		options map[string]any
	}{{"components", nil, largest()}, {"models", reg, largestOfAll(b, reg)}} {
		b.Run(bench.name, func(b *testing.B) {
			files := 0
			for b.Loop() {
				a, err := Generate(b.Context(), bench.reg, "plugin", bench.options)
				require.NoError(b, err)
				zipped(b, a)
				files = a.Tree.Len()
			}
			b.ReportMetric(float64(files), "files")
		})
	}
}

// Users see what parameters are called: the dictionary's name of their column.
func TestParametersAreCalledAsInTheDictionary(t *testing.T) {
	t.Parallel()
	d := synthdict.New(synthdict.Options{})
	d.Add("AD_Element", synthdict.Row{"AD_Element_ID": 9_000_187, "ColumnName": "C_BPartner_ID", "Name": "Business Partner", "PrintName": "Business Partner", "IsActive": "Y"})
	reg, err := registry.LoadCatalog(t.Context(), d.Source())
	require.NoError(t, err)
	options := map[string]any{"artifactId": "com.example.demo", "class": "ImportOrders", "parameters": []string{"C_BPartner_ID:TableDirect", "XX_DateFrom:Date"}}
	g, err := Find("process")
	require.NoError(t, err)
	assert.Equal(t, DictionaryOptional, g.Dictionary(options))
	for _, tt := range []struct {
		reg  registry.Registry
		says []string
	}{
		{reg, []string{`addLog("Business Partner: "`, `addLog("XX Date From: "`}},
		{nil, []string{`addLog("C B Partner ID: "`}},
	} {
		a, err := Generate(t.Context(), tt.reg, "process", options)
		require.NoError(t, err)
		source, err := a.Tree.ReadFile("src/com/example/demo/process/ImportOrders.java")
		require.NoError(t, err)
		for _, text := range tt.says {
			assert.Contains(t, string(source), text)
		}
	}
}

// has reports whether a list names path.
func (m *manifest) has(name, path string) bool {
	return slices.ContainsFunc(m.clauses(name), func(c string) bool { return clausePath(c) == path })
}
