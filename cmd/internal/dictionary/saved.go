package dictionary

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/planfile"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
)

// isPlanFile reports whether a path names a saved plan: definitions are YAML.
func isPlanFile(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

// planArgument is the saved plan that the command line names instead of definitions.
func planArgument(c *cli.Context) (path string, ok bool, err error) {
	for _, arg := range c.Args().Slice() {
		if isPlanFile(arg) {
			path = arg
		}
	}
	if path == "" {
		return "", false, nil
	}
	if c.NArg() > 1 || len(c.StringSlice("file")) > 0 {
		return "", true, shell.Usagef("a saved plan holds its definitions: name %s alone", path)
	}
	for _, flag := range []string{"sync-all", "any-prefix"} {
		if c.Bool(flag) {
			return "", true, shell.Usagef("--%s belongs to the comparison that %s was made of; make the plan again", flag, path)
		}
	}
	return path, true, nil
}

// savePlan writes the plan of a comparison to the file that --out names.
func (a *app) savePlan(c *cli.Context, cmp *comparison) error {
	path := c.String("out")
	if path == "" {
		return nil
	}
	if cmp.set == nil {
		return shell.Usagef("--out goes with definitions; this plan is saved already")
	}
	if !isPlanFile(path) {
		return shell.Usagef("--out %s: the name of a saved plan ends in .json, by which dict apply knows it", path)
	}
	opts := &planfile.Options{AnyPrefix: c.Bool("any-prefix"), Server: cmp.client.BaseURL()}
	if claims, ok := a.Claims(c.Context); ok {
		opts.Tenant = &claims.ClientID
	}
	for _, file := range cmp.set.Files() {
		source, err := planfile.SourceOf(file)
		if err != nil {
			return err
		}
		opts.Sources = append(opts.Sources, source)
	}
	file, err := planfile.New(cmp.result, cmp.tables, opts)
	if err != nil {
		return err
	}
	if err := shell.MakeFolder(path); err != nil {
		return err
	}
	if err := file.Write(path); err != nil {
		return err
	}
	a.Note("saved the plan; `erphub dict apply %s` carries it out", path)
	return nil
}

// savedPlan reads a saved plan and checks that it fits the ERP as it is now.
func (a *app) savedPlan(c *cli.Context, path string) (*comparison, *dict.Plan, error) {
	file, err := planfile.Read(path)
	if err != nil {
		return nil, nil, shell.Usage(err)
	}
	tables, err := file.Tables()
	if err != nil {
		return nil, nil, err
	}
	client, err := a.Client(c)
	if err != nil {
		return nil, nil, err
	}
	if file.Server != "" && !strings.EqualFold(file.Server, client.BaseURL()) {
		return nil, nil, shell.Usagef("%s was made for %s, this is %s; nothing was done", path, file.Server, client.BaseURL())
	}
	reg, err := a.part(c.Context, client, diff.Scope(tables...))
	if err != nil {
		return nil, nil, err
	}
	if claims, ok := a.Claims(c.Context); ok && file.Tenant != nil && *file.Tenant != claims.ClientID {
		return nil, nil, shell.Usagef("%s was made with a login of tenant %d, this is one of tenant %d; nothing was done", path, *file.Tenant, claims.ClientID)
	}
	result, err := file.Check(c.Context, reg)
	if err != nil {
		return nil, nil, err
	}
	unreadable, err := restdict.Unreadable(c.Context, client, result.Existing()...)
	if err != nil {
		return nil, nil, err
	}
	for _, table := range unreadable {
		if !slices.Contains(behind(result.Changes), table) {
			return nil, nil, fmt.Errorf("the saved plan is stale: the ERP cannot read %s any more; nothing was done; make the plan again and look at it", table)
		}
	}
	for _, source := range file.Changed() {
		a.Note("%s is not as it was when the plan was made; the plan is carried out as it was saved", source)
	}
	return &comparison{client: client, reg: reg, tables: tables, result: result}, file.Plan, nil
}
