package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

type executeProcessIn struct {
	ProcessID recordKey      `json:"processId" jsonschema:"search key, name, slug, number or UUID of a process"`
	Params    map[string]any `json:"params,omitempty" jsonschema:"values by parameter name, such as {\"AD_Table_ID\": 318}; dates as text"`
	Table     string         `json:"table,omitempty" jsonschema:"of the record it works on"`
	RecordID  recordKey      `json:"recordId,omitempty" jsonschema:"number, UUID, search key or name"`
	Format    string         `json:"format,omitempty" jsonschema:"of a report: PDF, HTML, CSV, XLS or XLSX"`
}

type executeProcessOut struct {
	Notice   string   `json:"notice"`
	Process  string   `json:"process"`
	Instance int64    `json:"instance,omitempty" jsonschema:"AD_PInstance_ID: where the ERP keeps what happened"`
	Summary  string   `json:"summary"`
	Logs     []string `json:"logs,omitempty"`
	withFile
	Notes []string      `json:"notes,omitempty"`
	Data  *processValue `json:"data,omitempty"`
}

type processValue struct {
	JSON string `json:"json" jsonschema:"what the process returned, as JSON text"`
}

// progressEvery is how often the progress of a running process is reported.
const progressEvery = 3 * time.Second

func (b *Toolbox) executeProcess() mcp.Tool {
	in := input[executeProcessIn](shorter(120, "table"), keyed("processId"), shorter(120, "processId"), keyed("recordId"), shorter(4, "format"))
	property(in, "params").AdditionalProperties = &jsonschema.Schema{}
	return mcp.New(mcp.Tool{
		Name: "executeProcess", Title: "Run a process", Sets: []string{SetChat, SetRecords}, Hints: mcp.Hints{Destructive: true}, Confirms: true,
		Unasked:     "reports that run no code of their own run without asking, because they change no data; the ERP keeps that they ran",
		Description: "Runs a process or report of the ERP and waits for it. What a process does cannot be undone: look at it with listProcesses (process=…) first. Asks the user, except for reports without a class or procedure. The file of a report is a resource.",
		Input:       in, Output: output[executeProcessOut](), Timeout: 10 * time.Minute, Cost: mcp.Cost{APICalls: 2},
	}, func(ctx context.Context, c *mcp.Call, in executeProcessIn) (*executeProcessOut, error) {
		given := string(in.ProcessID)
		format, err := reportFormat(in.Format)
		if err != nil {
			return nil, err
		}
		run, label := backend.Run{Process: given, Params: in.Params, Format: format}, mcp.Ref{ID: mcp.Name(given)}
		var known *registry.Process
		var params map[string]any // as the question shows them
		reg, err := b.registry(ctx, c)
		switch {
		case err == nil:
			p, err := findProcess(ctx, reg, given)
			if err != nil {
				return nil, fromDict(err)
			}
			if err := checkParameters(&p, in.Params); err != nil {
				return nil, err // before anybody is asked
			}
			if params, err = b.resolveParameters(ctx, c, reg, &p, in.Params); err != nil {
				return nil, err
			}
			// The number finds it whatever characters its search key has.
			run.Process, label = strconv.Itoa(p.ID), mcp.Ref{ID: mcp.Name(p.Value), Name: p.Name}
			given, known = p.Value, &p
		case !errors.Is(err, errors.ErrUnsupported):
			return nil, err
		}
		about, err := b.processRecord(ctx, c, &run, in.Table, string(in.RecordID))
		if err != nil {
			return nil, err
		}
		if known != nil && onlyReads(known) {
			err = c.Begin(ctx)
		} else if err = b.mayRun(ctx, c, run.Process); err == nil {
			q := runQuestion(label, run.Table, about, in.Params, params)
			if known != nil && known.Report {
				q.Say("It is a report that runs code.")
			}
			err = c.Confirmed(ctx, q.Say("It may change data, and cannot be undone."))
		}
		if err != nil {
			return nil, err
		}
		defer heartbeat(ctx, c, "process "+clip(given, 100)+" is running")()
		r, _, err := backend.Change(ctx, b.pool, "run processes", func(ctx context.Context, k backend.Processor) (*erp.ProcessResult, error) {
			return k.RunProcess(ctx, c.Caller, run)
		})
		if err != nil {
			return nil, processFailed(err)
		}
		out := processOut(given, r)
		if name, data, ok := r.File(); ok {
			out.File = b.keepFile(ctx, c, name, data)
		}
		return out, nil
	})
}

// mayRun refuses a process that the ERP does not show the caller, before anybody is
// asked.
func (b *Toolbox) mayRun(ctx context.Context, c *mcp.Call, process string) error {
	ctx, client, err := b.connect(ctx, c, "look at processes")
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // who runs it finds out
	}
	if err == nil {
		_, err = client.FindProcess(ctx, process)
	}
	return err
}

// reportFormat reads the format of a report; empty is the ERP's own.
func reportFormat(text string) (erp.ReportType, error) {
	format := erp.ReportType(strings.ToUpper(strings.TrimSpace(text)))
	switch format {
	case "", erp.ReportPDF, erp.ReportHTML, erp.ReportCSV, erp.ReportXLS, erp.ReportXLSX:
		return format, nil
	}
	return "", &mcp.Error{Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("%q is not a format of a report", clip(text, 20)), Hint: "PDF, HTML, CSV, XLS or XLSX"}
}

// processRecord adds the record that a process works on, which the caller must be
// able to see, and returns it.
func (b *Toolbox) processRecord(ctx context.Context, c *mcp.Call, run *backend.Run, table, key string) (about erp.Record, err error) {
	if (table == "") != (key == "") {
		return about, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "table and recordId belong together", Hint: "give both, or none for a process that works on no record"}
	}
	if table == "" {
		return about, nil
	}
	at, err := b.seen(ctx, c, table, key)
	if err != nil {
		return about, err
	}
	number, ok := at.record.ID().Int()
	if !ok || number <= 0 {
		return about, fail(mcp.CodeInvalidArguments, "", "record %s of %s has no number above 0: the ERP runs processes for no other", clip(key, 60), at.table)
	}
	run.Table, run.RecordID = at.table, number
	return at.record, nil
}

// runQuestion is what the user is asked before a process runs, but for what may follow.
func runQuestion(process mcp.Ref, table string, record erp.Record, params, shown map[string]any) *mcp.Question {
	q := mcp.Ask("Run the process %s?", process)
	if table != "" {
		q = mcp.Ask("Run the process %s for %s %s?", process, mcp.Name(table), named(record.ID(), record))
		restsOn(q, record)
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		value := params[name]
		if s, ok := shown[name]; ok {
			value = s
		}
		q.Fact(name, value)
	}
	return q
}

// onlyReads reports whether a process is a report of a print format or a report view
// alone. What runs code may change data, also when the ERP calls it a report.
func onlyReads(p *registry.Process) bool {
	return p.Report && p.Class == "" && p.Procedure == "" && p.Jasper == "" && p.WorkflowID == 0 && p.FormID == 0
}

// checkParameters refuses parameters that the process does not have, and names
// those it cannot do without.
func checkParameters(p *registry.Process, params map[string]any) error {
	if !p.Active {
		return &mcp.Error{Code: mcp.CodeRefused, Message: fmt.Sprintf("process %s (%s) is inactive", p.Value, p.Name), Hint: "listProcesses shows those that can be run"}
	}
	known := &erp.Process{Slug: p.Value, Parameters: mapped(p.Parameters, func(par *registry.Parameter) erp.ProcessParameter {
		return erp.ProcessParameter{Parameter: par.Column, IsMandatory: par.Mandatory, IsRange: par.Range, Default: par.Default}
	})}
	if err := known.CheckParams(params); err != nil {
		return because(err, mcp.CodeInvalidArguments, showsParameters(p))
	}
	return nil
}

func showsParameters(p *registry.Process) string {
	return fmt.Sprintf("listProcesses with the argument process set to %q shows the parameters", p.Value)
}

// resolveParameters turns names of records, labels of lists and words for yes and no
// into what the ERP stores, in place, and returns how a question shows them.
func (b *Toolbox) resolveParameters(ctx context.Context, c *mcp.Call, reg registry.Registry, p *registry.Process, params map[string]any) (map[string]any, error) {
	r, err := b.valueReader(ctx, c, values.Options{})
	if err != nil {
		return nil, err
	}
	read, wrong, err := r.Parameters(r.ctx, p.Parameters, params)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		problems := mapped(wrong, func(err *error) string { return clip((*err).Error(), 800) })
		return nil, fail(mcp.CodeInvalidArguments, showsParameters(p), "%s", listed("the process was not run", problems))
	}
	shows := map[string]any{}
	for name, v := range read {
		if params[name] = v.Send; shownAs(v) != nil {
			shows[name] = shownAs(v)
		}
	}
	return shows, nil
}

// heartbeat tells every few seconds that work goes on, until what it returns is
// called.
func heartbeat(ctx context.Context, c *mcp.Call, message string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	begun := time.Now()
	go func() {
		defer close(done)
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				c.Progress(time.Since(begun).Round(time.Second).Seconds(), 0, message)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func processFailed(err error) error {
	var failed *erp.ProcessError
	if !errors.As(err, &failed) {
		return err
	}
	return caused(err, mcp.CodeRefused, "the process ran and says this; listProcesses with process shows its parameters", "%s", clip(failed.Error(), 2000))
}

func processOut(process string, r *erp.ProcessResult) *executeProcessOut {
	out := &executeProcessOut{Notice: untrusted, Process: process, Instance: r.InstanceID, Summary: clip(r.Summary, 2000)}
	if out.Summary == "" {
		out.Summary = "done"
	}
	for i, l := range r.Logs {
		if i == 50 {
			out.Notes = append(out.Notes, fmt.Sprintf("50 of %d log lines are shown", len(r.Logs)))
			break
		}
		out.Logs = append(out.Logs, clip(string(l.Number)+" "+l.Message, 300))
	}
	if len(r.Data) > 0 && string(r.Data) != "null" {
		out.Data = &processValue{string(r.Data)}
		if len(r.Data) > 8000 {
			out.Data.JSON = shorten(out.Data.JSON, 8000)
			out.Notes = append(out.Notes, fmt.Sprintf("data is cut: 8000 of %d bytes are shown", len(r.Data)))
		}
	}
	return out
}
