package deploy

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/dict/pack"
	"github.com/erphub/erphub/dict/restdict"
)

func (a *app) deployInstallCommand() *cli.Command {
	return &cli.Command{
		Name: "install", Usage: "bring the deployment log into the ERP: its table, lists, indexes and window",
		Description: "Needs a login that may change the dictionary (tenant System). What already exists is not changed, so " +
			"it may be run again. The other formats write files instead: an archive for Pack In, migration scripts " +
			"for both databases, or plain DDL to look at.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "rest", Usage: "how to bring it into the ERP: rest, pack, migration or sql"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "where the other formats write: the archive, or the folder for scripts (default: the working directory)", TakesFile: true},
			&cli.StringFlag{Name: "release", Usage: "folder of migration scripts, such as iD12"},
			&cli.BoolFlag{Name: "no-window", Usage: "leave out the window"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would be done, and do nothing"},
			&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables, where it is not the ERP's own"},
		},
		Action: shell.Takes(func(c *cli.Context) error {
			plan, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: c.Bool("no-window")})
			if err != nil {
				return err
			}
			if c.Bool("dry-run") {
				return plans.Show(a.Shell, c, plan)
			}
			switch c.String("format") {
			case "rest":
				return a.installLog(c, plan)
			case "pack":
				return a.writeLogPackage(c, plan)
			case "migration":
				return a.writeLogScripts(c, plan)
			case "sql":
				return a.writeLogDDL(c, plan)
			}
			return shell.Usagef("there is no format %q; use rest, pack, migration or sql", c.String("format"))
		}),
	}
}

// installLog brings the log in over the REST API.
func (a *app) installLog(c *cli.Context, plan *dict.Plan) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	opts := &restdict.Options{BatchSize: 50}
	if p := c.String("sync-process"); p != "" {
		opts.Processes = map[dict.Purpose]string{dict.SyncTable: p}
	}
	result, err := plans.Run(c.Context, a.Shell, client, plan, opts)
	if err != nil {
		return err
	}
	return plans.ReportTable(a.Shell, c, deploylog.Table(), plan, result)
}

func (a *app) writeLogPackage(c *cli.Context, plan *dict.Plan) error {
	path := cmp.Or(c.String("output"), "2Pack_1.0.0_"+deploylog.TableName+".zip")
	var archive bytes.Buffer
	if err := pack.Write(&archive, plan, &pack.Options{Name: "com.github.erphub.deploylog", Description: "Deployment log"}); err != nil {
		return err
	}
	return a.writeFiles(c, map[string][]byte{path: archive.Bytes()}, []string{path})
}

func (a *app) writeLogScripts(c *cli.Context, plan *dict.Plan) error {
	scripts, err := migration.Scripts(plan, &migration.Options{Release: c.String("release"), Time: time.Now()})
	if err != nil {
		return err
	}
	files, order := map[string][]byte{}, []string{}
	for _, s := range scripts {
		path := filepath.Join(c.String("output"), filepath.FromSlash(s.Path()))
		files[path], order = []byte(s.Text()), append(order, path)
	}
	return a.writeFiles(c, files, order)
}

func (a *app) writeLogDDL(c *cli.Context, plan *dict.Plan) error {
	files, order := map[string][]byte{}, []string{}
	for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
		list, err := ddl.Files(plan, dialect, nil)
		if err != nil {
			return err
		}
		for _, f := range list {
			path := filepath.Join(c.String("output"), string(dialect), f.Name)
			files[path], order = []byte(f.Content), append(order, path)
		}
	}
	return a.writeFiles(c, files, order)
}

// writeFiles writes files that are not there yet and names them.
func (a *app) writeFiles(c *cli.Context, files map[string][]byte, order []string) error {
	for _, path := range order {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s already exists: remove it, or choose another file or folder with --output", path)
		}
	}
	for _, path := range order {
		if err := shell.WriteFile(path, files[path]); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return a.PrintJSON(map[string]any{"files": order})
	}
	for _, path := range order {
		if _, err := fmt.Fprintln(a.Streams.Out, path); err != nil {
			return err
		}
	}
	return nil
}
