package dictionary

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/dict/pack"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// stampForm is the time in the name of a migration script.
const stampForm = "200601021504"

// scriptFlags are about what is written to files.
func scriptFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "folder to write into (default: the working directory); for a package also a file whose name ends in .zip", TakesFile: true},
		&cli.StringFlag{Name: "dialect", Usage: "database of scripts: postgresql, oracle or both (default: both for migration, postgresql for sql)"},
		&cli.StringFlag{Name: "release", Value: migration.DefaultRelease, Usage: "folder of migration scripts"},
		&cli.StringFlag{Name: "id", Usage: "second part of a migration script's name, such as a ticket (default: the table)"},
		&cli.StringFlag{Name: "stamp", Usage: "first part of a migration script's name, such as 202608010900 (default: now)"},
		&cli.BoolFlag{Name: "apply", Usage: "apply it: a migration script to the database that --database names, a package to the ERP"},
	}, shell.DatabaseFlags()...)
}

// databaseURL is the address of the ERP's database, empty for none. It may hold
// a password and is never printed.
func (a *app) databaseURL(c *cli.Context) (string, error) {
	s, err := a.Setup(c)
	if err != nil {
		return "", err
	}
	return a.Address(c, s, "database", "database.url")
}

// needDatabase is the address of the ERP's database for something that cannot be
// done without.
func (a *app) needDatabase(c *cli.Context, flag string) (string, error) {
	if url, err := a.databaseURL(c); err != nil || url != "" {
		return url, err
	}
	return "", shell.Usagef("%s needs the ERP's database: name it with --database or in %s", flag, doctor.DatabaseVariable)
}

// databaseCatalog reads the dictionary from the ERP's database: what concerns a scope,
// or all of it for nil.
func (a *app) databaseCatalog(c *cli.Context, url string, scope *registry.Scope) (catalog *registry.Catalog, err error) {
	source, err := dbdict.Open(c.Context, url, &dbdict.Options{Schema: a.Schema(c)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if scope == nil {
		return registry.LoadCatalog(c.Context, source)
	}
	return registry.LoadScope(c.Context, source, *scope)
}

// withDatabase runs do with a connection to the ERP's database.
func (a *app) withDatabase(ctx context.Context, url string, do func(*sql.DB) error) (err error) {
	db, _, err := dbdict.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}

// dialects are the databases that scripts are written for.
func dialects(c *cli.Context, format string) ([]dict.Dialect, error) {
	switch name := c.String("dialect"); {
	case name == "" && format == formatSQL:
		return []dict.Dialect{dict.PostgreSQL}, nil
	case name == "", name == "both":
		return []dict.Dialect{dict.PostgreSQL, dict.Oracle}, nil
	default:
		d, ok := dict.ParseDialect(name)
		if !ok {
			return nil, shell.Usagef("there is no dialect %q; use postgresql, oracle or both", name)
		}
		return []dict.Dialect{d}, nil
	}
}

// file is a file to be written.
type file struct {
	path    string
	content []byte
}

// delivered is what came of writing a plan to files, for a machine.
type delivered struct {
	Format   string   `json:"format"`
	Name     string   `json:"name,omitempty"`    // of the migration script or the package
	Version  string   `json:"version,omitempty"` // of the package
	Files    []string `json:"files"`
	Existing bool     `json:"existing,omitempty"` // the files were there, with this content
	Applied  bool     `json:"applied"`
	Run      int      `json:"statements,omitempty"` // that were applied
	Summary  string   `json:"summary,omitempty"`    // what the ERP said to the package
	Notes    []string `json:"notes,omitempty"`
}

// knowledge is what is known of the ERP that a plan is for. Without it files are
// written that find out themselves, or say what they do not know.
type knowledge struct {
	reference func(string) (table, column string, ok bool)            // see [ddl.Options]
	record    func(dict.Existing) (id int, uuid dict.UUID, err error) // see [pack.Options]
}

// deliverScripts writes migration scripts, and applies the one for PostgreSQL
// when that is requested. Scripts of the same content that an earlier run wrote
// are taken instead, so that a failed one is applied again under its name.
func (a *app) deliverScripts(c *cli.Context, build func(dict.Dialect, *migration.Options) (*migration.Script, error)) error {
	if err := checkFolder(c, formatMigration); err != nil {
		return err
	}
	list, err := dialects(c, formatMigration)
	if err != nil {
		return err
	}
	scripts, existing, err := a.scripts(c, list, build)
	if err != nil {
		return err
	}
	report := delivered{Format: formatMigration, Name: scripts[0].Name, Existing: existing}
	var files []file
	for _, s := range scripts {
		f := file{filepath.Join(c.String("output"), filepath.FromSlash(s.Path())), []byte(s.Text())}
		files, report.Files = append(files, f), append(report.Files, f.path)
	}
	if !existing {
		if err := writeNew(files); err != nil {
			return err
		}
	}
	if c.Bool("apply") {
		at := slices.IndexFunc(scripts, func(s *migration.Script) bool { return s.Dialect == dict.PostgreSQL })
		url, err := a.needDatabase(c, "--apply")
		if err != nil {
			return err
		}
		err = a.withDatabase(c.Context, url, func(db *sql.DB) error {
			result, err := migration.Apply(c.Context, db, scripts[at], &migration.ApplyOptions{Schema: a.Schema(c)})
			if err == nil {
				report.Applied, report.Run = true, result.Statements
			}
			return err
		})
		if err != nil {
			a.Note("the scripts are in %s", strings.Join(report.Files, ", "))
			return err
		}
	}
	return a.reportDelivery(c, report)
}

// scripts builds the scripts, under the name of an earlier run when that wrote
// the same.
func (a *app) scripts(c *cli.Context, list []dict.Dialect, build func(dict.Dialect, *migration.Options) (*migration.Script, error)) ([]*migration.Script, bool, error) {
	all := func(stamp time.Time) ([]*migration.Script, error) {
		var scripts []*migration.Script
		for _, d := range list {
			s, err := build(d, &migration.Options{Time: stamp, Release: c.String("release"), ID: c.String("id")})
			if err != nil {
				return nil, shell.Usage(err)
			}
			scripts = append(scripts, s)
		}
		return scripts, nil
	}
	stamp := time.Now().Truncate(time.Minute)
	if given := c.String("stamp"); given != "" {
		var err error
		if stamp, err = time.Parse(stampForm, given); err != nil {
			return nil, false, shell.Usagef("--stamp is a time such as 202608010900, not %q", given)
		}
	}
	scripts, err := all(stamp)
	if err != nil {
		return nil, false, err
	}
	for _, earlier := range earlierStamps(c.String("output"), scripts[0]) {
		same, err := all(earlier)
		if err == nil && written(c.String("output"), same) {
			return same, true, nil
		}
	}
	return scripts, false, nil
}

// earlierStamps are the times of scripts that are there under the same second
// part of the name, the newest first.
func earlierStamps(output string, s *migration.Script) []time.Time {
	dir := filepath.Dir(filepath.Join(output, filepath.FromSlash(s.Path())))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	rest := s.Name[len(stampForm):]
	var stamps []time.Time
	for _, e := range slices.Backward(entries) { // they are ordered by name
		if head, ok := strings.CutSuffix(e.Name(), rest); ok {
			if stamp, err := time.Parse(stampForm, head); err == nil {
				stamps = append(stamps, stamp)
			}
		}
	}
	return stamps
}

// written reports whether the scripts are there with just this content.
func written(output string, scripts []*migration.Script) bool {
	for _, s := range scripts {
		has, err := os.ReadFile(filepath.Join(output, filepath.FromSlash(s.Path())))
		if err != nil || string(has) != s.Text() {
			return false
		}
	}
	return true
}

// deliverDDL writes plain DDL as numbered files. Files that were generated are
// written anew; nothing else is touched.
func (a *app) deliverDDL(c *cli.Context, build func(dict.Dialect) ([]ddl.File, error)) error {
	if err := checkFolder(c, formatSQL); err != nil {
		return err
	}
	list, err := dialects(c, formatSQL)
	if err != nil {
		return err
	}
	report := delivered{Format: formatSQL}
	var files []file
	for _, d := range list {
		made, err := build(d)
		if err != nil {
			return err
		}
		for _, m := range made {
			path := filepath.Join(c.String("output"), m.Name)
			if len(list) > 1 {
				path = filepath.Join(c.String("output"), string(d), m.Name)
			}
			files, report.Files = append(files, file{path, []byte(m.Content)}), append(report.Files, path)
		}
	}
	if err := writeNew(files); err != nil {
		return err
	}
	return a.reportDelivery(c, report)
}

// deliverPack writes a package: into the plugin that --plugin names, else as a
// file.
func (a *app) deliverPack(c *cli.Context, plan *dict.Plan, known knowledge) error {
	opts := &pack.Options{Resolve: known.record}
	report := delivered{Format: formatPack}
	if plugin := c.String("plugin"); plugin != "" {
		if err := checkFolder(c, formatPack+" --plugin"); err != nil {
			return err
		}
		dir, err := pluginFolder(c.String("output"), plugin)
		if err != nil {
			return err
		}
		saved, err := pack.Save(dir, plan, opts)
		if err != nil {
			return err
		}
		report.Name, report.Files, report.Version, report.Notes = saved.Name, []string{saved.Path}, saved.Version.String(), saved.Warnings
		return a.importPack(c, report)
	}
	var archive bytes.Buffer
	if err := pack.Write(&archive, plan, opts); err != nil {
		return err
	}
	first := "dictionary"
	if tables := plan.Summary().Tables; len(tables) > 0 {
		first = tables[0]
	}
	version := pack.Version{Major: 1}
	path := c.String("output")
	if !namesArchive(path) {
		path = filepath.Join(path, "2Pack_"+version.String()+"_"+first+".zip")
	}
	if err := writeNew([]file{{path, archive.Bytes()}}); err != nil {
		return err
	}
	report.Name, report.Files, report.Version = first, []string{path}, version.String()
	return a.importPack(c, report)
}

// namesArchive reports whether a path is meant to be that of an archive, and not of a
// folder.
func namesArchive(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".zip") && !isFolder(path)
}

// checkFolder refuses an archive where a format writes several files into a folder.
func checkFolder(c *cli.Context, format string) error {
	if path := c.String("output"); namesArchive(path) {
		return shell.Usagef("--output %s is the name of an archive, and --format %s writes into a folder: name the folder", path, format)
	}
	return nil
}

// importPack has the ERP import the package that was written, when that is requested
// for.
func (a *app) importPack(c *cli.Context, report delivered) error {
	if !c.Bool("apply") {
		return a.reportDelivery(c, report)
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	archive, err := os.ReadFile(report.Files[0])
	if err != nil {
		return fmt.Errorf("importing the package: %w", err)
	}
	result, err := restdict.ImportPackage(c.Context, client, report.Name, archive, &restdict.ImportOptions{FileName: "2Pack_" + report.Version + ".zip"})
	if err != nil {
		a.Note("the package is in %s", report.Files[0])
		if result != nil && len(result.Logs) > 0 {
			a.Note("the ERP says: %s", strings.Join(result.Logs, "; "))
		}
		return err
	}
	report.Applied, report.Summary = true, result.Summary
	return a.reportDelivery(c, report)
}

// pluginFolder finds the folder of a plugin, by its path or its name below the
// output folder.
func pluginFolder(output, plugin string) (string, error) {
	tried := []string{filepath.Join(output, plugin)}
	if output != "" || filepath.IsAbs(plugin) {
		tried = append(tried, plugin)
	}
	for _, dir := range tried {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir, nil
		}
	}
	return "", shell.Usagef("there is no plugin %q: no folder %s; name the plugin's folder, or the one it is in with --output; `erphub generate plugin --artifact-id %s` makes one", plugin, strings.Join(tried, " and no "), filepath.Base(plugin))
}

// generated is the name of a file of plain DDL that an earlier run wrote.
var generated = lazyregexp.New(`^\d\d+_(?:table_\w+|column_\w+|foreign_keys|indexes)\.sql$`)

// writeNew writes files that are not there yet, or are with the same content;
// plain DDL takes the place of older DDL.
func writeNew(files []file) error {
	for _, f := range files {
		has, err := os.ReadFile(f.path)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return fmt.Errorf("looking at %s: %w", f.path, err)
		case !bytes.Equal(has, f.content) && !generated().MatchString(filepath.Base(f.path)):
			return fmt.Errorf("%s already exists with other content: remove it, or choose another file or folder with --output", f.path)
		}
	}
	for _, f := range files {
		if err := shell.WriteFile(f.path, f.content); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) reportDelivery(c *cli.Context, r delivered) error {
	if c.Bool("json") {
		return a.PrintJSON(r)
	}
	for _, path := range r.Files {
		fmt.Fprintln(a.Streams.Out, shell.Printable(path))
	}
	for _, n := range r.Notes {
		a.Note("%s", n)
	}
	switch {
	case r.Applied && r.Format == formatPack:
		fmt.Fprintf(a.Streams.Out, "imported %s %s: %s\n", shell.Printable(r.Name), r.Version, shell.Printable(strings.TrimSpace(r.Summary)))
	case r.Applied:
		fmt.Fprintf(a.Streams.Out, "applied %s: %s\n", r.Name, shell.Count(r.Run, "statement", "statements"))
	case r.Existing:
		fmt.Fprintln(a.Streams.Out, "the scripts already existed, with this content")
	}
	return nil
}
