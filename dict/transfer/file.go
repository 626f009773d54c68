package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Format is the format of a file of text.
type Format string

// The formats of text. A [Workbook] is an input of its own.
const (
	CSV      Format = "csv"
	TSV      Format = "tsv"    // CSV with tabs between its cells
	NDJSON   Format = "ndjson" // one JSON object per line
	JSONList Format = "json"   // a list of objects, or {"records":[…]}
)

// FormatOf is the format that the extension of a file says; false: none of them.
func FormatOf(path string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".txt":
		return CSV, true
	case ".tsv":
		return TSV, true
	case ".ndjson", ".jsonl":
		return NDJSON, true
	case ".json":
		return JSONList, true
	}
	return "", false
}

// File is a file of text on disk. It is an [Input].
type File struct {
	Path   string
	Format Format
	// Delimiter is that of CSV; 0: the one that the first line shows, and a tab in TSV.
	Delimiter byte
	// Called is the name in messages; empty: Path.
	Called string
}

// Name implements [Input].
func (f File) Name() string { return cmp.Or(f.Called, f.Path) }

// Open implements [Input].
func (f File) Open() (Reader, error) {
	in, err := OpenRegular(f.Path)
	if err != nil {
		return nil, err
	}
	switch f.Format {
	case CSV:
		return newCSV(in, f.Delimiter), nil
	case TSV:
		return newCSV(in, cmp.Or(f.Delimiter, '\t')), nil
	case NDJSON:
		return newJSON(in, false), nil
	case JSONList:
		return newJSON(in, true), nil
	}
	return nil, fmt.Errorf("there is no format %q; use csv, tsv, ndjson or json: %w", f.Format, errNoFormat(in))
}

func errNoFormat(in io.Closer) error {
	_ = in.Close() // nothing was read
	return ErrFile
}

// OpenRegular opens a file for reading, and refuses what is not a regular file.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &FileError{Name: path, Problem: "it is a folder; name a file in it"}
	case !info.Mode().IsRegular():
		err = &FileError{Name: path, Problem: "it is not a regular file; it is read more than once, so copy it to one, or give it as standard input"}
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	return f, nil
}

// Digest implements [Input].
func (f File) Digest() (string, error) { return DigestOf(f.Path) }

// DigestOf is the SHA-256 digest of a file.
func DigestOf(path string) (string, error) {
	in, err := OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
