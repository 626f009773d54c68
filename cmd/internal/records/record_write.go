package records

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/uuid"
)

func (a *app) recordUpdate(c *cli.Context) error {
	if c.NArg() < 2 {
		return shell.Usagef("record update takes a table, an id and values, such as record update C_BPartner 118 Name=Joe")
	}
	given, err := a.given(c, 2)
	if err != nil {
		return err
	}
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	r, err := a.read(c, client, table, given)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return a.tryUpdate(c, client, r, id)
	}
	rec, err := client.Update(c.Context, r.table, id, r.values)
	if err != nil {
		err = shell.Uncertain(err, "the command can be repeated: it writes the same values")
		return a.hint(c, client, table, shell.Input(err))
	}
	return a.printWritten(c, "updated", table, rec)
}

// printWritten tells what was stored.
func (a *app) printWritten(c *cli.Context, did, table string, rec erp.Record) error {
	line := fmt.Sprintf("%s %s %s", did, table, rec.ID())
	if name := nameOf(rec); name != "" {
		line += fmt.Sprintf(" %q", name)
	}
	if text, ok := rec.Text("doc-processmsg"); ok && text != "" {
		line += ": " + text
	}
	return a.Print(c, rec, output.Table{Below: shell.Short(line, 300) + "\n"})
}

// nameOf is what people know a record by, "" when it has nothing of the kind.
func nameOf(rec erp.Record) string {
	for _, column := range []string{"DocumentNo", "Name", "Value"} {
		if text, ok := rec.Text(column); ok && text != "" {
			return shell.Short(text, 60)
		}
	}
	return ""
}

func (a *app) recordCreate(c *cli.Context) error {
	if c.NArg() < 1 {
		return shell.Usagef("record create takes a table and values, such as record create C_BPartner Name=Joe")
	}
	given, err := a.given(c, 1)
	if err != nil {
		return err
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	r, err := a.read(c, client, c.Args().First(), given)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return a.tryCreate(c, client, r)
	}
	n := newRecord{record: *r}
	rec, did, err := n.create(c.Context, client)
	if err != nil {
		return a.hint(c, client, n.table, shell.Input(err))
	}
	return a.printWritten(c, did, n.table, rec)
}

// newRecord is a record to create. It carries a UUID, by which it is found when the
// response is lost.
type newRecord struct {
	record
	uuid   string
	column string // for the UUID; empty for a table that has none
	given  bool   // the UUID is among the values
}

// create creates the record, and says what was done.
func (n *newRecord) create(ctx context.Context, client *erp.Client) (erp.Record, string, error) {
	n.column = n.table + "_UU"
	for name, value := range n.values {
		if text, ok := value.(string); ok && strings.EqualFold(name, n.column) {
			n.column, n.uuid, n.given = name, text, true
		}
	}
	if !n.given {
		n.uuid = uuid.V7(time.Now())
	}
	rec, found, err := n.send(ctx, client)
	if column, otherwise := n.otherColumn(err); otherwise {
		n.column = column
		rec, found, err = n.send(ctx, client)
	}
	switch {
	case err != nil && n.column == "":
		return rec, "", shell.Uncertain(err, "look whether it is there before you repeat the command")
	case err != nil:
		return rec, "", shell.Uncertain(err, fmt.Sprintf("`erphub record get %[1]s %[2]s` tells; with %[3]s=%[2]s among the values, the command can be repeated without creating it twice",
			n.table, n.uuid, n.column))
	case found && n.given:
		return rec, "exists already:", nil
	}
	return rec, "created", nil
}

// send creates the record, or finds it when an earlier request did.
func (n *newRecord) send(ctx context.Context, client *erp.Client) (rec erp.Record, found bool, err error) {
	if n.column == "" {
		rec, err = client.Create(ctx, n.table, n.values)
		return rec, false, err
	}
	written, err := client.WriteRecords(ctx, n.table, []erp.Write{{UUID: n.uuid, Body: n.values}},
		&erp.WriteOptions{BatchSize: 1, Attempts: 1, UUIDColumn: n.column})
	if err != nil {
		return rec, false, err
	}
	return written[0].Record, written[0].Found, written[0].Err
}

// spelled finds the name of a column, which was sent in another spelling, in the
// words of the server.
var spelled = lazyregexp.New(`^Wrong name for column (\w+), you must use (\w+)$`)

// otherColumn is the column to use for the UUID, after the one that was used was
// refused: in the spelling of the ERP, or none.
func (n *newRecord) otherColumn(err error) (string, bool) {
	var refused *erp.Error
	if n.given || !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		return "", false
	}
	if m := spelled().FindStringSubmatch(refused.Detail); m != nil && m[1] == n.column {
		return m[2], true
	}
	m := noColumn().FindStringSubmatch(refused.Detail)
	return "", m != nil && strings.EqualFold(m[1]+m[2], n.column)
}

// tryCreate shows the record that the ERP would create, with what it fills.
func (a *app) tryCreate(c *cli.Context, client *erp.Client, r *record) error {
	rec, err := a.try(c, client, r, erp.BatchCreate(r.table, r.values))
	if err != nil {
		return err
	}
	a.Note("the ERP would create this record; nothing was stored")
	return a.printRecord(c, rec, nil)
}

// tryUpdate shows what the ERP would change of a record.
func (a *app) tryUpdate(c *cli.Context, client *erp.Client, r *record, id erp.ID) error {
	before, err := client.Get(c.Context, r.table, id, nil)
	if err != nil {
		return a.hint(c, client, r.table, shell.Input(err))
	}
	after, err := a.try(c, client, r, erp.BatchUpdate(r.table, id, r.values))
	if err != nil {
		return err
	}
	t := output.Table{Columns: []output.Column{{Name: "column"}, {Name: "before", Max: 60}, {Name: "after", Max: 60}}, Empty: "nothing would change"}
	for name, value := range after.All() {
		if old, _ := before.Raw(name); !same(old, value) && name != "Updated" && name != "UpdatedBy" {
			t.Rows = append(t.Rows, []string{name, shown(old), shown(value)})
		}
	}
	if len(t.Rows) > 0 {
		a.Note("the ERP would make this change; nothing was stored")
	}
	return a.Print(c, after, t)
}

// same reports whether values are equal. A batch has lost the zeros of numbers.
func same(a, b json.RawMessage) bool {
	x, isNumber := erp.Decimal(a).Rat()
	if y, ok := erp.Decimal(b).Rat(); ok && isNumber {
		return x.Cmp(y) == 0
	}
	return bytes.Equal(a, b)
}

// try has the ERP write a record and undo it.
func (a *app) try(c *cli.Context, client *erp.Client, r *record, request erp.BatchRequest) (rec erp.Record, err error) {
	for name := range r.values {
		if strings.EqualFold(name, "doc-action") {
			return rec, shell.Usagef("a dry run cannot tell what a document action does, because not all of it can be undone: leave out doc-action")
		}
	}
	results, err := client.Batch(c.Context, []erp.BatchRequest{request}, erp.BatchOptions{DryRun: true})
	var refused *erp.BatchError
	if errors.As(err, &refused) {
		err = refused.Err
	}
	if err != nil {
		return rec, a.hint(c, client, r.table, shell.Input(err))
	}
	if rec, err = results[0].Record(); err != nil || request.Method != http.MethodPost {
		return rec, err
	}
	return withoutKeys(rec)
}

// withoutKeys leaves out the number and the UUID of a record that does not exist.
func withoutKeys(rec erp.Record) (erp.Record, error) {
	var members []string
	for name, value := range rec.All() {
		if name != "id" && name != "uid" {
			key, err := json.Marshal(name)
			if err != nil {
				return rec, err
			}
			members = append(members, string(key)+":"+string(value))
		}
	}
	return erp.ParseRecord([]byte("{" + strings.Join(members, ",") + "}"))
}
