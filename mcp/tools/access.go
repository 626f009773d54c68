package tools

import (
	"context"
	"errors"

	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// accessTools tell who somebody is and what they may do.
func (b *Toolbox) accessTools() mcp.Set {
	return append(needs[backend.Connector](b, b.explainAccess()), b.whoAmI(), b.listToolsets())
}

type explainAccessIn struct {
	User    string    `json:"user,omitempty" jsonschema:"name of the user; empty with a role: whoever has it"`
	Role    string    `json:"role,omitempty" jsonschema:"only this role"`
	Window  string    `json:"window,omitempty" jsonschema:"one of window, process, form or table"`
	Process string    `json:"process,omitempty" jsonschema:"search key"`
	Form    string    `json:"form,omitempty" jsonschema:"name"`
	Table   string    `json:"table,omitempty" jsonschema:"such as C_Order"`
	Column  string    `json:"column,omitempty" jsonschema:"of the table"`
	ID      recordKey `json:"id,omitempty" jsonschema:"record of the table"`
}

type reasonLine struct {
	Effect string `json:"effect" jsonschema:"allows, read only, limits (some records), denies or unknown"`
	Text   string `json:"text"`
	Record string `json:"record,omitempty" jsonschema:"what decides"`
	Fix    string `json:"fix,omitempty"`
}

type roleAccess struct {
	Role    string       `json:"role"`
	RoleID  int64        `json:"roleId"`
	Read    string       `json:"read" jsonschema:"yes, no or unknown; of a process: to see it"`
	Write   string       `json:"write" jsonschema:"of a process: to run it"`
	Reasons []reasonLine `json:"reasons"`
}

type explainAccessOut struct {
	Object  string       `json:"object"`
	User    string       `json:"user,omitempty"`
	Login   []reasonLine `json:"login,omitempty" jsonschema:"what keeps the user from logging in"`
	Roles   []roleAccess `json:"roles"`
	Unknown []string     `json:"unknown,omitempty" jsonschema:"tables you may not read, so that the response is not complete"`
}

func (b *Toolbox) explainAccess() mcp.Tool {
	in := input[explainAccessIn](shorter(120, "user", "role", "window", "process", "form", "table", "column"), keyed("id"))
	return mcp.New(mcp.Tool{
		Name: "explainAccess", Title: "Explain access", Sets: []string{SetAccess}, Hints: readOnly,
		Description: "Why can a user or role (not) see or change a window, process, form, table, column or record: the rule that decides and what to change.",
		Input:       in, Cost: mcp.Cost{APICalls: 8},
	}, func(ctx context.Context, c *mcp.Call, in explainAccessIn) (*explainAccessOut, error) {
		record, err := b.meant(ctx, c, in.Table, string(in.ID))
		if err != nil {
			return nil, err
		}
		ctx, client, err := b.connect(ctx, c, "explain access")
		if err != nil {
			return nil, err
		}
		got, err := access.Explain(ctx, client, access.Question{
			User: in.User, Role: in.Role, Window: in.Window, Process: in.Process, Form: in.Form, Table: in.Table, Column: in.Column, Record: record.Plain, Meets: b.meets(c),
		})
		if errors.Is(err, access.ErrQuestion) {
			return nil, because(err, mcp.CodeInvalidArguments, `such as {"user": "GardenUser", "window": "Sales Order"}`)
		}
		if err != nil {
			return nil, err
		}
		return &explainAccessOut{
			Object: got.Object, User: got.User, Login: mapped(got.UserReasons, reasonOf), Unknown: got.Unread,
			Roles: mapped(got.Roles, func(r *access.RoleAccess) roleAccess {
				return roleAccess{r.Name, r.ID, string(r.Read), string(r.Write), mapped(r.Reasons, reasonOf)}
			}),
		}, nil
	})
}

func reasonOf(r *access.Reason) reasonLine {
	return reasonLine{string(r.Effect), clip(r.Text, 400), r.Record, r.Fix}
}
