package auditlog

import (
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// Get reads one record by its number or UUID, the secured statement included.
// The error is ErrNotFound of package erp when the role sees no such record, or
// one of those of [List].
func Get(ctx context.Context, client *erp.Client, id erp.ID) (Record, error) {
	condition := erp.Eq(TableName+"_UU", id.String())
	if number, ok := id.Int(); ok {
		condition = erp.Eq(TableName+"_ID", number)
	}
	page, err := client.Query(ctx, TableName, &erp.Query{Filter: condition, Top: 1})
	if err != nil {
		return Record{}, explained(err)
	}
	if len(page.Records) == 0 {
		return Record{}, fmt.Errorf("audit record %s: %w, or not for this role", text.Shorten(id.String(), 80), erp.ErrNotFound)
	}
	return parse(page.Records[0])
}

// MayRead reports whether a role may see audit records, for a login that was shown
// none: nil when it sees some now, or would if there were any, else ErrDenied.
// role is the AD_Role_ID that the client is logged in with.
func MayRead(ctx context.Context, client *erp.Client, role int64) error {
	page, err := client.Query(ctx, TableName, &erp.Query{Select: []string{"Created"}, Top: 1})
	switch {
	case err != nil:
		return explained(err)
	case len(page.Records) > 0 || role == 0: // role 0 is the System Administrator's
		return nil
	}
	rec, err := client.Get(ctx, "AD_Role", erp.IntID(role), &erp.GetOptions{Select: []string{"IsClientAdministrator", "UserLevel"}})
	if errors.Is(err, erp.ErrNotFound) || errors.Is(err, erp.ErrForbidden) {
		return &advised{ErrDenied, deniedAdvice, nil} // an administrator may read about roles
	}
	if err != nil {
		return fmt.Errorf("read what role %d may do: %w", role, err)
	}
	administrator, _ := rec.Bool("IsClientAdministrator")
	if level := code(rec, "UserLevel"); administrator || level != "" && level[0] == 'S' {
		return nil
	}
	return &advised{ErrDenied, deniedAdvice, nil}
}
