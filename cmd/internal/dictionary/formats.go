package dictionary

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/migration"
)

// The names of the formats.
const (
	formatREST      = "rest"
	formatPack      = "pack"
	formatMigration = "migration"
	formatSQL       = "sql"
)

// format is a way to get changes into an ERP and its database.
type format struct {
	name string

	// checkApply refuses flags that do not go with --apply; nil refuses none.
	checkApply func(*app, *cli.Context) error

	// writePlan writes a plan to files, and applies it when that is requested; nil
	// means that the command runs the plan on the server.
	writePlan func(*app, *cli.Context, *dict.Plan, knowledge) error

	// writeSync does the same with the statements that bring the database in line
	// with the dictionary; nil means that the format has no files of them.
	writeSync func(*app, *cli.Context, syncScript) error
}

var (
	restFormat      = &format{name: formatREST}
	packFormat      = &format{name: formatPack, writePlan: (*app).deliverPack}
	migrationFormat = &format{
		name: formatMigration, checkApply: (*app).checkApplyScripts,
		writePlan: func(a *app, c *cli.Context, plan *dict.Plan, known knowledge) error {
			return a.deliverScripts(c, func(d dict.Dialect, o *migration.Options) (*migration.Script, error) {
				o.Resolve = known.reference
				return migration.Build(plan, d, o)
			})
		},
		writeSync: func(a *app, c *cli.Context, s syncScript) error {
			return a.deliverScripts(c, func(d dict.Dialect, o *migration.Options) (*migration.Script, error) {
				o.Title = "synchronise " + c.Args().First()
				return migration.Structural("sync_"+s.about(), s.statements(d), d, o)
			})
		},
	}
	sqlFormat = &format{
		name: formatSQL,
		checkApply: func(*app, *cli.Context) error {
			return shell.Usagef("--apply cannot be used with --format sql, which is for reading; use --format migration")
		},
		writePlan: func(a *app, c *cli.Context, plan *dict.Plan, known knowledge) error {
			return a.deliverDDL(c, func(d dict.Dialect) ([]ddl.File, error) {
				return ddl.Files(plan, d, &ddl.Options{Resolve: known.reference})
			})
		},
		writeSync: func(a *app, c *cli.Context, s syncScript) error {
			return a.deliverDDL(c, func(d dict.Dialect) ([]ddl.File, error) {
				return []ddl.File{{Name: s.fileName(), Content: ddl.Text(s.about(), s.statements(d), d)}}, nil
			})
		},
	}
	formats = []*format{restFormat, packFormat, migrationFormat, sqlFormat}
)

// onServer reports whether the changes are made over REST rather than written to
// files.
func (f *format) onServer() bool { return f.writePlan == nil }

// findFormat is the format of a name, nil for none.
func findFormat(name string) *format {
	if i := slices.IndexFunc(formats, func(f *format) bool { return f.name == name }); i >= 0 {
		return formats[i]
	}
	return nil
}

// chooseFormat is how a plan gets into the ERP: what --format says, else a
// package for a plugin, else scripts without a server, else REST.
func chooseFormat(c *cli.Context) (*format, error) {
	name, offline, plugin := c.String("format"), c.Bool("offline"), c.String("plugin")
	f := findFormat(name)
	switch {
	case name != "" && f == nil:
		return nil, shell.Usagef("there is no format %q; use rest, pack, migration or sql", name)
	case plugin != "" && f != nil && f != packFormat:
		return nil, shell.Usagef("--plugin writes a package and cannot be used with --format %s", name)
	case offline && f == restFormat:
		return nil, shell.Usagef("--offline cannot be used with --format rest, which needs a server")
	case f != nil:
		return f, nil
	case plugin != "":
		return packFormat, nil
	case offline:
		return migrationFormat, nil
	}
	return restFormat, nil
}

// checkDelivery refuses combinations of flags before anything is read.
func (a *app) checkDelivery(c *cli.Context, f *format) error {
	if _, err := dialects(c, f.name); err != nil {
		return err
	}
	if c.Bool("apply") && f.checkApply != nil {
		if err := f.checkApply(a, c); err != nil {
			return err
		}
	}
	if c.Bool("full") {
		if _, err := a.needDatabase(c, "--full"); err != nil {
			return err
		}
	}
	return nil
}

// checkApplyScripts refuses what a migration script cannot be applied with.
func (a *app) checkApplyScripts(c *cli.Context) error {
	if d := c.String("dialect"); d != "" && d != "both" && d != "postgresql" && d != "postgres" && d != "pg" {
		return shell.Usagef("--apply works with PostgreSQL; apply the script for %s with the ERP's own tool", d)
	}
	if c.Bool("dry-run") {
		return nil
	}
	_, err := a.needDatabase(c, "--apply")
	return err
}
