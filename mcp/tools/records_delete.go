package tools

import (
	"context"
	"errors"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

type recordIn struct {
	Table string    `json:"table" jsonschema:"such as C_Order"`
	ID    recordKey `json:"id" jsonschema:"number, UUID, search key or name"`
}

type deleteRecordOut struct {
	Table   string `json:"table"`
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Note    string `json:"note,omitempty"`
}

func (b *Toolbox) deleteRecord() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "deleteRecord", Title: "Delete a record", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true, Cost: mcp.Cost{APICalls: 3},
		Description: "Deletes one record for good, after asking the user. To keep it out of use, updateRecord with IsActive false.",
		Input:       input[recordIn](shorter(120, "table"), keyed("id")),
	}, func(ctx context.Context, c *mcp.Call, in recordIn) (*deleteRecordOut, error) {
		at, err := b.changeable(ctx, c, in.Table, string(in.ID))
		if err != nil {
			return nil, err
		}
		name, id := at.table, at.id
		lines, err := b.linesOf(ctx, c, name, at.record.ID())
		if err != nil {
			return nil, err
		}
		if err := c.Confirmed(ctx, deleteQuestion(name, id, at.record, lines)); err != nil {
			return nil, err
		}
		ctx, client, err := b.connect(ctx, c, "delete records")
		if err != nil {
			return nil, err
		}
		out := &deleteRecordOut{Table: name, ID: id.String(), Deleted: true}
		err = client.Delete(ctx, name, id)
		b.noteDictionary(name)
		var refused *erp.Error
		switch {
		case err == nil:
			return out, nil
		case errors.As(err, &refused) && refused.Status == 500 && !refused.Page:
			return nil, caused(err, mcp.CodeRefused, "nothing was changed; records that point to it have to go first, or set IsActive to false with updateRecord",
				"the ERP did not delete %s %s: %s", name, id, clip(refused.Title+": "+refused.Detail, 1500))
		case errors.Is(err, erp.ErrOutcomeUnknown) && ctx.Err() == nil:
			if _, readErr := client.Get(ctx, name, id, nil); errors.Is(readErr, erp.ErrNotFound) {
				out.Note = "the response of the ERP was lost; the record is gone"
				return out, nil
			}
		}
		return nil, err
	})
}
