package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/maskfile"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

func (a *app) cloneCommand() *cli.Command {
	return &cli.Command{
		Name:  "clone",
		Usage: "make a twin of your own ERP: its dictionary, roles and chosen data, in a folder for --data",
		Description: "A twin is a sandbox with the dictionary, the roles, the reference data and chosen business data of another ERP. " +
			"It is read over the REST API with the login of the profile, which sees one tenant and the records of System, or " +
			"with --database from its database, which is faster, sees one state, and is only read. A database shows all tenants: " +
			"--tenant says whose rows are copied.\n\n" +
			"What copied rows refer to is copied too, for --depth steps; where that ends the reference is emptied, and no key " +
			"leads nowhere. Passwords, tokens and other secrets are never copied: all users of the twin get one password, " +
			"which is printed once. Logs, attachments and the like are left out unless asked for.\n\n" +
			"Names, addresses, phones, mail, bank accounts, tax ids and free texts of people and firms are replaced by " +
			"invented ones, the same by the same. The key they are made with is in a file beside the folder (twin.key for " +
			"twin): keep it for later clones, and away from those who get the twin. --mask-rules changes what is replaced.\n\n" +
			"An interrupted clone goes on with --resume and the same flags. The twin that is there already is replaced when\n" +
			"the new one is complete; a folder whose sandbox is no twin is refused.",
		Flags: append(append(shell.ValueFlags(),
			&cli.StringFlag{Name: "data", Usage: "`FOLDER` of the twin", TakesFile: true},
			&cli.StringFlag{Name: "tables", Usage: "business tables to copy, with commas between; * stands for any letters, such as C_Invoice*"},
			&cli.StringFlag{Name: "entity-type", Usage: "copy the tables of these entity types too, with commas between"},
			&cli.IntFlag{Name: "rows", Usage: "copy no more than the newest N rows of each business table, with what is part of them, such as order lines; 0: all"},
			&cli.StringFlag{Name: "since", Usage: "copy only rows of business tables that were changed since a day, a time or an age (7d)"},
			&cli.GenericFlag{Name: "tenant", Value: &shell.Texts{}, Usage: "copy the rows of this tenant, by name or number, and System's; repeatable, * for all; needed where several are shown, as by --database"},
			&cli.IntFlag{Name: "depth", Usage: "how many steps references are followed; 0: 5, -1: not at all"},
			&cli.StringFlag{Name: "languages", Usage: "languages whose translations are copied, such as es_CO,de_DE"},
			&cli.BoolFlag{Name: "attachments", Usage: "copy attachments, archives and images too"},
			&cli.BoolFlag{Name: "logs", Usage: "copy logs and transient tables too"},
			&cli.BoolFlag{Name: "resume", Usage: "go on with a clone that was interrupted"},
		), append(maskFlags(), sourceFlags()...)...),
		Action: shell.Takes(a.clone),
	}
}

// sourceFlags say how the ERP is read: its database when that is given, else its
// REST API.
func sourceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "base-language", Value: "en_US", Usage: "base language of the ERP, in which its texts are requested (REST)"},
		&cli.IntFlag{Name: "page-size", Usage: "records per request (REST); 0: 1000"},
		&cli.Float64Flag{Name: "rate", Usage: "requests per second at most (REST); 0: no limit"},
		&cli.StringFlag{Name: "database-zone", Value: "UTC", Usage: "time zone of the ERP's server, in which it writes times (--database)"},
		&cli.StringFlag{Name: "database", Usage: "read the ERP's database at this address, such as postgres://reader@host/idempiere, instead of its REST API"},
		&cli.StringFlag{Name: "database-file", Usage: "file that holds the address of the database", TakesFile: true},
		&cli.StringFlag{Name: "database-schema", Usage: "schema of the ERP's tables (default adempiere)"},
	}
}

// twinMaker is [twin.Clone] or [twin.Refresh].
type twinMaker func(ctx context.Context, src twin.Source, dir string, opts twin.Options) (*twin.Report, error)

func (a *app) clone(c *cli.Context) error {
	return a.makeTwin(c, twin.Clone, func(opts *twin.Options) (err error) {
		opts.Tables, opts.EntityTypes, opts.Languages = shell.CommaList(c.String("tables")), shell.CommaList(c.String("entity-type")), shell.CommaList(c.String("languages"))
		opts.Tenants = shell.Given(c, "tenant")
		opts.Rows, opts.Depth = c.Int("rows"), c.Int("depth")
		opts.Binary, opts.Logs, opts.Resume = c.Bool("attachments"), c.Bool("logs"), c.Bool("resume")
		if opts.Rows < 0 {
			return shell.Usagef("--rows must not be negative, got %d", opts.Rows)
		}
		if since := c.String("since"); since != "" {
			opts.Since, err = shell.ParseMoment("--since", since, time.Now())
		}
		return err
	})
}

// maskFlags say how names, addresses and the like are replaced.
func maskFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "mask", Value: &shell.Texts{}, Usage: "standard, the default; none, given twice, has names, addresses and the like copied as they are"},
		&cli.StringFlag{Name: "mask-own", Usage: "names of your firm that are replaced inside of texts too, with commas between; those of tenants and organizations always are"},
		&cli.StringFlag{Name: "mask-rules", Usage: "YAML file that says which columns are masked as what, and which stay", TakesFile: true},
		&cli.StringFlag{Name: "mask-key", Usage: "file with the key to mask with, made when it is missing (default: the folder's name with .key behind)", TakesFile: true},
	}
}

// maskingOptions say how data of people and firms are replaced, which they are
// unless the opposite is said twice.
func maskingOptions(c *cli.Context) (o mask.Options, err error) {
	given, rules, key := shell.Given(c, "mask"), c.String("mask-rules"), c.String("mask-key")
	none := slices.Contains(given, string(mask.None))
	switch {
	case slices.Equal(given, []string{"none", "none"}):
		if rules != "" || key != "" || c.String("mask-own") != "" {
			return o, shell.Usagef("--mask none masks nothing, so there is nothing for the other flags of masking to say")
		}
		o.Mode = mask.None
		return o, nil
	case none:
		return o, shell.Usagef("--mask none copies names, addresses and other data of people as they are: give it twice, and alone, if that is meant")
	case len(given) > 1:
		return o, shell.Usagef("--mask is given %d times: only none is given twice", len(given))
	case len(given) == 1:
		if o.Mode, err = mask.ParseMode(given[0]); err != nil {
			return o, shell.Usage(err)
		}
	}
	o.Own = shell.CommaList(c.String("mask-own"))
	if rules != "" {
		if o.Rules, err = maskfile.Load(rules); err != nil {
			return o, shell.Usage(err)
		}
	}
	if key != "" {
		if o.Key, _, err = mask.OpenKey(key); err != nil {
			return o, err
		}
	}
	return o, nil
}

// twinSource opens what is cloned; done closes it.
func (a *app) twinSource(c *cli.Context) (src twin.Source, done func() error, err error) {
	address, err := a.GivenAddress(c, "database")
	if err != nil {
		return nil, nil, err
	}
	if address == "" {
		setup, err := a.Setup(c)
		if err != nil {
			return nil, nil, err
		}
		client, err := a.ClientFor(c, setup, erp.WithLocale(c.String("base-language")))
		if err != nil {
			return nil, nil, err
		}
		return twin.NewREST(client, &twin.RESTOptions{PageSize: c.Int("page-size"), PerSecond: c.Float64("rate")}), func() error {
			client.CloseIdleConnections()
			return nil
		}, nil
	}
	zone, err := time.LoadLocation(c.String("database-zone"))
	if err != nil {
		return nil, nil, shell.Usagef("--database-zone %q is not a time zone such as America/Bogota: %v", c.String("database-zone"), err)
	}
	db, origin, err := dbdict.Connect(c.Context, address)
	if err != nil {
		return nil, nil, err
	}
	own, err := twin.NewDatabase(db, twin.PostgreSQL, &twin.DatabaseOptions{Schema: a.Schema(c), Origin: origin, Location: zone})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return own, func() error { return errors.Join(own.Close(), db.Close()) }, nil
}

// printClone shows what was copied and what was not.
func (a *app) printClone(c *cli.Context, dir string, r *twin.Report) error {
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	value := struct {
		*twin.Report
		Password string `json:"password"`
	}{r, r.Password}
	var rows [][]string
	for _, t := range r.Tables {
		remark := remarks(&t)
		if (t.Part == twin.Dictionary || t.Rows == 0) && remark == "" {
			continue
		}
		rows = append(rows, []string{t.Table, string(t.Part), fmt.Sprint(t.Rows), remark})
	}
	t := output.Table{Columns: output.Columns("table", "part", ">rows", "remarks"), Rows: rows, List: "tables", Secret: true}
	printed := a.PrintAs(c, choice, value, t)
	if printed == nil && !choice.ForPeople() && !choice.Filtered() && choice.Format != output.FormatNDJSON {
		return nil // it has everything
	}
	for _, note := range r.Notes {
		a.Note("%s", note)
	}
	if _, err := fmt.Fprintf(a.Streams.Err, "the twin of %s has %d rows of %s (%.1f MB, %s)\n", shell.Printable(r.Origin), r.Rows, shell.Count(copied(r), "table", "tables"), float64(r.Bytes)/1e6,
		r.Took.Round(time.Millisecond)); err != nil {
		return err
	}
	if err := a.printMasking(r); err != nil {
		return err
	}
	for _, l := range r.Logins {
		if _, err := fmt.Fprintf(a.Streams.Err, "  user %s, tenant %d, role %d\n", shell.Printable(l.User), l.Client, l.Role); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.Streams.Err, "the password of its users, which is not shown again: %s\nserve it with: erphub sandbox --data %s\n", r.Password, shell.Printable(dir))
	return errors.Join(printed, err)
}

// printMasking says how many values of which classes were replaced.
func (a *app) printMasking(r *twin.Report) error {
	if !r.Masked {
		_, err := fmt.Fprintln(a.Streams.Err, "nothing was masked: it holds names, addresses and other data of people as the ERP has them")
		return err
	}
	values, columns := map[mask.Class]int64{}, map[mask.Class]int{}
	for _, col := range r.Columns {
		values[col.Class] += col.Masked
		columns[col.Class]++
	}
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, fmt.Sprintf("%s %d (%s)", class, values[class], shell.Count(columns[class], "column", "columns")))
	}
	if len(parts) == 0 {
		parts = []string{"nothing to mask in these tables"}
	}
	_, err := fmt.Fprintf(a.Streams.Err, "masked: %s; --json lists the columns\n", strings.Join(parts, ", "))
	return err
}

func copied(r *twin.Report) int {
	n := 0
	for _, t := range r.Tables {
		if t.Rows > 0 {
			n++
		}
	}
	return n
}

// remarks say what of a table is not as in the ERP.
func remarks(t *twin.TableReport) string {
	var out []string
	if t.Unreadable != "" {
		out = append(out, "not readable: "+t.Unreadable)
	}
	if t.Problem != "" {
		out = append(out, t.Problem)
	}
	counts := func(what string, m map[string]int64) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			out = append(out, fmt.Sprintf("%s %s (%d)", what, key, m[key]))
		}
	}
	counts("left out:", t.LeftOut)
	counts("emptied", t.Emptied)
	counts("default for", t.Filled)
	counts("does not fit:", t.Unfit)
	for _, column := range slices.Sorted(maps.Keys(t.NotCopied)) {
		if t.Rows > 0 && t.NotCopied[column] != "secret" && t.NotCopied[column] != "binary" {
			out = append(out, column+" not copied: "+t.NotCopied[column])
		}
	}
	return strings.Join(out, "; ")
}
