package records

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/uuid"
)

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
