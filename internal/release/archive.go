package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"time"
)

// file is one of an archive.
type file struct {
	name    string
	content []byte
	program bool
	link    string // another name of that file, instead of a content
}

// archive packs a program with the documents: a ZIP for Windows, a tar elsewhere.
// The tool server is the same program under another name. ZIP files have no links,
// so there a script makes one when it is first called.
func (b *builder) archive(program, system string) (name string, packed []byte, err error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return "", nil, err
	}
	base := b.base(system)
	var out bytes.Buffer
	if strings.HasPrefix(system, "windows/") {
		files := append([]file{{name: "erphub.exe", content: content, program: true}, {name: "erphub-mcp.cmd", content: []byte(linkOnWindows), program: true}}, b.documents...)
		err = writeZip(&out, base, files, b.at)
		return base + ".zip", out.Bytes(), err
	}
	files := append([]file{{name: "erphub", content: content, program: true}, {name: "erphub-mcp", link: "erphub"}}, b.documents...)
	err = writeTar(&out, base, files, b.at)
	return base + ".tar.gz", out.Bytes(), err
}

// linkOnWindows starts erphub.exe under the name erphub-mcp.exe, by which Windows
// finds it before the script from then on.
const linkOnWindows = "@echo off\r\n" +
	"if not exist \"%~dp0erphub-mcp.exe\" mklink /H \"%~dp0erphub-mcp.exe\" \"%~dp0erphub.exe\" >nul || exit /b 1\r\n" +
	"\"%~dp0erphub-mcp.exe\" %*\r\n"

// writeTar writes files below a folder, all with one time, owner and mode.
func writeTar(w io.Writer, folder string, files []file, at time.Time) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	packed := tar.NewWriter(zipped)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Size: int64(len(f.content)), Mode: 0o644, ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if f.program {
			h.Mode = 0o755
		}
		if f.link != "" {
			h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.link, 0o777
		}
		if err := packed.WriteHeader(h); err != nil {
			return err
		}
		if _, err := packed.Write(f.content); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

// writeZip is writeTar for ZIP files.
func writeZip(w io.Writer, folder string, files []file, at time.Time) error {
	packed := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(0o644)
		if f.program {
			h.SetMode(0o755)
		}
		to, err := packed.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.content); err != nil {
			return err
		}
	}
	return packed.Close()
}
