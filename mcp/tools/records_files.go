package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/mcp"
)

type printRecordIn struct {
	recordIn
	Format string `json:"format,omitempty" jsonschema:"PDF (default), HTML, CSV, XLS or XLSX"`
}

type printRecordOut struct {
	Notice  string `json:"notice"`
	Table   string `json:"table"`
	ID      string `json:"id"`
	Summary string `json:"summary,omitempty"`
	withFile
}

func (b *Toolbox) printRecord() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "printRecord", Title: "Print a record", Sets: []string{SetRecords}, Hints: mcp.Hints{Idempotent: true}, Timeout: buildTimeout, Cost: mcp.Cost{APICalls: 2},
		Unasked:     "it prints without asking, because that changes no data; the ERP keeps that it was printed",
		Description: "Prints a record, such as an order or invoice, by the print process of its window. The file is a resource.",
		Input:       input[printRecordIn](shorter(120, "table"), keyed("id"), shorter(4, "format")), Output: output[printRecordOut](),
	}, func(ctx context.Context, c *mcp.Call, in printRecordIn) (*printRecordOut, error) {
		format, err := reportFormat(in.Format)
		if err != nil {
			return nil, err
		}
		at, err := b.seen(ctx, c, in.Table, string(in.ID))
		if err != nil {
			return nil, err
		}
		ctx, client, err := b.connect(ctx, c, "print records")
		if err != nil {
			return nil, err
		}
		if err := c.Begin(ctx); err != nil {
			return nil, err
		}
		defer heartbeat(ctx, c, "printing")()
		r, err := client.Print(ctx, at.table, at.id, format)
		var refused *erp.Error
		if errors.As(err, &refused) && refused.Status == 404 && !refused.Page {
			return nil, caused(err, mcp.CodeUnsupported, "a record is printed by the process of its window's first tab; run a report with executeProcess instead",
				"%s cannot be printed: %s", at.table, clip(refused.Title+": "+refused.Detail, 500))
		}
		if err != nil {
			return nil, processFailed(err)
		}
		out := &printRecordOut{Notice: untrusted, Table: at.table, ID: at.id.String(), Summary: clip(r.Summary, 1000)}
		if file, data, ok := r.File(); ok {
			out.File = b.keepFile(ctx, c, file, data)
		}
		return out, nil
	})
}

const (
	// maxAttachment is how many bytes a tool attaches to a record.
	maxAttachment = 4 << 20
	// mostShown is how many bytes a question shows of a text that it cannot show whole.
	mostShown = 2000
)

type recordAttachmentsIn struct {
	recordIn
	Action string  `json:"action,omitempty" jsonschema:"add and delete ask the user"`
	Name   string  `json:"name,omitempty" jsonschema:"of the file"`
	Text   *string `json:"text,omitempty" jsonschema:"for add: content"`
	Base64 *string `json:"base64,omitempty" jsonschema:"or content in base64"`
}

type attachmentLine struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType,omitempty"`
}

type recordAttachmentsOut struct {
	Notice      string           `json:"notice"`
	Table       string           `json:"table"`
	ID          string           `json:"id"`
	Status      string           `json:"status" jsonschema:"listed, read, added, exists (with the same content, unchanged) or deleted"`
	Attachments []attachmentLine `json:"attachments" jsonschema:"names of all files now"`
	withFile
	Note string `json:"note,omitempty"`
}

func (b *Toolbox) recordAttachments() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "recordAttachments", Title: "Files of a record", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true, Cost: mcp.Cost{APICalls: 3},
		Description: "Lists, reads (as a resource), adds or deletes files attached to a record.",
		Input: input[recordAttachmentsIn](shorter(120, "table"), keyed("id"), shorter(200, "name"), oneOf("action", "list", "get", "add", "delete"),
			shorter(maxAttachment, "text"), shorter(base64.StdEncoding.EncodedLen(maxAttachment), "base64")),
		Output: output[recordAttachmentsOut](),
	}, b.runRecordAttachments)
}

func (b *Toolbox) runRecordAttachments(ctx context.Context, c *mcp.Call, in recordAttachmentsIn) (any, error) {
	data, err := in.check()
	if err != nil {
		return nil, err
	}
	it, err := b.seen(ctx, c, in.Table, string(in.ID))
	if err != nil {
		return nil, err
	}
	name, id, record := it.table, it.id, it.record
	ctx, client, err := b.connect(ctx, c, "reach attachments")
	if err != nil {
		return nil, err
	}
	there, err := client.Attachments(ctx, name, id)
	if err != nil {
		return nil, err
	}
	at := attachments{client: client, table: name, id: id}
	out := &recordAttachmentsOut{Notice: untrusted, Table: name, ID: id.String(), Status: "listed"}
	if in.Action == "get" || in.Action == "delete" {
		if err := attached(there, in.Name); err != nil {
			return nil, err
		}
	}
	switch in.Action {
	case "get":
		content, whole, err := at.read(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		out.Status = "read"
		if !whole {
			out.Note = fmt.Sprintf("it has more than the %d MB that are delivered: open it in the ERP", maxFile>>20)
			break
		}
		out.File = b.keepFile(ctx, c, in.Name, content)
	case "add":
		if out.Status, out.Note, err = at.taken(ctx, there, in.Name, data); err != nil || out.Status != "" {
			break
		}
		if err := c.Confirmed(ctx, restsOn(in.attachQuestion(name, named(id, record), data), record)); err != nil {
			return nil, err
		}
		if out.Status, out.Note, err = at.add(ctx, in.Name, data); err != nil {
			return nil, err
		}
	case "delete":
		question, err := at.deleteQuestion(ctx, in.Name, record)
		if err != nil {
			return nil, err
		}
		if err := c.Confirmed(ctx, question); err != nil {
			return nil, err
		}
		if err := client.DeleteAttachment(ctx, name, id, in.Name); err != nil {
			return nil, err
		}
		out.Status = "deleted"
	}
	if err != nil {
		return nil, err
	}
	if in.Action == "add" || in.Action == "delete" {
		if there, err = client.Attachments(ctx, name, id); err != nil {
			there, out.Note = nil, strings.TrimPrefix(out.Note+"; the files cannot be listed now", "; ")
		}
	}
	out.Attachments = mapped(there, func(a *erp.Attachment) attachmentLine { return attachmentLine{a.Name, a.ContentType} })
	if short := fitting(out.Attachments); len(short) < len(out.Attachments) {
		out.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d of %d files are shown", out.Note, len(short), len(out.Attachments)), "; ")
		out.Attachments = short
	}
	return out, nil
}

// check refuses arguments that do not fit together, and returns the content to add.
func (in *recordAttachmentsIn) check() ([]byte, error) {
	wrong := func(message, hint string) ([]byte, error) {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "recordAttachments: " + message, Hint: hint}
	}
	adds := in.Action == "add"
	switch {
	case in.Action == "list":
		return nil, nil
	case in.Name == "":
		return wrong(in.Action+" needs the name of the file", "the action list shows the names")
	case strings.ContainsAny(in.Name, "/\\\x00") || strings.ContainsFunc(in.Name, func(r rune) bool { return r < ' ' }):
		return wrong("the name of a file has no slashes and no control characters", "give the name alone, such as plan.pdf")
	case adds && (in.Text == nil) == (in.Base64 == nil):
		return wrong("add needs the content as text or as base64", "give one of both")
	case !adds:
		return nil, nil
	case in.Text != nil && len(*in.Text) > maxAttachment:
		return wrong(fmt.Sprintf("the text has more than %d MB", maxAttachment>>20), "attach large files in the ERP")
	case in.Text != nil:
		return []byte(*in.Text), nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(*in.Base64), ""))
	if err != nil {
		return wrong("the content is not base64", "a plain text goes into text")
	}
	return data, nil
}

// attached refuses a name that is not among the files.
func attached(there []erp.Attachment, name string) error {
	names := mapped(there, func(a *erp.Attachment) string { return a.Name })
	if slices.Contains(names, name) {
		return nil
	}
	hint := "none is attached"
	switch near := mcp.Nearest(name, names); {
	case len(near) > 0:
		hint = "did you mean " + inQuotes(near) + "?"
	case len(names) > 0:
		hint = "attached are " + inQuotes(names)
	}
	return fail(mcp.CodeNotFound, hint, "no file %q is attached to the record", clip(name, 100))
}

// attachments are the files of one record.
type attachments struct {
	client *erp.Client
	table  string
	id     erp.ID
}

// read is the content of a file; whole is false when it is too long.
func (a attachments) read(ctx context.Context, name string) (content []byte, whole bool, err error) {
	d, err := a.client.DownloadAttachment(ctx, a.table, a.id, name)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	content, err = io.ReadAll(io.LimitReader(d, maxFile+1))
	if err != nil {
		return nil, false, fmt.Errorf("reading the file %s: %w", clip(name, 100), err)
	}
	return content, len(content) <= maxFile, nil
}

// taken is what to say when a file of the name is attached already; "" when none is.
func (a attachments) taken(ctx context.Context, there []erp.Attachment, name string, data []byte) (status, note string, err error) {
	switch {
	case !slices.ContainsFunc(there, func(f erp.Attachment) bool { return f.Name == name }):
		return "", "", nil
	case a.same(ctx, name, data):
		return "exists", "a file with this name and content is attached already; nothing was written", nil
	}
	return "", "", fail(mcp.CodeConflict, "use another name, or delete that one first", "a file %q with another content is attached already", clip(name, 100))
}

// attachQuestion is what the user is asked before a file is attached.
func (in *recordAttachmentsIn) attachQuestion(table string, record mcp.Ref, data []byte) *mcp.Question {
	q := mcp.Ask("Attach the file %s of %s bytes to %s %s?", in.Name, len(data), mcp.Name(table), record).Fact("SHA-256", digestOf(data))
	if in.Text == nil {
		return q.Say("Its content is not shown.")
	}
	beginning := *q
	if _, err := q.Fact("content", *in.Text).Text(); err == nil {
		return q
	}
	return beginning.Fact(fmt.Sprintf("the first %d bytes; the rest is not shown", mostShown), text.FirstBytes(*in.Text, mostShown))
}

// deleteQuestion is what the user is asked before a file is deleted, with what tells its
// content from another.
func (a attachments) deleteQuestion(ctx context.Context, name string, record erp.Record) (*mcp.Question, error) {
	content, whole, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	q := restsOn(mcp.Ask("Delete the file %s attached to %s %s?", name, mcp.Name(a.table), named(a.id, record)), record)
	if !whole {
		q.Say("What follows is of its first %s bytes.", len(content))
	}
	return q.Fact("bytes", len(content)).Fact("SHA-256", digestOf(content)), nil
}

// digestOf tells one content from another.
func digestOf(data []byte) mcp.Name {
	sum := sha256.Sum256(data)
	return mcp.Name(hex.EncodeToString(sum[:]))
}

// add attaches a file. One that is there with the same content is left alone.
func (a attachments) add(ctx context.Context, name string, data []byte) (status, note string, err error) {
	err = a.client.UploadAttachment(ctx, a.table, a.id, erp.NewAttachment(name, data))
	switch {
	case err == nil:
		return "added", "", nil
	case errors.Is(err, erp.ErrExists):
		return a.taken(ctx, []erp.Attachment{{Name: name}}, name, data)
	case errors.Is(err, erp.ErrOutcomeUnknown) && ctx.Err() == nil && a.same(ctx, name, data):
		return "added", "the response of the ERP was lost; the file is attached", nil
	}
	return "", "", err
}

// same reports whether a file is attached with that content.
func (a attachments) same(ctx context.Context, name string, data []byte) bool {
	has, whole, err := a.read(ctx, name)
	return err == nil && whole && bytes.Equal(has, data)
}
