package login

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/doctor"
)

func (a *app) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "check environment, configuration, REST API and database, and suggest fixes",
		Description: "Warnings are no failure. The exit code is that of the first failure. Processes are given by slug or " +
			"number, which differ between installations; one that is not what it should be is a warning.",
		Flags: slices.Concat(shell.OutputFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "api", Usage: "examine the REST API only, as --only api"},
			&cli.BoolFlag{Name: "compatibility", Usage: "find out what this ERP can do: its release, and the features of its REST plugin"},
			&cli.StringFlag{Name: "only", Usage: "examine these areas only: environment, configuration, api, database, compatibility"},
			&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables"},
			&cli.StringFlag{Name: "import-process", Usage: "slug or number of the process that imports packages"},
		}, shell.DatabaseFlags()),
		Action: shell.Takes(func(c *cli.Context) error {
			areas, err := doctorAreas(c)
			if err != nil {
				return err
			}
			return a.runDoctor(c, areas, doctor.Options{SyncProcess: c.String("sync-process"), ImportProcess: c.String("import-process")})
		}),
	}
}

// doctorAreas are those named by --api and --only; everything without them.
func doctorAreas(c *cli.Context) ([]doctor.Area, error) {
	only := shell.CommaList(c.String("only"))
	for flag, area := range map[string]doctor.Area{"api": doctor.AreaAPI, "compatibility": doctor.AreaCompatibility} {
		if !c.Bool(flag) {
			continue
		}
		if len(only) > 0 {
			return nil, shell.Usagef("give one of --api, --compatibility and --only")
		}
		only = []string{string(area)}
	}
	if len(only) == 0 {
		return doctor.Areas(), nil
	}
	var areas []doctor.Area
	for _, name := range only {
		area := doctor.Area(name)
		if !slices.Contains(allAreas(), area) {
			return nil, shell.Usagef("there is no area %q to examine; use environment, configuration, api, database or compatibility", name)
		}
		areas = append(areas, area)
	}
	return areas, nil
}

// allAreas are all that can be examined.
func allAreas() []doctor.Area { return append(doctor.Areas(), doctor.AreaCompatibility) }

// examined is what the areas of a doctor's run look at.
type examined struct {
	setup               *shell.Setup
	client              *erp.Client // nil: clientErr says why
	setupErr, clientErr error
	options             doctor.Options
}

// runDoctor examines the areas and prints the findings. Warnings are no
// failure.
func (a *app) runDoctor(c *cli.Context, areas []doctor.Area, opts doctor.Options) error {
	e := examined{options: opts}
	e.setup, e.setupErr = a.Setup(c)
	if e.clientErr = e.setupErr; e.setupErr == nil {
		e.client, e.clientErr = a.ClientFor(c, e.setup)
		e.options.RoleID, _ = shell.LoginRole(e.setup)
	}
	if !slices.Contains(areas, doctor.AreaConfiguration) { // which would say it
		if e.setupErr != nil {
			return e.setupErr
		}
		if e.clientErr != nil && (slices.Contains(areas, doctor.AreaAPI) || slices.Contains(areas, doctor.AreaCompatibility)) {
			return e.clientErr
		}
	}
	var checks []doctor.Check
	for _, area := range allAreas() {
		if slices.Contains(areas, area) {
			checks = append(checks, a.examine(c, area, &e)...)
		}
	}
	if err := a.printChecks(c, checks); err != nil {
		return err
	}
	for _, check := range checks {
		switch {
		case check.Err == nil:
		case errors.Is(check.Err, doctor.ErrNoAddress):
			return errors.Join(shell.ErrReported, shell.Usage(check.Err))
		default:
			return errors.Join(shell.ErrReported, check.Err)
		}
	}
	return nil
}

// examine is what is found in an area.
func (a *app) examine(c *cli.Context, area doctor.Area, e *examined) []doctor.Check {
	skipped := func(check string) []doctor.Check {
		return []doctor.Check{doctor.Skip(area, check, "not examined, because of the failure above")}
	}
	switch area {
	case doctor.AreaEnvironment:
		path, err := a.ConfigPath(c)
		return doctor.Environment(c.Context, doctor.Host{
			Program: "erphub " + shell.Version(), Environ: a.Env, ConfigPath: path, ConfigErr: err,
		})
	case doctor.AreaConfiguration:
		return doctor.Configuration(c.Context, a.DoctorSettings(c, e.setup, e.setupErr, e.clientErr))
	case doctor.AreaAPI:
		if e.client == nil {
			return skipped("server responds")
		}
		return doctor.API(c.Context, e.client, e.options)
	case doctor.AreaCompatibility:
		if e.client == nil {
			return skipped("release of the ERP")
		}
		return doctor.Compatibility(c.Context, e.client)
	case doctor.AreaDatabase:
		url := c.String("database")
		if url == "" && e.setupErr == nil {
			url = e.setup.Resolver.Lookup("database.url")
		}
		return doctor.Database(c.Context, url, c.String("database-schema"))
	}
	return nil
}

// printChecks shows findings: a table, and below it how to fix what is wrong.
func (a *app) printChecks(c *cli.Context, checks []doctor.Check) error {
	rows := make([][]string, len(checks))
	for i, check := range checks {
		rows[i] = []string{string(check.Area), check.Name, string(check.Status), check.Found}
	}
	var b strings.Builder
	for _, check := range checks {
		if check.Fix != "" {
			fmt.Fprintf(&b, "\n%s: %s\n", a.Paint(output.State(string(check.Status)), shell.Printable(check.Name)), shell.Printable(check.Fix))
		}
	}
	columns := output.Styled(output.Columns("area", "check=name", "status", "found"), "status", output.State)
	columns[1].ID, columns[3].Wrap = true, true
	return a.Print(c, map[string]any{"status": doctor.Worst(checks), "checks": checks}, output.Table{Columns: columns, Rows: rows, List: "checks", Below: b.String()})
}
