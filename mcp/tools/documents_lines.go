package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// documentLines are the lines of a document; nil where a record has none.
type documentLines struct {
	table   string
	hidden  bool // the role may not read them
	records []erp.Record
}

// linesOf reads the lines of a document, inactive ones, too.
func (b *Toolbox) linesOf(ctx context.Context, c *mcp.Call, document string, id erp.ID) (*documentLines, error) {
	name, key := erp.LineTable(document), document+"_ID"
	t, err := b.table(ctx, c, name)
	switch {
	case isMissing(err) || err == nil && (t == nil || id.IsZero()):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if col, ok := t.Column(key); !ok || col.Virtual() {
		return nil, nil
	}
	ctx, client, err := b.connect(ctx, c, "read the lines of documents")
	if err != nil {
		return nil, err
	}
	lines := &documentLines{table: t.Name}
	for record, err := range client.Records(ctx, t.Name, &erp.Query{Filter: erp.ActiveOrNot(erp.Eq(key, id))}) {
		switch {
		case errors.Is(err, erp.ErrForbidden) || errors.Is(err, erp.ErrNotFound):
			return &documentLines{table: t.Name, hidden: true}, nil
		case err != nil:
			return nil, fmt.Errorf("reading the lines of %s %s: %w", document, id, err)
		}
		lines.records = append(lines.records, record)
	}
	return lines, nil
}

// tell adds how many lines there are, and has the question rest on each.
func (l *documentLines) tell(q *mcp.Question) {
	switch {
	case l == nil:
		return
	case l.hidden:
		q.Say("Its lines in %s your role may not read: what changes in them meanwhile is not noticed.", mcp.Name(l.table))
		return
	}
	q.Fact("lines", len(l.records))
	for _, record := range l.records {
		q.Rests("line "+strings.TrimSpace(lineNo(record)+" "+record.ID().String()), inShort(record, "QtyEntered", "MovementQty", "PriceActual", "LineNetAmt"))
	}
}

// lineNo is the number that people know a line by.
func lineNo(record erp.Record) string {
	no, _ := record.Decimal("Line")
	return no.String()
}
