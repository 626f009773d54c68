package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// tryCreate shows the record that the ERP would create, with what it fills.
func (a *app) tryCreate(c *cli.Context, client *erp.Client, r *record) error {
	rec, err := a.try(c, client, r, erp.BatchCreate(r.table, r.values))
	if err != nil {
		return err
	}
	a.Note("the ERP would create this record; nothing was stored")
	return a.printRecord(c, rec, nil, nil)
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
