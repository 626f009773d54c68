package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// mostOperations is how many operations one call has at most.
const mostOperations = 50

type writeRecordsIn struct {
	Operations []operationIn `json:"operations" jsonschema:"in order; they cannot change or delete what they create"`
	UUID       string        `json:"uuid,omitempty" jsonschema:"of the whole: with it the same call can be retried and creates once"`
	DryRun     bool          `json:"dryRun,omitempty" jsonschema:"only check and show"`
}

type operationIn struct {
	Op     string                     `json:"op" jsonschema:"what to do"`
	Table  string                     `json:"table" jsonschema:"such as C_BPartner"`
	ID     recordKey                  `json:"id,omitempty" jsonschema:"of what exists"`
	Values map[string]json.RawMessage `json:"values,omitempty" jsonschema:"as in createRecord; @x in a reference: the one created as x"`
	As     string                     `json:"as,omitempty" jsonschema:"x"`
}

type operationOut struct {
	Op    string `json:"op"`
	Table string `json:"table"`
	ID    string `json:"id,omitempty"`
	UUID  string `json:"uuid,omitempty"`
	As    string `json:"as,omitempty"`
}

type writeRecordsOut struct {
	Status     string         `json:"status" jsonschema:"written, exists (an earlier call with this uuid wrote it) or planned"`
	Operations []operationOut `json:"operations"`
	Plan       string         `json:"plan,omitempty" jsonschema:"with dryRun: what would be written"`
	Note       string         `json:"note,omitempty"`
}

func (b *Toolbox) writeRecords() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "writeRecords", Title: "Write several records", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true}, Confirms: true, Timeout: buildTimeout, Cost: mcp.Cost{APICalls: 5},
		Description: "Creates, updates and deletes several records in one transaction, all or none, after asking the user.",
		Input: input[writeRecordsIn](shorter(40, "uuid"), func(s *jsonschema.Schema) {
			p := property(s, "operations")
			least, most := 1, mostOperations
			p.MinItems, p.MaxItems = &least, &most
			property(p.Items, "op").Enum = []any{"create", "update", "delete"}
			v := property(p.Items, "values")
			*v = jsonschema.Schema{Type: "object", Description: v.Description}
			keyed("id")(p.Items)
			shorter(120, "table")(p.Items)
			shorter(40, "as")(p.Items)
		}),
	}, b.runWriteRecords)
}

// operation is one that was checked.
type operation struct {
	operationIn
	id      erp.ID
	uuid    string     // of what is created
	writing *writing   // nil for a deletion
	before  erp.Record // what is changed or deleted, as it is
	lines   *documentLines
	about   string // its name in words
}

func (b *Toolbox) runWriteRecords(ctx context.Context, c *mcp.Call, in writeRecordsIn) (*writeRecordsOut, error) {
	whole, again := b.doubts.of(c, b.now())
	note := "an earlier call with the same arguments wrote its records, and its response was lost; nothing more was written"
	if in.UUID != "" {
		var err error
		if whole, err = uuidOf(in.UUID, "to have none"); err != nil {
			return nil, err
		}
		again, note = true, "a call with this uuid wrote its records before; nothing was written"
	}
	ops, err := b.operations(ctx, c, &in, whole)
	if err != nil {
		return nil, err
	}
	out := &writeRecordsOut{Operations: make([]operationOut, len(ops))}
	created := -1 // the first creation whose record can be found by its UUID
	for i, op := range ops {
		out.Operations[i] = operationOut{Op: op.Op, Table: op.Table, ID: op.id.String(), UUID: op.uuid, As: op.As}
		if op.uuid != "" && created < 0 {
			created = i
		}
	}
	if again && created >= 0 {
		_, err := b.read(ctx, c, ops[created].Table, ops[created].uuid)
		if err == nil {
			b.doubts.forget(sameCall(c))
			out.Status, out.Note = "exists", note
			return out, nil
		}
		if !errors.Is(err, erp.ErrNotFound) {
			return nil, err
		}
	}
	question := batchQuestion(ops)
	if in.DryRun {
		out.Status = "planned"
		if out.Plan, err = question.Text(); err != nil {
			return nil, err
		}
		for i := range out.Operations {
			out.Operations[i].UUID = ""
		}
		return out, nil
	}
	if err := c.Confirmed(ctx, question); err != nil {
		return nil, err
	}
	ctx, client, err := b.connect(ctx, c, "write several records")
	if err != nil {
		return nil, err
	}
	results, err := client.Batch(ctx, requestsOf(ops), erp.BatchOptions{})
	for _, op := range ops {
		b.noteDictionary(op.Table)
	}
	out.Status = "written"
	if err != nil {
		if errors.Is(err, erp.ErrExists) && again && created >= 0 {
			if _, readErr := b.read(ctx, c, ops[created].Table, ops[created].uuid); readErr == nil {
				out.Status, out.Note = "exists", "another call with this uuid wrote its records in the meantime"
				return out, nil
			}
		}
		done, checkErr := wroteAll(ctx, client, ops, err)
		switch {
		case done:
			b.doubts.forget(sameCall(c))
			out.Note = "the response of the ERP was lost; the records were looked up and are written"
			return out, nil
		case created >= 0 && mcp.ErrorOf(checkErr).Code == mcp.CodeOutcomeUnknown:
			b.doubts.keep(sameCall(c), whole, b.now().Add(doubtTime))
			return nil, createdOnce(checkErr, whole)
		}
		return nil, checkErr
	}
	b.doubts.forget(sameCall(c))
	for i, r := range results {
		if rec, err := r.Record(); err == nil && ops[i].Op == "create" {
			out.Operations[i].ID, out.Operations[i].UUID = rec.ID().String(), rec.UUID()
		}
	}
	return out, nil
}

// operations checks all operations. Its error names all that is wrong.
func (b *Toolbox) operations(ctx context.Context, c *mcp.Call, in *writeRecordsIn, whole dict.UUID) ([]operation, error) {
	ops := make([]operation, len(in.Operations))
	named := map[string]*operation{}
	made := func(t values.Target, name string) (value, shown any, err error) {
		op := named[strings.TrimPrefix(name, "@")]
		switch {
		case op == nil:
			return nil, nil, problem(t.Name, "", "no earlier operation creates a record as %q", clip(name, 40))
		case !strings.EqualFold(op.Table, t.Foreign):
			return nil, nil, problem(t.Name, "", "%s is a record of %s, and the column refers to %s", clip(name, 40), op.Table, t.Foreign)
		}
		return map[string]string{"uid": op.uuid}, "the new " + name, nil
	}
	var problems []string
	for i, given := range in.Operations {
		op := operation{operationIn: given}
		err := b.checkOperation(ctx, c, made, &op)
		if err == nil && op.Op == "create" && op.writing.hasUUID {
			op.uuid = string(dict.UUIDv5(whole, fmt.Sprint(i)))
		}
		switch as := strings.TrimPrefix(given.As, "@"); {
		case err != nil || as == "":
		case op.uuid == "":
			err = fail(mcp.CodeInvalidArguments, "", "only a created record with a UUID has a name for later operations")
		case named[as] != nil:
			err = fail(mcp.CodeInvalidArguments, "", "the name %q is taken", clip(as, 40))
		}
		var wrong *mcp.Error
		switch {
		case errors.As(err, &wrong) && (wrong.Code == mcp.CodeInvalidArguments || wrong.Code == mcp.CodeNotFound):
			problems = append(problems, fmt.Sprintf("operation %d (%s %s): %s", i+1, op.Op, clip(given.Table, 60), b.text(c, wrong.Error())))
		case err != nil:
			return nil, err
		}
		ops[i] = op
		if as := strings.TrimPrefix(given.As, "@"); as != "" && named[as] == nil {
			named[as] = &ops[i]
		}
	}
	if len(problems) > 0 {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: clip(listed("nothing was written", problems), 6000), Hint: "fix the operations and call again with all of them"}
	}
	return ops, nil
}

// checkOperation spells an operation as the dictionary does, and reads what exists.
func (b *Toolbox) checkOperation(ctx context.Context, c *mcp.Call, made earlier, op *operation) error {
	wrong := func(message string) error { return fail(mcp.CodeInvalidArguments, "", "%s", message) }
	if op.Op != "delete" {
		if len(op.Values) == 0 {
			return wrong("there are no values")
		}
		w, err := b.writable(ctx, c, op.Table, op.Values, made)
		if err != nil {
			return err
		}
		op.Table, op.writing = w.table, w
	} else if len(op.Values) > 0 {
		return wrong("a deletion has no values")
	}
	if op.Op == "create" {
		if op.ID != "" {
			return wrong("a new record gets its number from the ERP")
		}
		return b.mayWrite(ctx, c, op.Table)
	}
	if strings.HasPrefix(string(op.ID), "@") {
		return wrong("a record that is created here cannot be changed or deleted in the same call: put all values into its creation")
	}
	if op.ID == "" {
		return wrong("the id is missing")
	}
	at, err := b.changeable(ctx, c, op.Table, string(op.ID))
	if err != nil {
		return err
	}
	op.Table, op.before, op.about, op.id = at.table, at.record, inWords(at.record), at.id
	if op.Op == "delete" {
		op.lines, err = b.linesOf(ctx, c, at.table, at.record.ID())
	}
	return err
}

func requestsOf(ops []operation) []erp.BatchRequest {
	requests := make([]erp.BatchRequest, len(ops))
	for i, op := range ops {
		switch op.Op {
		case "create":
			values := maps.Clone(op.writing.values)
			if op.uuid != "" {
				values[op.Table+"_UU"] = op.uuid
			}
			requests[i] = erp.BatchCreate(op.Table, values)
		case "update":
			requests[i] = erp.BatchUpdate(op.Table, op.id, op.writing.values)
		default:
			requests[i] = erp.BatchDelete(op.Table, op.id)
		}
	}
	return requests
}

// wroteAll finds out what became of a batch that failed, or whose response was
// lost. As it is one transaction, one record tells of all.
func wroteAll(ctx context.Context, client *erp.Client, ops []operation, err error) (bool, error) {
	var failed *erp.BatchError
	switch {
	case errors.As(err, &failed) && failed.Index < len(ops):
		op := ops[failed.Index]
		cause := mcp.ErrorOf(failed.Err)
		return false, caused(err, cause.Code, "nothing was written; fix that operation and call again with all of them",
			"operation %d (%s %s%s) failed, and all was rolled back: %s", failed.Index+1, op.Op, op.Table, op.about, clip(failed.Err.Error(), 1500))
	case !errors.Is(err, erp.ErrOutcomeUnknown) || ctx.Err() != nil:
		return false, err
	}
	i := slices.IndexFunc(ops, func(op operation) bool { return op.uuid != "" || op.Op == "delete" })
	if i < 0 {
		return false, notKnown(err)
	}
	id := ops[i].id
	if ops[i].uuid != "" {
		id = erp.UUID(ops[i].uuid)
	}
	_, readErr := client.Get(ctx, ops[i].Table, id, nil)
	gone := errors.Is(readErr, erp.ErrNotFound)
	switch {
	case readErr != nil && !gone:
		return false, notKnown(err)
	case gone == (ops[i].Op == "delete"):
		return true, nil
	}
	return false, notKnown(err) // the ERP may still be at it
}

// notKnown is an error after which nobody knows whether anything was changed.
func notKnown(err error) error { return mcp.OutcomeUnknown(mcp.ErrorOf(err).Message, err) }
