package javabuild

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bundle packs the compiled plugin with what its build.properties include, as the
// ERP's server takes it. The version's qualifier becomes the time.
func (p *Plugin) Bundle(now time.Time) ([]byte, error) {
	properties, err := os.ReadFile(filepath.Join(p.dir, "build.properties"))
	if err != nil {
		return nil, fmt.Errorf("packing the plugin: %w", err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name string, content []byte) error {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: now})
		if err == nil {
			_, err = entry.Write(content)
		}
		return err
	}
	const manifestName = "META-INF/MANIFEST.MF"
	manifest, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(manifestName)))
	if err != nil {
		return nil, fmt.Errorf("packing the plugin: %w", err)
	}
	manifest = bytes.Replace(manifest, []byte(".qualifier"), []byte(now.UTC().Format(".200601021504")), 1)
	if err := add(manifestName, manifest); err != nil { // loaders expect it first
		return nil, err
	}
	packed := []string{manifestName}
	for _, included := range includes(string(properties)) {
		dir, folder := p.dir, strings.TrimSuffix(included, "/")
		if included == "." {
			dir, folder = p.classes, "."
		}
		files, err := filesBelow(dir, folder, "")
		if err != nil {
			return nil, fmt.Errorf("packing %s, which build.properties include: %w", included, err)
		}
		for _, name := range files {
			if slices.Contains(packed, name) {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, fmt.Errorf("packing the plugin: %w", err)
			}
			if err := add(name, content); err != nil {
				return nil, err
			}
			packed = append(packed, name)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// includes are the entries of bin.includes, whose lines go on after a backslash.
func includes(properties string) []string {
	properties = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(properties)
	var list []string
	for line := range strings.Lines(properties) {
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(name) != "bin.includes" {
			continue
		}
		for entry := range strings.SplitSeq(value, ",") {
			if entry = strings.TrimSpace(entry); entry != "" {
				list = append(list, entry)
			}
		}
	}
	return list
}
