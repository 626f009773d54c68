package tools

import (
	"context"
	"crypto/rand"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/mcp"
)

// fileURI is the address of a file that a tool made.
const fileURI = "erp://file/{key}"

const (
	fileTime  = 10 * time.Minute // how long a file can be read, where nobody says
	maxFile   = 10 << 20         // bytes of one
	shownText = 6000             // bytes of a text that are shown at once
)

// fileOut is a file as a result tells of it.
type fileOut struct {
	Name     string `json:"name"`
	Bytes    int    `json:"bytes"`
	MIMEType string `json:"mimeType,omitempty"`
	URI      string `json:"uri,omitempty" jsonschema:"resource to read it from, for this caller"`
	Until    string `json:"until,omitempty"`
	Text     string `json:"text,omitempty" jsonschema:"content of a short text file"`
	Note     string `json:"note,omitempty"`
}

// fileOwner tells callers apart, also those that are not known.
func fileOwner(c mcp.Caller) string {
	if !c.Known {
		return fmt.Sprintf("%q in session %q", c.ID, c.Session)
	}
	return fmt.Sprintf("%q %d/%d/%d/%d", c.ID, c.ClientID, c.UserID, c.RoleID, c.OrgID)
}

// keepFile keeps a file for its caller and describes it. That it cannot be kept is
// noted and no error: what it is about has been done.
func (b *Toolbox) keepFile(ctx context.Context, c *mcp.Call, name string, data []byte) *fileOut {
	if name = path.Base(strings.ReplaceAll(clip(name, 200), `\`, "/")); name == "." || name == "/" {
		name = "file"
	}
	out := &fileOut{Name: name, Bytes: len(data), MIMEType: typeOf(name, data)}
	if len(data) > maxFile {
		out.Note = fmt.Sprintf("it has more than the %d MB that are delivered: request less, or run it with erphub", maxFile>>20)
		return out
	}
	if isText(out.MIMEType, data) && len(data) <= shownText {
		out.Text = string(data)
	}
	key := rand.Text()
	if err := b.files.KeepFile(ctx, key, fileOwner(c.Caller), mcp.File{MIMEType: out.MIMEType, Data: data}, b.fileTime); err != nil {
		b.log.WarnContext(ctx, "a file that a tool made is not kept", "error", err)
		out.Note = "the server cannot keep files just now, so it cannot be read; request it again later"
		return out
	}
	out.URI, out.Until = strings.Replace(fileURI, "{key}", key, 1), b.now().Add(b.fileTime).UTC().Format(time.RFC3339)
	return out
}

// withFile is embedded in results that may hand over a file.
type withFile struct {
	File *fileOut `json:"file,omitempty"`
}

// ResultLink implements [mcp.Linker].
func (w withFile) ResultLink() *mcp.Link {
	if w.File == nil || w.File.URI == "" {
		return nil
	}
	return &mcp.Link{URI: w.File.URI, Name: w.File.Name, MIMEType: w.File.MIMEType, Size: int64(w.File.Bytes), Description: "until " + w.File.Until}
}

// fileTypes are not asked of the machine, which may have nothing.
var fileTypes = map[string]string{
	".pdf": "application/pdf", ".html": "text/html", ".htm": "text/html", ".csv": "text/csv", ".txt": "text/plain", ".zip": "application/zip", ".json": "application/json",
}

func typeOf(name string, data []byte) string {
	if kind, ok := fileTypes[strings.ToLower(path.Ext(name))]; ok {
		return kind
	}
	kind, _, err := mime.ParseMediaType(http.DetectContentType(data))
	if err != nil {
		return "application/octet-stream"
	}
	return kind
}

func isText(kind string, data []byte) bool {
	return (strings.HasPrefix(kind, "text/") || kind == "application/json") && utf8.Valid(data)
}

// fileTemplate is how files are read.
func (b *Toolbox) fileTemplate() mcp.ResourceTemplate {
	return mcp.ResourceTemplate{
		URITemplate: fileURI, Name: "file", Title: "File",
		Description: "A file that a tool made for you, such as a report or a plugin, for a time.",
		Read: func(ctx context.Context, c *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
			file, found, err := b.files.FindFile(ctx, v["key"], fileOwner(c.Caller))
			if err != nil {
				return mcp.ResourceContent{}, fmt.Errorf("reading the file: %w", err)
			}
			if !found {
				return mcp.ResourceContent{}, mcp.NoResource(uri)
			}
			content := mcp.ResourceContent{URI: uri, MIMEType: file.MIMEType}
			if isText(file.MIMEType, file.Data) {
				content.Text = string(file.Data)
			} else {
				content.Data = file.Data
			}
			return content, nil
		},
	}
}
