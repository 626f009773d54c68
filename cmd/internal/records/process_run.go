package records

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/recordinput"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// runReport is what process run tells a machine.
type runReport struct {
	Process  string           `json:"process"`
	Instance int64            `json:"instance"`
	IsError  bool             `json:"isError"`
	Summary  string           `json:"summary"`
	Data     json.RawMessage  `json:"data,omitempty"`
	Logs     []erp.ProcessLog `json:"logs"`
	File     *runFile         `json:"file,omitempty"`
}

// runFile is the file a process made.
type runFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Saved string `json:"saved,omitempty"`
}

// runAgain is what to do when nobody knows whether a process ran.
const runAgain = "look at what the process does, or at `erphub record list AD_PInstance`, before you run it again"

func (a *app) processRun(c *cli.Context) error {
	params, err := a.runParams(c)
	if err = cmp.Or(checkRun(c), err); err != nil {
		return err
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	p, err := findProcess(c, client)
	if err == nil && !c.Bool("unchecked") {
		if err = checkedParams(p, params.Values); err == nil {
			err = a.readParams(c, client, p, params.Values)
		}
	}
	if err != nil {
		return shell.Input(err)
	}
	if c.Bool("background") {
		job, err := client.StartJob(c.Context, p.Slug, params)
		if err != nil {
			return shell.Input(shell.Uncertain(err, runAgain))
		}
		return a.printJobs(c, job, []erp.Job{*job})
	}
	result, err := client.RunProcess(c.Context, p.Slug, params)
	if result == nil {
		return shell.Input(shell.Uncertain(err, runAgain))
	}
	saved, saveErr := a.saveFile(c.String("output"), result)
	if printErr := a.printRun(c, p.Slug, result, saved); printErr != nil {
		return printErr
	}
	return errors.Join(err, saveErr)
}

// checkRun refuses a run without a process, and an output that it cannot have.
func checkRun(c *cli.Context) error {
	switch {
	case c.NArg() < 1:
		return shell.Usagef("process run takes a process, such as process run ad_column-sync")
	case c.Bool("json") && c.String("output") == "-":
		return shell.Usagef("--json and --output - both write to standard output; give --output a file")
	case c.Bool("background") && c.IsSet("output"):
		return shell.Usagef("the result of a process in the background reaches the user as a notice or by mail; leave --output out")
	}
	return nil
}

// runParams reads the flags and arguments of a run.
func (a *app) runParams(c *cli.Context) (*erp.ProcessParams, error) {
	given, err := recordinput.Given(c.String("data"), append(slices.Clone(c.Args().Tail()), shell.Given(c, "param")...), a.Streams.In)
	if err != nil {
		return nil, shell.Usage(err)
	}
	p := &erp.ProcessParams{
		Values: given, RecordID: c.Int64("record-id"), Table: c.String("table"),
		ReportType: erp.ReportType(strings.ToUpper(c.String("report-type"))), Summary: c.Bool("summary"), Timeout: cmp.Or(max(c.Duration("timeout"), 0), -1),
	}
	if byName := reportTypeOf(c.String("output")); p.ReportType == "" && slices.Contains([]erp.ReportType{erp.ReportHTML, erp.ReportCSV, erp.ReportXLS, erp.ReportXLSX}, byName) {
		p.ReportType = byName
	}
	switch {
	case (p.RecordID != 0) != (p.Table != ""):
		return nil, shell.Usagef("--record-id and --table belong together")
	case p.RecordID < 0 || c.IsSet("record-id") && p.RecordID == 0:
		return nil, shell.Usagef("--record-id must be above 0: the server takes no other")
	}
	if text := c.String("print-format"); text != "" {
		if p.PrintFormat, err = erp.ParseID(text); err != nil {
			return nil, shell.Usage(err)
		}
	}
	return p, nil
}

// checkedParams is what the process says to its parameters, with what to do.
func checkedParams(p *erp.Process, given map[string]any) error {
	err := p.CheckParams(given)
	var bad *erp.ProcessParamsError
	switch {
	case errors.As(err, &bad) && len(bad.Missing) > 0:
		return shell.Usagef("%w: give --param NAME=VALUE (--unchecked runs it anyway)", err)
	case errors.As(err, &bad) && bad.Unknown != "":
		return shell.Usagef("%w (--unchecked sends it anyway)", err)
	}
	return shell.Usage(err)
}

// readParams reads the values of parameters as the tools of assistants do, in place; a
// value in JSON is sent as it is. What the role may not read a description of is left to
// the ERP.
func (a *app) readParams(c *cli.Context, client *erp.Client, p *erp.Process, given map[string]any) error {
	texts := maps.Clone(given)
	maps.DeleteFunc(texts, func(_ string, v any) bool { _, isJSON := v.(json.RawMessage); return isJSON || v == nil })
	dictionary := values.NewDictionary(restdict.NewSource(client, nil))
	var parameters []registry.Parameter
	for i := range p.Parameters {
		par := &p.Parameters[i]
		if texts[par.Parameter] == nil && texts[par.Parameter+"_to"] == nil {
			continue
		}
		described, err := parameterOf(c.Context, dictionary, par)
		switch {
		case errors.Is(err, erp.ErrForbidden), errors.Is(err, registry.ErrNotFound):
			a.Note("%s is sent as it is: the role may not read the list or the table of its values", par.Parameter)
			continue
		case err != nil:
			return err
		}
		parameters = append(parameters, described)
	}
	reader, err := values.New(client, dictionary, values.Options{})
	if err != nil {
		return err
	}
	read, problems, err := reader.Parameters(c.Context, parameters, texts)
	if errors.Is(err, erp.ErrForbidden) {
		a.Note("the parameters are sent as they are: the role may not read the tables of their values")
		return nil
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return shell.Usage(fmt.Errorf("the process was not run: %w", errors.Join(problems...)))
	}
	for name, v := range read {
		given[name] = v.Send
	}
	return nil
}

// parameterOf is a parameter of a process as the dictionary describes it.
func parameterOf(ctx context.Context, dictionary values.Dictionary, par *erp.ProcessParameter) (registry.Parameter, error) {
	typ, _ := par.Type.ID.Int()
	column := dict.Column{Name: par.Parameter, Type: dict.DisplayType(typ)}
	out := registry.Parameter{Column: par.Parameter, Type: column.Type, Range: par.IsRange}
	out.Encrypted, _ = par.Record.Bool("IsEncrypted")
	if ref, ok := par.Record.Ref("AD_Reference_Value_ID"); ok {
		id, _ := ref.ID.Int()
		out.ReferenceID, column.Reference = int(id), &dict.Reference{ID: int(id)}
		described, err := dictionary.Reference(ctx, ref.ID.String())
		if err != nil {
			return out, err
		}
		if described.Lookup != nil {
			column.Reference.Target = described.Lookup.Table
		}
	}
	out.ForeignTable, _ = column.TargetTable()
	return out, nil
}

// saveFile saves the file that came with a result and returns its path; "" when
// there is none, or nobody asked for it.
func (a *app) saveFile(output string, result *erp.ProcessResult) (string, error) {
	name, data, ok := result.File()
	switch {
	case output == "" || result.IsError && !ok:
		return "", nil
	case !ok:
		return "", errors.New("the process ran, but it made no file for --output")
	case output == "-":
		_, err := a.Data().Write(data)
		return "-", err
	}
	if st, err := os.Stat(output); err == nil && st.IsDir() {
		file, ok := shell.InFolder(output, name)
		if !ok {
			return "", fmt.Errorf("the process ran, but its file has no usable name; give --output a file")
		}
		output = file
	}
	if err := shell.WriteFile(output, data); err != nil {
		return "", fmt.Errorf("the process ran, but its file cannot be kept: %w", err)
	}
	return output, nil
}

// printRun tells how a run went. A failure itself is the error of the command.
func (a *app) printRun(c *cli.Context, slug string, result *erp.ProcessResult, saved string) error {
	r := runReport{
		Process: slug, Instance: result.InstanceID, IsError: result.IsError, Summary: result.Summary,
		Data: result.Data, Logs: append([]erp.ProcessLog{}, result.Logs...),
	}
	if name, data, ok := result.File(); ok {
		r.File = &runFile{Name: name, Bytes: len(data), Saved: saved}
	}
	if c.Bool("json") {
		return a.PrintJSON(r)
	}
	out := a.Streams.Out
	if saved == "-" { // standard output is the file's
		out = a.Streams.Err
	}
	for _, l := range r.Logs {
		fmt.Fprintf(out, "  %s\n", shell.Printable(shell.Short(strings.Join([]string{l.Date, string(l.Number), l.Data, l.Message}, " "), 200)))
	}
	if r.IsError {
		return nil
	}
	summary := cmp.Or(shell.Short(r.Summary, 300), "done")
	fmt.Fprintf(out, "%s: %s (instance %d)\n", r.Process, shell.Printable(summary), r.Instance)
	if len(r.Data) > 0 && string(r.Data) != "null" {
		fmt.Fprintf(out, "%s\n", shell.Printable(string(r.Data)))
	}
	switch {
	case r.File == nil || saved == "-":
	case saved == "":
		fmt.Fprintf(out, "the process made the file %s (%d bytes); --output FILE saves it\n", shell.Printable(shell.Short(r.File.Name, 100)), r.File.Bytes)
	default:
		fmt.Fprintf(out, "%d bytes in %s\n", r.File.Bytes, saved)
	}
	return nil
}
