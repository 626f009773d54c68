package generator

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Additions go where the plugin has its classes, and are registered where the
// others are.
func TestAddGoesWhereTheOthersAre(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options   map[string]any // of the plugin, with a process
		folder    string         // of the bundle in the tree
		generator string
		add       map[string]any
		want      []string
	}{
		"activator in a package of its own": {map[string]any{"package": "org.other"}, ".", "process", nil,
			[]string{"META-INF/2Pack_1.0.1.zip", "src/org/other/process/More.java"}},
		"components in a package of their own": {map[string]any{"package": "org.other", "registration": "components"}, ".", "process", nil,
			[]string{"META-INF/2Pack_1.0.1.zip", "src/org/other/process/More.java"}},
		"another kind, by activator": {map[string]any{"package": "org.other"}, ".", "callout", map[string]any{"columns": "C_Order.Name"},
			[]string{"src/org/other/OrdersActivator.java", "src/org/other/callout/More.java"}},
		"another kind, by components": {map[string]any{"registration": "components"}, ".", "callout", map[string]any{"columns": "C_Order.Name"},
			[]string{"OSGI-INF/com.example.orders.OrdersCalloutFactory.xml", "src/com/example/orders/OrdersCalloutFactory.java", "src/com/example/orders/callout/More.java"}},
		"a fragment beside a plugin": {map[string]any{"components": "process:Good,rest-extension:Status@v1/x"}, "com.example.orders.rest", "rest-extension", map[string]any{"path": "v1/y"},
			[]string{"OSGI-INF/com.example.orders.rest.MoreExtension.xml", "src/com/example/orders/rest/More.java", "src/com/example/orders/rest/MoreExtension.java"}},
		"tests beside a plugin": {map[string]any{"components": "process:Good", "modules": "test"}, "com.example.orders.test", "test", nil,
			[]string{"src/com/example/orders/test/More.java"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := map[string]any{"artifactId": "com.example.orders", "components": "process:Good"}
			for k, v := range tt.options {
				options[k] = v
			}
			a, err := Generate(t.Context(), nil, "plugin", options)
			require.NoError(t, err)
			files := fstest.MapFS{}
			for _, f := range a.Tree.Files() {
				files[f.Name] = &fstest.MapFile{Data: f.Content, Mode: f.Mode}
			}
			plugin, err := files.Sub(tt.folder)
			require.NoError(t, err)
			options = map[string]any{"class": "More"}
			for k, v := range tt.add {
				options[k] = v
			}
			more, err := Add(t.Context(), nil, plugin, tt.generator, options)
			require.NoError(t, err)
			assert.Equal(t, tt.want, more.Tree.Names())
		})
	}
}

// Folders that are no plugin, or one that cannot be read, say so.
func TestAddToWhatIsNoPlugin(t *testing.T) {
	t.Parallel()
	const good = "Manifest-Version: 1.0\nBundle-SymbolicName: com.example.demo\nBundle-Version: 1.0.0.qualifier\n"
	for name, tt := range map[string]struct {
		files map[string]string
		says  string
	}{
		"empty":               {nil, "it is not a plugin"},
		"a jar's manifest":    {map[string]string{"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n"}, "Bundle-SymbolicName is empty"},
		"hostile name":        {map[string]string{"META-INF/MANIFEST.MF": "Bundle-SymbolicName: ../../x\n"}, "Bundle-SymbolicName"},
		"broken manifest":     {map[string]string{"META-INF/MANIFEST.MF": "nonsense\n"}, "is not a header"},
		"open quotes":         {map[string]string{"META-INF/MANIFEST.MF": good + "Require-Bundle: a;x=\"1\n"}, "quotes that do not end"},
		"another packaging":   {map[string]string{"META-INF/MANIFEST.MF": good, "pom.xml": "<project><packaging>war</packaging></project>"}, `packaging "war"`},
		"broken pom":          {map[string]string{"META-INF/MANIFEST.MF": good, "pom.xml": "<project><packaging>"}, "pom.xml cannot be read"},
		"version of archives": {map[string]string{"META-INF/MANIFEST.MF": good, "META-INF/2Pack_1.0.zip": "x"}, "2Pack_1.0.zip has no version of three numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for file, text := range tt.files {
				files[file] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
			}
			_, err := Add(t.Context(), nil, files, "process", map[string]any{"class": "Good"})
			require.ErrorContains(t, err, tt.says)
		})
	}
	_, err := Add(t.Context(), nil, fstest.MapFS{}, "plugin", nil)
	require.ErrorContains(t, err, "cannot be added to another")
	_, err = Add(t.Context(), nil, nil, "process", nil)
	require.ErrorContains(t, err, "no plugin was given")
}
