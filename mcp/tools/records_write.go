package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
			return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: w.table + " has no column for a UUID", Hint: "leave uuid out"}
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
	made, _, err := backend.Change(ctx, b.pool, "make records", func(ctx context.Context, k backend.Writer) (json.RawMessage, error) {
		return k.Create(ctx, c.Caller, w.table, sent)
	})
	b.noteDictionary(w.table)
	switch {
	case err == nil:
		b.doubts.settle(c)
		return b.readBack(ctx, c, w.table, "created", w.values, nil, made)
	case errors.Is(err, erp.ErrExists) && again && w.hasUUID:
		if out, readErr := b.existing(ctx, c, w, uuid, note); out != nil && readErr == nil {
			return out, nil
		}
	case errors.Is(err, erp.ErrOutcomeUnknown) && w.hasUUID:
		if there, readErr := b.read(ctx, c, w.table, string(uuid)); readErr == nil {
			return b.readBack(ctx, c, w.table, "created", w.values, nil, there)
		}
		b.doubts.keep(c, uuid, b.now()) // the ERP may still be at it
		return nil, createdOnce(err, uuid)
	}
	return nil, err
}

// existing tells about the record of a UUID; nil when there is none.
func (b *Toolbox) existing(ctx context.Context, c *mcp.Call, w *writing, uuid dict.UUID, note string) (*writeRecordOut, error) {
	there, err := b.read(ctx, c, w.table, string(uuid))
	if errors.Is(err, erp.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b.doubts.settle(c)
	out, err := written(w.table, "exists", w.values, nil, there)
	if err == nil {
		out.Note = note
	}
	return out, err
}

type updateRecordIn struct {
	Table  string                     `json:"table" jsonschema:"name of a table in any case"`
	ID     recordKey                  `json:"id" jsonschema:"number or UUID of the record"`
	Values map[string]json.RawMessage `json:"values" jsonschema:"columns to change, as in createRecord; null empties one"`
}

func (b *Toolbox) updateRecord() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "updateRecord", Title: "Change a record", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true, Cost: mcp.Cost{APICalls: 3},
		Description: "Changes columns of one record with your role's permissions, after asking the user, and tells what they were and are.",
		Input:       input[updateRecordIn](valuesSchema, shorter(120, "table"), keyed("id")),
	}, func(ctx context.Context, c *mcp.Call, in updateRecordIn) (*writeRecordOut, error) {
		w, err := b.writable(ctx, c, in.Table, in.Values, nil)
		if err != nil {
			return nil, err
		}
		key := string(in.ID)
		name, has, err := b.changeable(ctx, c, w.table, key)
		if err != nil {
			return nil, err
		}
		values, before := w.values, json.RawMessage(has.String())
		if err := c.Confirmed(ctx, updateQuestion(w, key, has)); err != nil {
			return nil, err
		}
		changed, _, err := backend.Change(ctx, b.pool, "change records", func(ctx context.Context, k backend.Writer) (json.RawMessage, error) {
			return k.Update(ctx, c.Caller, name, key, values)
		})
		b.noteDictionary(name)
		if err != nil {
			return nil, err
		}
		return b.readBack(ctx, c, name, "updated", values, before, changed)
	})
}

// noteDictionary has the dictionary read again after a change of it.
func (b *Toolbox) noteDictionary(table string) {
	if len(table) > 3 && strings.EqualFold(table[:3], "AD_") {
		b.changes.note()
	}
}

// read is a record as the caller sees it.
func (b *Toolbox) read(ctx context.Context, c *mcp.Call, table, key string) (json.RawMessage, error) {
	raw, _, err := backend.Read(ctx, b.pool, "read records", func(ctx context.Context, r backend.Recorder) (json.RawMessage, error) {
		return r.Record(ctx, c.Caller, table, key)
	})
	return raw, err
}

// readOne is read for a record that the caller named.
func (b *Toolbox) readOne(ctx context.Context, c *mcp.Call, table, key string) (json.RawMessage, error) {
	raw, err := b.read(ctx, c, table, key)
	if errors.Is(err, erp.ErrNotFound) {
		return nil, &mcp.Error{
			Code: mcp.CodeNotFound, Message: fmt.Sprintf("there is no record %s in %s, or your role may not see it", clip(key, 60), table),
			Hint: "find it with searchRecords or executeQuery", Err: err,
		}
	}
	return raw, err
}

// seen is a record that the caller named, with the name of its table as the
// dictionary spells it.
func (b *Toolbox) seen(ctx context.Context, c *mcp.Call, table, key string) (name string, raw json.RawMessage, err error) {
	t, err := b.table(ctx, c, table)
	if err != nil {
		return "", nil, err
	}
	if name = table; t != nil {
		name = t.Name
	}
	raw, err = b.readOne(ctx, c, name, key)
	return name, raw, err
}

// changeable is seen for a record that is to be changed or deleted, as far as the
// permission to do so can be found out before.
func (b *Toolbox) changeable(ctx context.Context, c *mcp.Call, table, key string) (name string, record erp.Record, err error) {
	name, raw, err := b.seen(ctx, c, table, key)
	if err != nil {
		return "", record, err
	}
	if record, err = erp.ParseRecord(raw); err != nil {
		return "", record, fmt.Errorf("the ERP's record cannot be read: %w", err)
	}
	if err := ownRecord(c, name, record); err != nil {
		return "", record, err
	}
	return name, record, b.mayWrite(ctx, c, name)
}

// readBack reads a record that was written, and falls back to what the ERP
// sent when it cannot be read.
func (b *Toolbox) readBack(ctx context.Context, c *mcp.Call, table, status string, values map[string]any, before, sent json.RawMessage) (*writeRecordOut, error) {
	key, err := keyOf(sent)
	if err != nil {
		return nil, err
	}
	now, readErr := b.read(ctx, c, table, key)
	if readErr != nil {
		now = sent
	}
	out, err := written(table, status, values, before, now)
	if err == nil && readErr != nil {
		out.Note = "it was written, and cannot be read back: " + clip(mcp.ErrorOf(readErr).Message, 300)
	}
	return out, err
}

func keyOf(raw json.RawMessage) (string, error) {
	rec, err := erp.ParseRecord(raw)
	if err != nil {
		return "", fmt.Errorf("the ERP's response cannot be read: %w", err)
	}
	if id := rec.ID(); !id.IsZero() {
		return id.String(), nil
	}
	return rec.UUID(), nil
}

// written tells about the columns that were given.
func written(table, status string, values map[string]any, before, now json.RawMessage) (*writeRecordOut, error) {
	key, err := keyOf(now)
	if err != nil {
		return nil, err
	}
	after, cut, err := columnsOf(now)
	if err != nil {
		return nil, err
	}
	var was map[string]json.RawMessage
	if before != nil {
		if was, _, err = columnsOf(before); err != nil {
			return nil, err
		}
	}
	rec, err := erp.ParseRecord(now)
	if err != nil {
		return nil, err
	}
	out := &writeRecordOut{Notice: untrusted, Table: table, ID: key, UUID: rec.UUID(), Status: status}
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
	return out, nil
}

// columnsOf are the values of a record in few words, by name in small letters.
func columnsOf(raw json.RawMessage) (map[string]json.RawMessage, []string, error) {
	short, cut, err := compact(raw, false, nil)
	if err != nil {
		return nil, nil, err
	}
	var columns map[string]json.RawMessage
	if err := json.Unmarshal(short, &columns); err != nil {
		return nil, nil, fmt.Errorf("the ERP's record cannot be read: %w", err)
	}
	lower := make(map[string]json.RawMessage, len(columns))
	for name, value := range columns {
		lower[strings.ToLower(name)] = value
	}
	return lower, cut, nil
}
