package engine

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Bounds of an attachment, so that a small archive cannot fill the memory.
const (
	maxEntries   = 1000
	maxUnzipped  = 128 << 20
	MaxEntryName = 255
)

// Attachment are the files of one record: an AD_Attachment row, which holds
// them as a zip archive.
type Attachment struct {
	row     store.Row // nil for a new one
	Entries []AttachmentEntry
}

// AttachmentEntry is one file of an attachment.
type AttachmentEntry struct {
	Name string
	Data []byte
}

// Find is the index of the file with that name, -1 when there is none.
func (a *Attachment) Find(name string) int {
	for i, e := range a.Entries {
		if e.Name == name {
			return i
		}
	}
	return -1
}

// Zip packs the files; equal files give equal bytes.
func (a *Attachment) Zip() ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range a.Entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = f.Write(e.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", e.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing attachments: %w", err)
	}
	return b.Bytes(), nil
}

// Unzip unpacks an archive within bounds. Folders are left out.
func Unzip(data []byte) ([]AttachmentEntry, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, WithCause("The data is not a zip archive", err)
	}
	if len(r.File) > maxEntries {
		return nil, PublicError(fmt.Sprintf("The archive holds more than %d files", maxEntries))
	}
	left := int64(maxUnzipped)
	var entries []AttachmentEntry
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if f.Name == "" || len(f.Name) > MaxEntryName || strings.ContainsRune(f.Name, 0) {
			return nil, PublicError("The archive holds a file without a usable name")
		}
		rc, err := f.Open()
		if err != nil {
			return nil, WithCause(PublicError("The archive cannot be unpacked: "+JSONOf(f.Name)), err)
		}
		content, err := io.ReadAll(io.LimitReader(rc, left+1))
		if err := errors.Join(err, rc.Close()); err != nil {
			return nil, WithCause(PublicError("The archive cannot be unpacked: "+JSONOf(f.Name)), err)
		}
		if left -= int64(len(content)); left < 0 {
			return nil, PublicError(fmt.Sprintf("The archive unpacks to more than %d MiB", maxUnzipped>>20))
		}
		entries = append(entries, AttachmentEntry{f.Name, content})
	}
	return entries, nil
}

// attachmentWhere finds the attachment rows of a record.
func attachmentWhere(r *Record) (string, []any) {
	args := []any{r.Table.ID}
	var any1 []string
	if id := r.ID(); id > 0 {
		any1, args = append(any1, "Record_ID=?"), append(args, id)
	}
	if uu := r.UUID(); uu != "" {
		any1, args = append(any1, "Record_UU=?"), append(args, uu)
	}
	if len(any1) == 0 {
		return "", nil
	}
	return "AD_Table_ID=? AND (" + strings.Join(any1, " OR ") + ")", args
}

// LoadAttachment reads the files of a record, nil when it has none.
func (s *Session) LoadAttachment(ctx context.Context, tx *store.Tx, r *Record) (*Attachment, error) {
	where, args := attachmentWhere(r)
	if where == "" {
		return nil, nil
	}
	row, err := FirstRow(ctx, tx, "AD_Attachment", "AD_Attachment_ID", where+" AND AD_Client_ID IN (0,?)", append(args, s.ClientID)...)
	if err != nil || row == nil {
		return nil, err
	}
	a := &Attachment{row: row}
	if data, ok := row["BinaryData"].([]byte); ok && len(data) > 0 {
		if a.Entries, err = Unzip(data); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// DeleteAttachment deletes the attachment of a record with all its files.
func (s *Session) DeleteAttachment(ctx context.Context, tx *store.Tx, _ *Record, a *Attachment) error {
	t, err := tx.Table(ctx, "AD_Attachment")
	if err != nil {
		return err
	}
	_, err = tx.Delete(ctx, t, "AD_Attachment_ID=?", a.row.Int("AD_Attachment_ID"))
	return err
}

// SaveAttachment stores the files of a record, of which there may be none.
func (s *Session) SaveAttachment(ctx context.Context, tx *store.Tx, r *Record, a *Attachment) error {
	t, err := tx.Table(ctx, "AD_Attachment")
	if err != nil {
		return err
	}
	size := 0
	for _, e := range a.Entries {
		size += len(e.Data)
	}
	if len(a.Entries) > maxEntries || size > maxUnzipped {
		return PublicError(fmt.Sprintf("An attachment holds at most %d files and %d MiB", maxEntries, maxUnzipped>>20))
	}
	data, err := a.Zip()
	if err != nil {
		return err
	}
	if a.row != nil {
		return s.ChangeRow(ctx, tx, t.Name, a.row, store.Row{"BinaryData": data})
	}
	row := store.Row{"AD_Table_ID": r.Table.ID, "Title": "zip", "BinaryData": data}
	if id := r.ID(); id > 0 {
		row["Record_ID"] = id
	}
	if uu := r.UUID(); uu != "" {
		row["Record_UU"] = uu
	}
	_, err = s.InsertRow(ctx, tx, t.Name, row)
	return err
}

// removeAttachments deletes the files of a record that is deleted.
func (s *Session) removeAttachments(ctx context.Context, tx *store.Tx, r *Record) error {
	where, args := attachmentWhere(r)
	t, err := NamedTable(ctx, tx, "AD_Attachment")
	if where == "" || t == nil {
		return err
	}
	_, err = tx.Delete(ctx, t, where, args...)
	return err
}

// mediaTypes are the types of the files people attach; the list is our own so
// that responses do not depend on the machine.
var mediaTypes = map[string]string{
	".bin": "application/x-binary", ".csv": "text/csv", ".doc": "application/msword", ".gif": "image/gif", ".gz": "application/gzip",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".htm":  "text/html", ".html": "text/html", ".jar": "application/java-archive", ".jpeg": "image/jpeg", ".jpg": "image/jpeg",
	".json": "application/json", ".log": "text/plain", ".md": "text/markdown", ".mp4": "video/mp4",
	".odt": "application/vnd.oasis.opendocument.text", ".pdf": "application/pdf", ".png": "image/png",
	".ppt": "application/vnd.ms-powerpoint", ".rtf": "application/rtf", ".sql": "text/plain", ".svg": "image/svg+xml",
	".tar": "application/x-tar", ".tif": "image/tiff", ".tiff": "image/tiff", ".txt": "text/plain", ".webp": "image/webp",
	".xls": "application/vnd.ms-excel", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml", ".zip": "application/zip",
}

// MediaType is the type of a file by its name.
func MediaType(name string) string {
	if t, ok := mediaTypes[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}
