package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/erp/erptest"
)

// ask is a client of the service: two users run the same statements.
func ask(ctx context.Context, out io.Writer, srv *erptest.Server, address string) error {
	for _, user := range []erptest.User{erptest.GardenAdmin, erptest.GardenUser} {
		token, err := srv.APIToken(ctx, user.Name, user.ClientID, user.RoleID, user.OrgID, time.Hour)
		if err != nil {
			return err
		}
		client, err := aiclient.New(address, aiclient.WithToken(token), aiclient.WithRole(int(user.RoleID)))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s:\n", user.Name)
		for _, q := range []aiclient.Query{
			{SQL: "SELECT docstatus, count(*), sum(grandtotal) FROM c_order WHERE issotrx = 'Y' AND dateordered >= $1 GROUP BY 1 ORDER BY 2 DESC LIMIT 2", Params: []any{"2025-01-01"}},
			{SQL: "SELECT name, password FROM ad_user WHERE name LIKE 'Garden%'"},
			{SQL: "DELETE FROM c_order"},
		} {
			result, err := client.Query(ctx, q)
			var refusal *api.Error
			switch {
			case errors.Is(err, aiclient.ErrRefused) && errors.As(err, &refusal): // says what to change in the statement
				fmt.Fprintln(out, "  refused:", refusal.Message)
			case err != nil:
				return err
			default:
				fmt.Fprintln(out, " ", result.Rows)
			}
		}
	}
	return nil
}
