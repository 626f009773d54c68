package pack

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/atomicfile"
)

// Saved is an archive inside a plugin.
type Saved struct {
	Path    string // of the file
	Name    string // of the package
	Version Version
	// Warnings are about the plugin: what may keep the ERP from importing the
	// archive.
	Warnings []string
}

// Save writes the plan's archive into a plugin: META-INF/2Pack_X.Y.Z.zip below
// dir, or in dir itself when that is a META-INF folder. The version is the next
// one ([NextVersion]) unless the options name one, which must be usable
// ([CheckVersion]). The package is named like the plugin's Bundle-SymbolicName
// unless the options name it. A file is never replaced.
func Save(dir string, plan *dict.Plan, opts *Options) (*Saved, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	meta, err := metaInf(dir)
	if err != nil {
		return nil, fmt.Errorf("saving a package: %w", err)
	}
	saved := &Saved{}
	name, bundle, err := manifest(filepath.Join(meta, "MANIFEST.MF"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		saved.Warnings = append(saved.Warnings, "the plugin has no META-INF/MANIFEST.MF, so the package is named after the table")
	case err != nil:
		return nil, fmt.Errorf("saving a package: %w", err)
	}
	o.Name = cmp.Or(o.Name, name)
	if o.Version.IsZero() {
		o.Version, err = NextVersion(meta)
	} else {
		err = CheckVersion(meta, o.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("saving a package: %w", err)
	}
	_, strange, err := archives(meta)
	if err != nil {
		return nil, fmt.Errorf("saving a package: %w", err)
	}
	for _, file := range strange {
		saved.Warnings = append(saved.Warnings, file+" has no version of three parts, which stops all imports of the plugin; rename it")
	}
	if v, ok := bundleVersion(bundle); ok && v.Compare(o.Version) < 0 {
		saved.Warnings = append(saved.Warnings, fmt.Sprintf("the plugin has version %s; activators that go by it do not import %s", v, o.Version))
	}
	data, err := build(plan, &o)
	if err != nil {
		return nil, err
	}
	full, err := o.withDefaults(plan)
	if err != nil {
		return nil, err
	}
	saved.Name, saved.Version = full.Name, full.Version
	saved.Path = filepath.Join(meta, full.Version.FileName())
	if err := atomicfile.Write(saved.Path, data, 0o644); err != nil {
		return nil, fmt.Errorf("saving a package: %w", err)
	}
	return saved, nil
}

// metaInf is the plugin's META-INF folder.
func metaInf(dir string) (string, error) {
	meta := dir
	if !strings.EqualFold(filepath.Base(filepath.Clean(dir)), "META-INF") {
		meta = filepath.Join(dir, "META-INF")
	}
	st, err := os.Stat(meta)
	if err != nil || !st.IsDir() {
		return "", fmt.Errorf("%s is not a plugin: it has no folder META-INF", dir)
	}
	return meta, nil
}

// manifest reads name and version of a plugin.
func manifest(path string) (name, version string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	headers := map[string]string{}
	last := ""
	sc := bufio.NewScanner(bytes.NewReader(data))
	for sc.Scan() {
		line := strings.TrimSuffix(sc.Text(), "\r")
		if line == "" {
			break // what follows is about single files
		}
		if rest, ok := strings.CutPrefix(line, " "); ok && last != "" {
			headers[last] += rest
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		last = strings.ToLower(key)
		headers[last] = strings.TrimSpace(value)
	}
	if err := sc.Err(); err != nil {
		return "", "", fmt.Errorf("reading %s: %w", path, err)
	}
	name, _, _ = strings.Cut(headers["bundle-symbolicname"], ";")
	return strings.TrimSpace(name), headers["bundle-version"], nil
}

// bundleVersion is a plugin's version as far as archives are compared with it:
// its first three parts.
func bundleVersion(s string) (Version, bool) {
	parts := strings.SplitN(s, ".", 4)
	if len(parts) < 3 {
		return Version{}, false
	}
	v, err := ParseVersion(strings.Join(parts[:3], "."))
	return v, err == nil
}
