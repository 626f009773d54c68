package javabuild_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/javabuild"
	"github.com/erphub/erphub/generator"
)

// plugin makes a plugin with a process, and returns its folder.
func plugin(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("javac"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("javac is not installed, and CI compiles generated code")
		}
		t.Skip("NOT COMPILED: javac is not installed")
	}
	dir := t.TempDir()
	a, err := generator.Generate(t.Context(), nil, "process", map[string]any{"class": "ImportOrders", "artifactId": "com.example.demo"})
	require.NoError(t, err)
	_, err = (&generator.Filesystem{Dir: dir}).Deliver(t.Context(), a, nil)
	require.NoError(t, err)
	return filepath.Join(dir, "com.example.demo")
}

// installation makes a folder like that of an installed ERP: the stubs as a bundle.
func installation(t *testing.T) string {
	t.Helper()
	classes, dir := t.TempDir(), t.TempDir()
	args := []string{"-nowarn", "-proc:none", "-d", classes}
	require.NoError(t, filepath.WalkDir("stubs", func(path string, d os.DirEntry, err error) error {
		if filepath.Ext(path) == ".java" {
			args = append(args, path)
		}
		return err
	}))
	said, err := exec.CommandContext(t.Context(), "javac", args...).CombinedOutput()
	require.NoError(t, err, string(said))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "plugins"), 0o755))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	require.NoError(t, w.AddFS(os.DirFS(classes)))
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugins", "org.adempiere.base_12.0.0.jar"), b.Bytes(), 0o600))
	return dir
}

func TestCompile(t *testing.T) {
	t.Parallel()
	dir := plugin(t)
	p, err := javabuild.Compile(t.Context(), dir, "", t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, "com.example.demo", p.Name)
	assert.Positive(t, p.Sources)
	assert.Zero(t, p.Jars)

	_, err = javabuild.Compile(t.Context(), dir, t.TempDir(), t.TempDir())
	require.ErrorContains(t, err, "no bundle org.adempiere.base")
	_, err = javabuild.Compile(t.Context(), t.TempDir(), "", t.TempDir())
	require.ErrorContains(t, err, "MANIFEST.MF")
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = javabuild.Compile(ended, dir, "", t.TempDir())
	require.ErrorIs(t, err, context.Canceled)

	broken := filepath.Join(dir, "src", "com", "example", "demo", "Broken.java")
	require.NoError(t, os.WriteFile(broken, []byte("package com.example.demo;\nclass Broken { NoSuchType x; }\n"), 0o600))
	_, err = javabuild.Compile(t.Context(), dir, "", t.TempDir())
	require.ErrorIs(t, err, javabuild.ErrSources)
	assert.Contains(t, err.Error(), filepath.Join("src", "com", "example", "demo", "Broken.java")+":2:")
}

// The bundle has its classes, and nothing that build.properties does not include.
func TestBundle(t *testing.T) {
	t.Parallel()
	dir := plugin(t)
	p, err := javabuild.Compile(t.Context(), dir, installation(t), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, 1, p.Jars)
	jar, err := p.Bundle(time.Date(2026, 8, 1, 9, 30, 0, 0, time.UTC))
	require.NoError(t, err)
	r, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	require.NoError(t, err)
	require.Equal(t, "META-INF/MANIFEST.MF", r.File[0].Name)
	f, err := r.File[0].Open()
	require.NoError(t, err)
	manifest, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Contains(t, string(manifest), "Bundle-Version: 1.0.0.202608010930")
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		assert.NotContains(t, f.Name, ".java")
		assert.NotContains(t, f.Name, "org/compiere", "a stub")
	}
	assert.Contains(t, names, "com/example/demo/process/ImportOrders.class")
	assert.NotContains(t, names, "pom.xml")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "build.properties"), []byte("bin.includes = ../../etc/\n"), 0o600))
	_, err = p.Bundle(time.Now())
	require.ErrorContains(t, err, "../../etc/", "nothing outside of the plugin is packed")
}
