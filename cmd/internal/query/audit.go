package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/auditlog"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// auditOnly are the flags of query that mean nothing without --audit.
var auditOnly = []string{"by", "since", "until", "status", "contains", "limit"}

// notAudit are the flags of query that mean nothing with it.
var notAudit = []string{"role", "param", "file", "max-rows", "explain", "roles", "ai-api-url"}

func auditFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "audit", Usage: "list the queries of the audit, or show one record by number or UUID"},
		&cli.StringFlag{Name: "by", Usage: "--audit: queries of this user (id, UUID or name)"},
		&cli.StringFlag{Name: "since", Usage: "--audit: queries run then or later: 2026-03-09, a time in RFC 3339, or an age such as 7d or 24h"},
		&cli.StringFlag{Name: "until", Usage: "--audit: queries run before then"},
		&cli.StringFlag{Name: "status", Usage: "--audit: succeeded, error or refused"},
		&cli.StringFlag{Name: "contains", Usage: "--audit: with this text in the statement"},
		&cli.IntFlag{Name: "limit", Value: 20, Usage: "--audit: how many records at most; 0 for all"},
	}
}

// firstSet is the first of the flags that was given, "" when none was.
func firstSet(c *cli.Context, flags []string) string {
	for _, name := range flags {
		if c.IsSet(name) {
			return name
		}
	}
	return ""
}

// queryAudit lists records of the audit, or shows one.
func (a *app) queryAudit(c *cli.Context) error {
	if name := firstSet(c, notAudit); name != "" {
		return shell.Usagef("--audit and --%s contradict each other: --audit runs no query, and reads with the role of the login", name)
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	if c.NArg() > 0 {
		return a.auditRecord(c, choice)
	}
	return a.auditList(c, choice)
}

// auditList lists the records that the flags choose.
func (a *app) auditList(c *cli.Context, choice *output.Choice) error {
	f, client, err := a.auditFilter(c, time.Now())
	if err != nil {
		return err
	}
	limit := f.Limit
	if limit > 0 {
		f.Limit++ // to see whether there is more
	}
	listed, more := 0, false
	next, stop := iter.Pull2(auditlog.List(c.Context, client, f))
	defer stop()
	r, err, ok := next()
	switch {
	case ok && err != nil:
		return shell.Input(err)
	case !ok: // nothing is written before it is known that the role may see it
		if err := a.mayAudit(c, client); err != nil {
			return err
		}
	}
	err = a.printAudit(c, choice, func(yield func(auditlog.Record, error) bool) {
		for ; ok; r, err, ok = next() {
			if more = err == nil && limit > 0 && listed == limit; more || !yield(r, err) {
				return
			}
			listed++
		}
	})
	if err != nil {
		return shell.Input(err)
	}
	if more {
		a.Note("there are more records than the %d shown: narrow them, or give --limit (0 for all)", listed)
	}
	return nil
}

func (a *app) auditFilter(c *cli.Context, now time.Time) (f auditlog.Filter, client *erp.Client, err error) {
	f = auditlog.Filter{Contains: c.String("contains"), Limit: c.Int("limit")}
	if f.Limit < 0 {
		return f, nil, shell.Usagef("--limit is a number of records, not %d", f.Limit)
	}
	for flag, into := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if text := c.String(flag); text != "" {
			if *into, err = shell.ParseMoment("--"+flag, text, now); err != nil {
				return f, nil, err
			}
		}
	}
	if text := c.String("status"); text != "" {
		if f.Status, err = auditlog.ParseStatus(text); err != nil {
			return f, nil, shell.Usage(err)
		}
	}
	if client, err = a.Client(c); err == nil && c.String("by") != "" {
		f.User, err = shell.FindRecord(c.Context, client, "AD_User", c.String("by"))
	}
	return f, client, err
}

// mayAudit is the refusal of a login that was shown no records because it may
// see none; nil when there are none, or the login does not tell its role.
func (a *app) mayAudit(c *cli.Context, client *erp.Client) error {
	claims, ok := a.Claims(c.Context)
	if !ok {
		return nil
	}
	return auditlog.MayRead(c.Context, client, int64(claims.RoleID))
}

// auditRecord shows one record.
func (a *app) auditRecord(c *cli.Context, choice *output.Choice) error {
	if name := firstSet(c, auditOnly); name != "" {
		return shell.Usagef("--%s cannot be used with a single record", name)
	}
	id, err := erp.ParseID(c.Args().First())
	if err != nil || c.NArg() > 1 {
		return shell.Usagef("--audit takes the number or the UUID of one record, or nothing")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	r, err := auditlog.Get(c.Context, client, id)
	if errors.Is(err, erp.ErrNotFound) && !errors.Is(err, auditlog.ErrNoTable) {
		if denied := a.mayAudit(c, client); denied != nil {
			return denied
		}
	}
	if err != nil {
		return shell.Input(err)
	}
	if len(choice.Columns) == 0 {
		switch choice.Format {
		case output.FormatTable, output.FormatWide:
			return a.PrintAs(c, choice, nil, output.Table{Below: auditText(&r)})
		}
	}
	switch choice.Format {
	case output.FormatTable, output.FormatWide, output.FormatCSV, output.FormatName, output.FormatVertical:
		one := func(yield func(auditlog.Record, error) bool) { yield(r, nil) }
		return a.printAudit(c, choice, one)
	}
	return a.PrintAs(c, choice, r, output.Table{})
}

// auditColumns are those of a CSV file.
var auditColumns = []string{
	"id", "when", "user", "userId", "role", "roleId", "tenant", "tenantId", "status", "rows", "milliseconds", "statement", "reason",
}

// auditRecords are records as an export takes them, with the columns that were
// named or all they have.
func auditRecords(records iter.Seq2[auditlog.Record, error], named []string) iter.Seq2[erp.Record, error] {
	return func(yield func(erp.Record, error) bool) {
		for r, err := range records {
			var rec erp.Record
			if err == nil {
				var text []byte
				if text, err = json.Marshal(r); err == nil {
					rec, err = erp.ParseRecord(text)
				}
				if err == nil && len(named) > 0 {
					rec, err = only(rec, named)
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// only is a record with the named columns, in that order.
func only(rec erp.Record, named []string) (erp.Record, error) {
	members := map[string]any{}
	for _, name := range named {
		if raw, ok := rec.Raw(name); ok {
			members[name] = raw
		}
	}
	text, err := output.Object(named, members)
	if err != nil {
		return erp.Record{}, err
	}
	return erp.ParseRecord(text)
}

// printAudit shows records, in formats other than tables as they come.
func (a *app) printAudit(c *cli.Context, choice *output.Choice, records iter.Seq2[auditlog.Record, error]) error {
	if choice.Format != output.FormatTable && choice.Format != output.FormatWide {
		columns, err := auditNames(choice.Columns)
		if err != nil {
			return err
		}
		named := columns
		if len(choice.Columns) == 0 {
			named = nil
		}
		_, err = a.PrintRecords(c, choice, auditRecords(records, named), &output.RecordOptions{Columns: columns})
		return err
	}
	t := output.Table{Empty: "no records", Columns: []output.Column{
		{Name: "id", Right: true}, {Name: "when (UTC)", Key: "when"}, {Name: "user"}, {Name: "role"}, {Name: "tenant"}, {Name: "status", Max: 20, Style: auditStyle},
		{Name: "rows", Right: true}, {Name: "ms", Key: "milliseconds", Right: true}, {Name: "statement", Max: 60}, {Name: "reason", Max: 60},
	}}
	for r, err := range records {
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, []string{
			strconv.FormatInt(r.ID, 10), r.Time.Format(time.RFC3339), known(r.User, r.UserID), known(r.Role, r.RoleID), known(r.Tenant, r.TenantID),
			string(r.Status), strconv.FormatInt(r.Rows, 10), strconv.FormatInt(r.Milliseconds, 10), r.Statement, r.Reason,
		})
	}
	return a.PrintAs(c, choice, nil, t)
}

// auditNames are the columns that were named, in their own spelling.
func auditNames(named []string) ([]string, error) {
	if len(named) == 0 {
		return auditColumns, nil
	}
	at, err := output.Table{Columns: output.Columns(auditColumns...)}.Indexes(named)
	if err != nil {
		return nil, shell.Usage(err)
	}
	return pickOf(auditColumns, at), nil
}

var auditStyle = output.ByText(map[string]output.Style{
	string(auditlog.Succeeded): output.Good, string(auditlog.Failed): output.Bad, string(auditlog.Refused): output.Warning,
})

// known is a name with its number.
func known(name string, id int64) string {
	if name == "" {
		return strconv.FormatInt(id, 10)
	}
	return fmt.Sprintf("%s (%d)", shell.Short(name, 30), id)
}

// auditText is all of a record, for people.
func auditText(r *auditlog.Record) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-13s %s\n", name, shell.Printable(strings.Join(strings.Fields(value), " ")))
		}
	}
	line("record", strings.TrimSpace(strconv.FormatInt(r.ID, 10)+" "+r.UUID))
	line("when (UTC)", r.Time.Format(time.RFC3339))
	line("user", known(r.User, r.UserID))
	if r.AIUserID != r.UserID {
		line("AI user", known(r.AIUser, r.AIUserID))
	}
	if r.ProviderID != 0 {
		line("AI provider", strconv.FormatInt(r.ProviderID, 10))
	}
	line("role", known(r.Role, r.RoleID))
	line("tenant", known(r.Tenant, r.TenantID))
	line("status", string(r.Status))
	line("reason", r.Reason)
	line("rows", strconv.FormatInt(r.Rows, 10))
	line("milliseconds", strconv.FormatInt(r.Milliseconds, 10))
	line("tables", r.Tables)
	line("parameters", r.Parameters)
	line("request", r.RequestID)
	line("policy", r.Policy)
	for _, text := range []struct{ name, sql string }{{"statement", r.Statement}, {"secured", r.Secured}} {
		if text.sql != "" { // indented, so that no statement passes for a field
			fmt.Fprintf(&b, "\n%s:\n  %s\n", text.name, strings.ReplaceAll(shell.Printable(text.sql), "\n", "\n  "))
		}
	}
	return b.String()
}
