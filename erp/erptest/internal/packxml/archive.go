package packxml

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits bound what an archive may hold.
type Limits struct {
	Entries int   // files in the zip
	Bytes   int64 // of one file, and of all blobs that are read
	Records int   // elements with a type
	Depth   int   // elements inside each other
	Columns int   // properties of one record
}

// DefaultLimits are far above any real archive.
var DefaultLimits = Limits{Entries: 10_000, Bytes: 128 << 20, Records: 200_000, Depth: 32, Columns: 2000}

// Archive is an opened package archive.
type Archive struct {
	Top    string // its folder
	limits Limits
	files  map[string]*zip.File // by name below Top
	left   int64                // bytes of blobs that may still be read
}

// ErrFormat is in the error of an archive or file that does not have the form.
var ErrFormat = errors.New("not a usable package archive")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

// Open checks a zip's table of contents: one folder, no names that lead out of
// it, and a PackOut.xml. Nothing is unpacked yet.
func Open(data []byte, limits Limits) (*Archive, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, refuse("the file is no zip, or is cut off (%v)", err)
	}
	if len(zr.File) == 0 {
		return nil, refuse("it is empty")
	}
	if len(zr.File) > limits.Entries {
		return nil, refuse("it has %d entries, more than %d", len(zr.File), limits.Entries)
	}
	a := &Archive{limits: limits, files: map[string]*zip.File{}, left: limits.Bytes}
	for _, f := range zr.File {
		if err := a.add(f); err != nil {
			return nil, err
		}
	}
	if a.files["dict/PackOut.xml"] != nil {
		return a, nil
	}
	for _, other := range []string{"dict/PackOut.json", "dict/PackOut.yaml"} {
		if a.files[other] != nil {
			return nil, refuse("it has %s, which only later releases read; export it as XML", other)
		}
	}
	return nil, refuse("it has no %s/dict/PackOut.xml", a.Top)
}

// add takes a file of the first folder.
func (a *Archive) add(f *zip.File) error {
	if err := checkName(f.Name); err != nil {
		return err
	}
	top, below, ok := strings.Cut(f.Name, "/")
	if !ok {
		return refuse("%q is not below a folder", f.Name)
	}
	if top == "__MACOSX" && a.Top != "" {
		return nil // added by a program for zips; the ERP looks into the first folder only
	}
	a.Top = cmp.Or(a.Top, top)
	switch {
	case top != a.Top:
		return refuse("it has two folders, %q and %q", a.Top, top)
	case strings.HasSuffix(f.Name, "/"):
		return nil
	case f.Mode()&^0o777 != 0:
		return refuse("%q is no plain file", f.Name)
	case a.files[below] != nil:
		return refuse("it has %q twice", f.Name)
	}
	a.files[below] = f
	return nil
}

// checkName refuses names that would lead out of the archive's folder when
// unpacked, on any system.
func checkName(name string) error {
	clean := strings.TrimSuffix(name, "/")
	if clean == "" || clean != path.Clean(clean) || strings.HasPrefix(clean, "/") || clean == ".." || strings.HasPrefix(clean, "../") ||
		strings.ContainsAny(clean, "\\:\x00") || len(clean) > 1000 {
		return refuse("the entry %.200q has a name that leads out of the archive or cannot be used", name)
	}
	return nil
}

// Blob reads a file below blobs.
func (a *Archive) Blob(name string) ([]byte, error) {
	f := a.files["blobs/"+name]
	if f == nil {
		return nil, refuse("it has no blobs/%s", name)
	}
	rc, err := f.Open()
	if err != nil {
		return nil, refuse("blobs/%s cannot be read (%v)", name, err)
	}
	data, err := io.ReadAll(io.LimitReader(rc, a.left+1))
	if err := errors.Join(err, rc.Close()); err != nil {
		return nil, refuse("blobs/%s cannot be read (%v)", name, err)
	}
	if a.left -= int64(len(data)); a.left < 0 {
		return nil, refuse("its blobs hold more than %d bytes", a.limits.Bytes)
	}
	return data, nil
}
