package generator

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"path"
	"strings"
)

// Zip writes the tree as a zip archive with all files below the folder root, or
// at the top when root is empty. The same files and root give the same bytes:
// entries are ordered by name and carry no time but the first a zip knows.
func (t *Tree) Zip(w io.Writer, root string) error {
	if root != "" {
		if err := checkFileName(root); err != nil {
			return fmt.Errorf("writing a zip: %w", err)
		}
		if strings.Contains(root, "/") {
			return fmt.Errorf("writing a zip: %w", &NameError{Kind: "top folder", Name: root, Why: "is more than one folder"})
		}
	}
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, compressor())
	for _, f := range t.Files() {
		h := &zip.FileHeader{Name: path.Join(root, f.Name), Method: zip.Deflate, Modified: stamp()}
		if strings.HasSuffix(f.Name, ".zip") {
			h.Method = zip.Store
		}
		h.SetMode(f.Mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return fmt.Errorf("writing %s into a zip: %w", f.Name, err)
		}
		if _, err := entry.Write(f.Content); err != nil {
			return fmt.Errorf("writing %s into a zip: %w", f.Name, err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("finishing a zip: %w", err)
	}
	return nil
}

// compressor makes the compressor of one zip, which is used for one entry after
// the other. Sources are small: the fastest way loses little.
func compressor() zip.Compressor {
	var shared *flate.Writer
	return func(w io.Writer) (io.WriteCloser, error) {
		if shared != nil {
			shared.Reset(w)
			return shared, nil
		}
		var err error
		shared, err = flate.NewWriter(w, flate.BestSpeed)
		return shared, err
	}
}

// Zip is the artifact as a zip archive, below a folder that is named like it.
func (a *Artifact) Zip() ([]byte, error) {
	var b bytes.Buffer
	if err := a.Tree.Zip(&b, a.Name); err != nil {
		return nil, fmt.Errorf("packing %s: %w", a.Name, err)
	}
	return b.Bytes(), nil
}
