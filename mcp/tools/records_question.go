package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// named is a record as questions name it.
func named(id any, record erp.Record) mcp.Ref { return mcp.Ref{ID: id, Name: nameOf(record)} }

// nameOf is what people call a record; empty when it has no name.
func nameOf(r erp.Record) string {
	for _, column := range []string{"DocumentNo", "Name", "Value"} {
		if text, ok := r.Text(column); ok && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// inWords is the name of a record for messages, in parentheses.
func inWords(r erp.Record) string {
	if name := cell(nameOf(r)); name != "" {
		return " (" + name + ")"
	}
	return ""
}

// createQuestion is what the user is asked before a record is created.
func createQuestion(w *writing) *mcp.Question {
	q := mcp.Ask("Create a record of %s?", mcp.Name(w.table))
	w.facts(q)
	return q.Say("Columns that are not named get the defaults of the ERP.")
}

// updateQuestion is what the user is asked before a record is changed: each column
// with what it has and what it will have.
func updateQuestion(w *writing, key string, before erp.Record) *mcp.Question {
	q := mcp.Ask("Change %s %s?", mcp.Name(w.table), named(mcp.Name(key), before))
	w.changes(q, before)
	return q
}

// deleteQuestion is what the user is asked before a record is deleted: what goes,
// with what tells it from others.
func deleteQuestion(table string, id erp.ID, record erp.Record, lines *documentLines) *mcp.Question {
	return goes(mcp.Ask("Delete %s %s for good?", mcp.Name(table), named(id, record)), record, lines)
}

// goes adds what tells a record that is deleted from others, and has the question rest
// on all that it has.
func goes(q *mcp.Question, record erp.Record, lines *documentLines) *mcp.Question {
	for _, column := range []string{"Value", "Name", "Description", "DocStatus", "C_BPartner_ID", "GrandTotal", "AD_Org_ID", "Updated"} {
		if raw, ok := record.Raw(column); ok && string(raw) != "null" {
			q.Fact(column, raw)
		}
	}
	lines.tell(q)
	return restsOn(q, record)
}

// restsOn has a question rest on everything a record has.
func restsOn(q *mcp.Question, record erp.Record) *mcp.Question {
	for column, raw := range record.All() {
		q.Rests(column, raw)
	}
	return q
}

// inShort tells one state of a record from another: some of its columns, and a digest
// of all.
func inShort(r erp.Record, columns ...string) string {
	var words []string
	for _, column := range columns {
		if raw, ok := r.Raw(column); ok && string(raw) != "null" {
			words = append(words, column+" "+string(raw))
			if ref, ok := r.Ref(column); ok && ref.Identifier != "" {
				words[len(words)-1] = column + " " + ref.Identifier
			}
		}
	}
	return strings.Join(append(words, "SHA-256 "+string(digestOf([]byte(r.String()))[:12])), ", ")
}

// batchQuestion is what the user is asked before several records are written: every
// operation, with its values.
func batchQuestion(ops []operation) *mcp.Question {
	q := mcp.Ask("Make this change?")
	if len(ops) > 1 {
		q = mcp.Ask("Make these %s changes, all or none?", len(ops))
	}
	for i := range ops {
		op := &ops[i]
		var part *mcp.Question
		switch {
		case op.Op == "create" && op.As != "":
			part = mcp.Ask("%s. create %s as @%s", i+1, mcp.Name(op.Table), mcp.Name(strings.TrimPrefix(op.As, "@")))
			op.writing.facts(part)
		case op.Op == "create":
			part = mcp.Ask("%s. create %s", i+1, mcp.Name(op.Table))
			op.writing.facts(part)
		case op.Op == "update":
			part = mcp.Ask("%s. update %s %s", i+1, mcp.Name(op.Table), named(op.id, op.before))
			op.writing.changes(part, op.before)
		default:
			part = goes(mcp.Ask("%s. delete %s %s", i+1, mcp.Name(op.Table), named(op.id, op.before)), op.before, op.lines)
		}
		q.Part(part)
	}
	return q
}

// facts adds a line for each column that will be written.
func (w *writing) facts(q *mcp.Question) {
	for _, column := range slices.Sorted(maps.Keys(w.values)) {
		q.Fact(column, w.will(column))
	}
}

// changes adds a line for each column: what it has and what it will have.
func (w *writing) changes(q *mcp.Question, before erp.Record) {
	for _, column := range slices.Sorted(maps.Keys(w.values)) {
		was, _ := before.Raw(column)
		q.Change(column, was, w.will(column))
	}
}

// will is what a column will have. A question has to be the same when the call is
// made again, so a UUID that was made up is not in it.
func (w *writing) will(column string) any {
	if shown, ok := w.shown[column]; ok {
		return shown
	}
	raw, err := json.Marshal(w.values[column])
	if err != nil {
		return fmt.Sprint(w.values[column])
	}
	return json.RawMessage(raw)
}
