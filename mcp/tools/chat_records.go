package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

type searchRecordsIn struct {
	TableName string   `json:"tableName" jsonschema:"name of a table in any case, such as C_BPartner"`
	Filter    string   `json:"filter,omitempty" jsonschema:"condition of the ERP's REST API: IsCustomer eq true and contains(tolower(Name),'tree'); operators eq neq gt ge lt le in and or; texts, labels, names of records in quotes, numbers, true/false without; empty: all"`
	Columns   []string `json:"columns,omitempty" jsonschema:"only these columns; empty: all that hold something"`
	OrderBy   string   `json:"orderBy,omitempty" jsonschema:"columns, each with asc or desc: DateOrdered desc, DocumentNo"`
	Limit     int      `json:"limit,omitempty" jsonschema:"most records to return"`
	turning
}

type searchRecordsOut struct {
	Notice    string            `json:"notice"`
	TableName string            `json:"tableName"`
	Records   []json.RawMessage `json:"records" jsonschema:"by column name; a reference has the id and name of what it points to"`
	// Total is nil when nobody knows how many there are.
	Total      *int     `json:"total,omitempty" jsonschema:"over all pages; absent when it is not known"`
	Truncated  bool     `json:"truncated" jsonschema:"more follow: call again with nextCursor as cursor"`
	NextCursor string   `json:"nextCursor,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

// output is the schema of a result that a tool changes.
func output[Out any]() *jsonschema.Schema {
	s, err := mcp.OutputSchema[Out]()
	if err != nil {
		panic("mcp/tools: " + err.Error())
	}
	return s
}

// objects makes a property of an output schema a list of objects, or with
// single one object.
func objects[Out any](name string, single bool) *jsonschema.Schema {
	s := output[Out]()
	p := property(s, name)
	about := p.Description
	*p = jsonschema.Schema{Type: "object", Description: about}
	if !single {
		*p = jsonschema.Schema{Type: "array", Description: about, Items: &jsonschema.Schema{Type: "object"}}
	}
	return s
}

func (b *Toolbox) searchRecords() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "searchRecords", Title: "Search records", Sets: []string{SetQuery, SetChat}, Hints: readOnly,
		Description: "Finds active records of one table by a filter. Call getTableColumns first: the filter needs the columns' names. For joins, sums and counts use executeQuery.",
		Input:       input[searchRecordsIn](between("limit", 1, 200, 20), shorter(4000, "filter"), shorter(500, "orderBy"), shorter(120, "tableName")),
		Output:      objects[searchRecordsOut]("records", false), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in searchRecordsIn) (*searchRecordsOut, error) {
		p, err := pagerOf(c, &in)
		if err != nil {
			return nil, err
		}
		table, err := b.table(ctx, c, in.TableName)
		if err != nil {
			return nil, err
		}
		filter, err := b.checkFilter(ctx, c, table, in.Filter)
		if err != nil {
			return nil, err
		}
		s := backend.Search{Table: in.TableName, Filter: filter.Text, OrderBy: in.OrderBy, Limit: in.Limit, Offset: p.offset}
		if table != nil {
			s.Table = table.Name
		}
		if s.Select, err = spelled(table, in.Columns); err != nil {
			return nil, err
		}
		if s.OrderBy, err = ordered(table, in.OrderBy); err != nil {
			return nil, err
		}
		found, err := b.search(ctx, c, s)
		if err != nil {
			return nil, misspelt(err, table, in.Filter)
		}
		out := &searchRecordsOut{Notice: untrusted, TableName: s.Table, Notes: filter.Notes}
		if len(found.Records) == 0 && p.offset == 0 {
			out.Notes = append(out.Notes, b.nothing(c, table, filter).why(ctx)...)
		}
		var cut []string
		records := mapped(found.Records, func(r *erp.Record) json.RawMessage {
			record, short := compact(*r, len(in.Columns) == 0, secretsOf(table))
			cut = append(cut, short...)
			return record
		})
		if found.Total >= 0 {
			out.Total = &found.Total
		} else {
			out.Notes = append(out.Notes, "how many there are altogether is not known")
		}
		out.Records = fitting(records)
		if out.Truncated = found.More || len(out.Records) < len(records); out.Truncated {
			out.NextCursor = p.cursor(p.offset + len(out.Records))
		}
		if len(cut) > 0 {
			slices.Sort(cut)
			out.Notes = append(out.Notes, fmt.Sprintf("long values are cut and end in …: %s", clip(strings.Join(slices.Compact(cut), ", "), 200)))
		}
		return out, nil
	})
}

type getRecordIn struct {
	TableName string    `json:"tableName" jsonschema:"name of a table in any case, such as C_Order"`
	ID        recordKey `json:"id" jsonschema:"number, UUID, search key or name; COLUMN=VALUE"`
}

type getRecordOut struct {
	Notice    string          `json:"notice"`
	TableName string          `json:"tableName"`
	Record    json.RawMessage `json:"record" jsonschema:"by column name; what is empty or hidden is left out"`
	Truncated bool            `json:"truncated" jsonschema:"whether values were cut"`
	Notes     []string        `json:"notes,omitempty"`
}

func (b *Toolbox) getRecord() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getRecord", Title: "Read a record", Sets: []string{SetQuery, SetChat}, Hints: readOnly,
		Description: "Reads one record.",
		Input:       input[getRecordIn](shorter(120, "tableName"), keyed("id")), Output: objects[getRecordOut]("record", true), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in getRecordIn) (*getRecordOut, error) {
		table, err := b.table(ctx, c, in.TableName)
		if err != nil {
			return nil, err
		}
		at, err := b.seen(ctx, c, in.TableName, string(in.ID))
		if err != nil {
			return nil, err
		}
		out := &getRecordOut{Notice: untrusted, TableName: at.table}
		var cut []string
		if out.Record, cut = compact(at.record, false, secretsOf(table)); len(cut) > 0 {
			out.Truncated = true
			out.Notes = append(out.Notes, b.text(c, fmt.Sprintf("long values are cut and end in …: %s; substring(column, from, length) in executeQuery reads on", clip(strings.Join(cut, ", "), 200))))
		}
		return out, nil
	})
}

// table is a table of the dictionary; nil when no backend in use has one, in
// which case the ERP says what it thinks of the name.
func (b *Toolbox) table(ctx context.Context, c *mcp.Call, name string) (*registry.Table, error) {
	reg, err := b.registry(ctx, c)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := reg.Table(ctx, name)
	if err != nil {
		return nil, fromDict(err)
	}
	return &t, nil
}

// audit are columns that say who changed a record, which a list leaves out.
var audit = []string{"Created", "CreatedBy", "Updated", "UpdatedBy", "AD_Client_ID"}

// compact is a record in few words: references with id and name, long texts
// cut, without secret columns, and in a list nothing that says nothing. It names
// the columns it cut. With a nil secret no column is secret.
func compact(record erp.Record, list bool, secret func(column string) bool) (out json.RawMessage, cut []string) {
	for most := longestValue; ; most /= 4 { // a record of many long texts has less of each
		if out, cut = compactTo(record, list, secret, most); len(out) <= maxResponse || most < 40 {
			return out, cut
		}
	}
}

// compactTo encodes what was decoded, or is text, which always works.
func compactTo(record erp.Record, list bool, secret func(string) bool, most int) (out json.RawMessage, cut []string) {
	out = []byte{'{'}
	for name, value := range record.All() {
		if list && slices.Contains(audit, name) || name == "model-name" || secret != nil && secret(name) {
			continue
		}
		var ref struct {
			ID         json.RawMessage `json:"id"`
			Identifier string          `json:"identifier"`
		}
		var text string
		switch {
		case len(value) > 0 && value[0] == '{' && json.Unmarshal(value, &ref) == nil && len(ref.ID) > 0:
			value, _ = json.Marshal(struct {
				ID   json.RawMessage `json:"id"`
				Name string          `json:"name,omitempty"`
			}{ref.ID, ref.Identifier})
		case len(value) > most:
			if cut = append(cut, name); json.Unmarshal(value, &text) != nil {
				text = string(value)
			}
			value, _ = json.Marshal(shorten(text, min(most, len(text))))
		}
		key, _ := json.Marshal(name)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), cut
}
