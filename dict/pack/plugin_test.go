package pack_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/pack"
)

func plugin(t testing.TB, manifest string, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "META-INF"), 0o755))
	if manifest != "" {
		files = append(files, "MANIFEST.MF")
	}
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "META-INF", f), []byte(manifest), 0o600))
	}
	return dir
}

// Exactly three numbers.
func TestParseVersion(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"0.0.1", "1.0.0", "10.20.30", "1.0.99999"} {
		v, err := pack.ParseVersion(s)
		require.NoError(t, err)
		assert.Equal(t, s, v.String())
	}
	for _, s := range []string{"", "1", "1.0", "1.0.0.0", "1.0.x", "1.0.-1", "1.0.+1", "01.0.0", "1.0. 1", "1.0.1 ", "1..1", "1.0.100000", "1.0.0_demo", "v1.0.0"} {
		_, err := pack.ParseVersion(s)
		require.Error(t, err, s)
	}
}

// The next version is chosen from what is there, number by number.
func TestNextVersion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"nothing", nil, "1.0.0"},
		{"one", []string{"2Pack_1.0.0.zip"}, "1.0.1"},
		{"ten after nine", []string{"2Pack_1.0.9.zip", "2Pack_1.0.10.zip", "2Pack_1.0.2.zip"}, "1.0.11"},
		{"gap", []string{"2Pack_1.0.1.zip", "2Pack_1.2.3.zip"}, "1.2.4"},
		{"with text", []string{"2Pack_2.0.0_demo.zip"}, "2.0.1"},
		{"full", []string{"2Pack_1.0.99999.zip"}, "1.1.0"},
		{"names without a version", []string{"2Pack_1.0.zip", "2Pack_1.0.0_a_b.zip", "2Pack.zip", "2Pack_9.9.9.txt", "x2Pack_9.9.9.zip"}, "1.0.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := pack.NextVersion(filepath.Join(plugin(t, "", tt.files...), "META-INF"))
			require.NoError(t, err)
			assert.Equal(t, tt.want, v.String())
		})
	}
	v, err := pack.NextVersion(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	assert.Equal(t, "1.0.0", v.String())
}

// Whatever is there, the next version is not the beginning of one of them, nor
// one of them the beginning of a later one that is chosen after it: the ERP would
// take it for imported.
func TestNextVersionIsNoPrefix(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var files []string
		for range random.IntN(8) {
			v := pack.Version{Major: random.IntN(3), Minor: random.IntN(12), Patch: random.IntN(120)}
			files = append(files, v.FileName())
		}
		meta := filepath.Join(plugin(t, "", files...), "META-INF")
		v, err := pack.NextVersion(meta)
		require.NoError(t, err)
		for _, f := range files {
			assert.NotContains(t, f, "2Pack_"+v.String(), "%v", files)
		}
		require.NoError(t, pack.CheckVersion(meta, v), "%v", files)
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	meta := filepath.Join(plugin(t, "", "2Pack_1.0.0.zip", "2Pack_1.0.10.zip"), "META-INF")
	for version, want := range map[string]string{
		"1.0.0": "already", "1.0.1": "takes 1.0.1 for imported", "1.0.9": "was shipped already", "0.9.9": "was shipped already",
		"1.0.11": "", "1.0.100": "", "2.0.0": "",
	} {
		v, err := pack.ParseVersion(version)
		require.NoError(t, err)
		err = pack.CheckVersion(meta, v)
		if want == "" {
			require.NoError(t, err, version)
			continue
		}
		require.ErrorIs(t, err, pack.ErrVersion, version)
		assert.ErrorContains(t, err, want)
	}
}

// An archive goes into META-INF under the next version, named like the plugin.
func TestSave(t *testing.T) {
	t.Parallel()
	manifest := "Manifest-Version: 1.0\r\nBundle-SymbolicName: com.example.\r\n demo;singleton:=true\r\nBundle-Version: 1.0.1.qualifier\r\n\r\nName: x\r\nBundle-Version: 9.9.9\r\n"
	dir := plugin(t, manifest)
	plan := newPlan(t, nil, demo())
	for i, version := range []string{"1.0.0", "1.0.1", "1.0.2"} {
		saved, err := pack.Save(dir, plan, nil)
		require.NoError(t, err)
		assert.Equal(t, "com.example.demo", saved.Name)
		assert.Equal(t, filepath.Join(dir, "META-INF", "2Pack_"+version+".zip"), saved.Path)
		assert.Equal(t, i == 2, len(saved.Warnings) == 1, "%v", saved.Warnings)
		data, err := os.ReadFile(saved.Path)
		require.NoError(t, err)
		_, files := entries(t, data)
		assert.Contains(t, string(files["2Pack_"+version+"/dict/PackOut.xml"]), `Name="com.example.demo" Version="`+version+`"`)
	}
	_, err := pack.Save(dir, plan, &pack.Options{Version: pack.Version{Major: 1, Patch: 1}})
	require.ErrorIs(t, err, pack.ErrVersion)
	saved, err := pack.Save(filepath.Join(dir, "META-INF"), plan, &pack.Options{Name: "other"})
	require.NoError(t, err)
	assert.Equal(t, "other", saved.Name)

	_, err = pack.Save(t.TempDir(), plan, nil)
	require.ErrorContains(t, err, "no folder META-INF")
	bare := plugin(t, "", "2Pack_1.0.zip")
	saved, err = pack.Save(bare, plan, nil)
	require.NoError(t, err)
	assert.Equal(t, "xx_demo", saved.Name)
	all := strings.Join(saved.Warnings, "\n")
	assert.Contains(t, all, "MANIFEST.MF")
	assert.Contains(t, all, "2Pack_1.0.zip has no version of three parts")
}
