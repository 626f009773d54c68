package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

func (b *Toolbox) recordTools() mcp.Set {
	return slices.Concat(
		needs[backend.Writer](b, b.createRecord(), b.updateRecord()),
		needs[backend.Connector](b, b.deleteRecord(), b.writeRecords(), b.decideWorkflow(), b.processDocument(), b.printRecord(), b.recordAttachments()),
	)
}

// valuesSchema makes values an object of what columns can hold.
func valuesSchema(s *jsonschema.Schema) {
	p := property(s, "values")
	most, least := 200, 1
	*p = jsonschema.Schema{
		Type: "object", Description: p.Description, MinProperties: &least, MaxProperties: &most,
		AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean", "null", "object", "array"}},
	}
}

type createRecordIn struct {
	Table  string                     `json:"table" jsonschema:"name of a table in any case, such as C_BPartner"`
	Values map[string]json.RawMessage `json:"values" jsonschema:"by column name: text, number, true or false, date as 2026-08-01; a reference by number or name of the record, a list by code or label"`
	UUID   string                     `json:"uuid,omitempty" jsonschema:"UUID of the new record: with it the same call can be retried and creates one record only"`
}

// storedValue is a column as the ERP has it.
type storedValue struct {
	Column string `json:"column"`
	Before any    `json:"before,omitempty" jsonschema:"what it was; absent: nothing, or hidden"`
	Value  any    `json:"value,omitempty" jsonschema:"what the ERP has now; absent: nothing, or hidden"`
}

type writeRecordOut struct {
	Notice string        `json:"notice"`
	Table  string        `json:"table"`
	ID     string        `json:"id" jsonschema:"number of the record, or its UUID where it has none"`
	UUID   string        `json:"uuid,omitempty"`
	Status string        `json:"status" jsonschema:"created, exists (it existed, unchanged), updated or unchanged"`
	Values []storedValue `json:"values" jsonschema:"the columns given, read back: rules of the ERP may have changed them"`
	// Truncated says that values were left out or cut.
	Truncated bool   `json:"truncated" jsonschema:"whether values were left out or cut; getRecord shows them"`
	Note      string `json:"note,omitempty"`
}

func (b *Toolbox) createRecord() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "createRecord", Title: "Create a record", Sets: []string{SetRecords}, Confirms: true, Cost: mcp.Cost{APICalls: 4},
		Description: "Creates one record with your role's permissions, after asking the user, and reads it back. describeTable tells columns, which are mandatory and what they point to.",
		Input:       input[createRecordIn](valuesSchema, shorter(120, "table"), shorter(40, "uuid")),
	}, b.runCreateRecord)
}

func (b *Toolbox) runCreateRecord(ctx context.Context, c *mcp.Call, in createRecordIn) (*writeRecordOut, error) {
	w, err := b.writable(ctx, c, in.Table, in.Values, nil)
	if err != nil {
		return nil, err
	}
	uuid, again := b.doubts.of(c, b.now())
	note := "an earlier call with the same arguments created it, and its response was lost; nothing more was written"
	if in.UUID != "" {
		if uuid, err = uuidOf(in.UUID, "to get one"); err != nil {
			return nil, err
		}
		if !w.hasUUID {
			return nil, fail(mcp.CodeInvalidArguments, "leave uuid out", "%s has no column for a UUID", w.table)
		}
		again, note = true, "a record with this UUID already exists; nothing was written"
	}
	if again {
		out, err := b.existing(ctx, c, w, uuid, note)
		if out != nil || err != nil {
			return out, err
		}
	}
	if err := b.mayWrite(ctx, c, w.table); err != nil {
		return nil, err
	}
	if err := c.Confirmed(ctx, createQuestion(w)); err != nil {
		return nil, err
	}
	sent := maps.Clone(w.values)
	if w.hasUUID { // lets a record be found whose response is lost
		sent[w.table+"_UU"] = string(uuid)
	}
	made, _, err := backend.Change(ctx, b.pool, "make records", func(ctx context.Context, k backend.Writer) (erp.Record, error) {
		return k.Create(ctx, c.Caller, w.table, sent)
	})
	b.noteDictionary(w.table)
	switch {
	case err == nil:
		b.doubts.forget(sameCall(c))
		return b.readBack(ctx, c, w.table, "created", w.values, nil, made), nil
	case errors.Is(err, erp.ErrExists) && again && w.hasUUID:
		if out, readErr := b.existing(ctx, c, w, uuid, note); out != nil && readErr == nil {
			return out, nil
		}
	case errors.Is(err, erp.ErrOutcomeUnknown) && w.hasUUID:
		if there, readErr := b.read(ctx, c, w.table, string(uuid)); readErr == nil {
			return b.readBack(ctx, c, w.table, "created", w.values, nil, there), nil
		}
		b.doubts.keep(sameCall(c), uuid, b.now().Add(doubtTime)) // the ERP may still be at it
		return nil, createdOnce(err, uuid)
	}
	return nil, err
}

// existing describes the record of a UUID; nil when it does not exist.
func (b *Toolbox) existing(ctx context.Context, c *mcp.Call, w *writing, uuid dict.UUID, note string) (*writeRecordOut, error) {
	there, err := b.read(ctx, c, w.table, string(uuid))
	if errors.Is(err, erp.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b.doubts.forget(sameCall(c))
	out := written(w.table, "exists", w.values, nil, there)
	out.Note = note
	return out, nil
}

type updateRecordIn struct {
	Table  string                     `json:"table" jsonschema:"name of a table in any case"`
	ID     recordKey                  `json:"id" jsonschema:"number, UUID, search key or name"`
	Values map[string]json.RawMessage `json:"values" jsonschema:"columns to change, as in createRecord; null empties one"`
}

func (b *Toolbox) updateRecord() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "updateRecord", Title: "Change a record", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true, Cost: mcp.Cost{APICalls: 3},
		Description: "Changes columns of one record after asking the user, and tells what they were and are.",
		Input:       input[updateRecordIn](valuesSchema, shorter(120, "table"), keyed("id")),
	}, func(ctx context.Context, c *mcp.Call, in updateRecordIn) (*writeRecordOut, error) {
		w, err := b.writable(ctx, c, in.Table, in.Values, nil)
		if err != nil {
			return nil, err
		}
		at, err := b.changeable(ctx, c, w.table, string(in.ID))
		if err != nil {
			return nil, err
		}
		if err := c.Confirmed(ctx, updateQuestion(w, at.id.String(), at.record)); err != nil {
			return nil, err
		}
		changed, _, err := backend.Change(ctx, b.pool, "change records", func(ctx context.Context, k backend.Writer) (erp.Record, error) {
			return k.Update(ctx, c.Caller, at.table, at.id.String(), w.values)
		})
		b.noteDictionary(at.table)
		if err != nil {
			return nil, err
		}
		return b.readBack(ctx, c, at.table, "updated", w.values, &at.record, changed), nil
	})
}

// noteDictionary has the dictionary read again after a change of it.
func (b *Toolbox) noteDictionary(table string) {
	if len(table) > 3 && strings.EqualFold(table[:3], "AD_") {
		b.changes.note()
	}
}

// read is a record as the caller sees it.
func (b *Toolbox) read(ctx context.Context, c *mcp.Call, table, key string) (erp.Record, error) {
	record, _, err := backend.Read(ctx, b.pool, "read records", func(ctx context.Context, r backend.Recorder) (erp.Record, error) {
		return r.Record(ctx, c.Caller, table, key)
	})
	return record, err
}

// search finds records as the caller sees them.
func (b *Toolbox) search(ctx context.Context, c *mcp.Call, s backend.Search) (*backend.Page, error) {
	page, _, err := backend.Read(ctx, b.pool, "search records", func(ctx context.Context, r backend.Recorder) (*backend.Page, error) {
		return r.Search(ctx, c.Caller, s)
	})
	return page, err
}

// changeable is seen for a record that is to be changed or deleted, as far as the
// permission to do so can be found out before.
func (b *Toolbox) changeable(ctx context.Context, c *mcp.Call, table, key string) (*located, error) {
	at, err := b.seen(ctx, c, table, key)
	if err != nil {
		return nil, err
	}
	if err := ownRecord(c, at.table, at.record); err != nil {
		return nil, err
	}
	return at, b.mayWrite(ctx, c, at.table)
}

// readBack reads a record that was written, and falls back to what the ERP
// sent when it cannot be read.
func (b *Toolbox) readBack(ctx context.Context, c *mcp.Call, table, status string, values map[string]any, before *erp.Record, sent erp.Record) *writeRecordOut {
	now, err := b.read(ctx, c, table, keyOf(sent))
	if err != nil {
		now = sent
	}
	out := written(table, status, values, before, now)
	if err != nil {
		out.Note = "it was written, and cannot be read back: " + clip(mcp.ErrorOf(err).Message, 300)
	}
	return out
}

func keyOf(rec erp.Record) string {
	if id := rec.ID(); !id.IsZero() {
		return id.String()
	}
	return rec.UUID()
}

// written tells about the columns that were given. A nil before is that of a new record.
func written(table, status string, values map[string]any, before *erp.Record, now erp.Record) *writeRecordOut {
	after, cut := columnsOf(now)
	var was map[string]json.RawMessage
	if before != nil {
		was, _ = columnsOf(*before)
	}
	out := &writeRecordOut{Notice: untrusted, Table: table, ID: keyOf(now), UUID: now.UUID(), Status: status}
	same := before != nil
	for _, column := range slices.Sorted(maps.Keys(values)) {
		v := storedValue{Column: column}
		if has, ok := after[strings.ToLower(column)]; ok {
			v.Value = has
		}
		if had, ok := was[strings.ToLower(column)]; ok {
			v.Before = had
		}
		same = same && bytes.Equal(was[strings.ToLower(column)], after[strings.ToLower(column)])
		out.Truncated = out.Truncated || slices.Contains(cut, column)
		out.Values = append(out.Values, v)
	}
	if same {
		out.Status = "unchanged"
	}
	if short := fitting(out.Values); len(short) < len(out.Values) {
		out.Values, out.Truncated = short, true
	}
	return out
}

// columnsOf are the values of a record in few words, by name in small letters.
func columnsOf(record erp.Record) (map[string]json.RawMessage, []string) {
	short, cut := compact(record, false, nil)
	var columns map[string]json.RawMessage
	_ = json.Unmarshal(short, &columns) // it was encoded just now
	lower := make(map[string]json.RawMessage, len(columns))
	for name, value := range columns {
		lower[strings.ToLower(name)] = value
	}
	return lower, cut
}
