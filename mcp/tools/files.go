package tools

import (
	"context"
	"crypto/rand"
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/mcp"
)

// fileURI is the address of a file that a tool made.
const fileURI = "erp://file/{key}"

const (
	fileTime  = 10 * time.Minute // how long a file can be read
	maxFile   = 10 << 20         // bytes of one
	ownFiles  = 20 << 20         // bytes of all that one caller has
	allFiles  = 64 << 20         // bytes of all there are
	shownText = 6000             // bytes of a text that are shown at once
)

// files are those that tools made for callers, in memory. Who made it reads it,
// nobody else; the oldest make room for new ones.
type files struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	kept []*madeFile
}

type madeFile struct {
	key, owner string
	name, mime string
	data       []byte
	until      time.Time
}

// fileOut is a file as a result tells of it.
type fileOut struct {
	Name     string `json:"name"`
	Bytes    int    `json:"bytes"`
	MIMEType string `json:"mimeType,omitempty"`
	URI      string `json:"uri,omitempty" jsonschema:"resource to read it from, for this caller, for 10 minutes"`
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

// keepFile keeps a file for its caller and describes it.
func (b *Toolbox) keepFile(c *mcp.Call, name string, data []byte) *fileOut {
	if name = path.Base(strings.ReplaceAll(clip(name, 200), `\`, "/")); name == "." || name == "/" {
		name = "file"
	}
	out := &fileOut{Name: name, Bytes: len(data), MIMEType: typeOf(name, data)}
	if len(data) > maxFile {
		out.Note = fmt.Sprintf("it has more than the %d MB that are delivered: run it in the ERP, or with erphub process run --output", maxFile>>20)
		return out
	}
	if isText(out.MIMEType, data) && len(data) <= shownText {
		out.Text = string(data)
	}
	key := b.files.keep(&madeFile{owner: fileOwner(c.Caller), name: name, mime: out.MIMEType, data: data})
	out.URI = strings.Replace(fileURI, "{key}", key, 1)
	return out
}

// withFile is a result with a link to the file that belongs to it; out without one.
func withFile(out any, f *fileOut) (any, error) {
	if f == nil || f.URI == "" {
		return out, nil
	}
	raw, err := mcp.Encode(out)
	if err != nil {
		return nil, err
	}
	return &mcp.Result{Structured: out, Content: []mcp.Content{
		mcp.Text(string(raw)), {Link: &mcp.Link{URI: f.URI, Name: f.Name, MIMEType: f.MIMEType}},
	}}, nil
}

func typeOf(name string, data []byte) string {
	switch strings.ToLower(path.Ext(name)) { // not as the machine has it: it may have nothing
	case ".pdf":
		return "application/pdf"
	case ".html", ".htm":
		return "text/html"
	case ".csv":
		return "text/csv"
	case ".txt":
		return "text/plain"
	case ".json":
		return "application/json"
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

// keep takes a file in and returns its key.
func (f *files) keep(file *madeFile) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	file.key, file.until = rand.Text(), f.now().Add(fileTime)
	f.dropLocked(func(old *madeFile) bool { return !old.until.After(f.now()) })
	for _, room := range []struct {
		most int
		of   func(*madeFile) bool
	}{
		{ownFiles, func(old *madeFile) bool { return old.owner == file.owner }},
		{allFiles, func(*madeFile) bool { return true }},
	} {
		size := len(file.data)
		for i := len(f.kept) - 1; i >= 0; i-- { // from the newest on
			if old := f.kept[i]; room.of(old) {
				if size += len(old.data); size > room.most {
					f.dropLocked(func(o *madeFile) bool { return o == old })
					size -= len(old.data)
				}
			}
		}
	}
	f.kept = append(f.kept, file)
	key := file.key                                  // not the file: one that made room is to be gone
	time.AfterFunc(fileTime, func() { f.drop(key) }) // what nobody asks for does not stay
	return key
}

func (f *files) drop(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropLocked(func(o *madeFile) bool { return o.key == key })
}

func (f *files) dropLocked(which func(*madeFile) bool) { f.kept = slices.DeleteFunc(f.kept, which) }

// find is a file of the owner, nil when there is none.
func (f *files) find(owner, key string) *madeFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, file := range f.kept {
		if file.key == key && file.owner == owner && file.until.After(f.now()) {
			return file
		}
	}
	return nil
}

// fileTemplate is how files are read.
func (b *Toolbox) fileTemplate() mcp.ResourceTemplate {
	return mcp.ResourceTemplate{
		URITemplate: fileURI, Name: "file", Title: "File",
		Description: "A file that a tool made for you, such as a report, for 10 minutes.",
		Read: func(_ context.Context, c *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
			file := b.files.find(fileOwner(c.Caller), v["key"])
			if file == nil {
				return mcp.ResourceContent{}, mcp.NoResource(uri)
			}
			content := mcp.ResourceContent{URI: uri, MIMEType: file.mime}
			if isText(file.mime, file.data) {
				content.Text = string(file.data)
			} else {
				content.Data = file.data
			}
			return content, nil
		},
	}
}
