package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/mcp"
)

func (b *CLIBackend) ask(ctx context.Context, caller mcp.Caller, q Query, out any, more ...string) error {
	role, err := b.role(caller, q.RoleID)
	if err != nil {
		return err
	}
	args := append([]string{"query", "--file=-"}, more...)
	if role != "" {
		args = append(args, role)
	}
	if q.MaxRows > 0 {
		args = append(args, "--max-rows="+strconv.Itoa(q.MaxRows))
	}
	for _, p := range q.Params {
		args = append(args, "--param=:="+string(p))
	}
	return queryFailed(b.run(ctx, caller, []byte(q.SQL), out, args...))
}

// Query runs a statement through the AI API.
func (b *CLIBackend) Query(ctx context.Context, caller mcp.Caller, q Query) (*api.Result, error) {
	var r api.Result
	if err := b.ask(ctx, caller, q, &r); err != nil {
		return nil, err
	}
	for i, row := range r.Rows {
		if len(row) != len(r.Columns) {
			return nil, fmt.Errorf("the program printed a row %d of %d values for %d columns", i+1, len(row), len(r.Columns))
		}
	}
	return &r, nil
}

// Explain tells how a statement would be run.
func (b *CLIBackend) Explain(ctx context.Context, caller mcp.Caller, q Query) (*api.Explanation, error) {
	var e api.Explanation
	q.MaxRows = 0
	if err := b.ask(ctx, caller, q, &e, "--explain"); err != nil {
		return nil, err
	}
	return &e, nil
}

func checkTable(name string) error {
	if adid.IsIdentifier(name) && len(name) <= 128 {
		return nil
	}
	return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "that is not a name of a table", Hint: "such as C_Order; searchRegistry finds tables"}
}

// Search finds records. How many there are altogether is known on the last page
// alone.
func (b *CLIBackend) Search(ctx context.Context, caller mcp.Caller, s Search) (*Page, error) {
	if err := checkTable(s.Table); err != nil {
		return nil, err
	}
	args := []string{"record", "list", "--top=" + strconv.Itoa(s.Limit+1)}
	for _, f := range []struct{ name, value string }{{"--filter=", s.Filter}, {"--orderby=", s.OrderBy}, {"--select=", strings.Join(s.Select, ",")}} {
		if f.value != "" {
			args = append(args, f.name+f.value)
		}
	}
	if s.Offset > 0 {
		args = append(args, "--skip="+strconv.Itoa(s.Offset))
	}
	var list struct {
		Records []erp.Record `json:"records"`
	}
	if err := b.run(ctx, caller, nil, &list, append(args, "--", s.Table)...); err != nil {
		return nil, err
	}
	page := &Page{Records: list.Records, Total: s.Offset + len(list.Records)}
	if len(list.Records) == 0 && s.Offset > 0 {
		page.Total = -1 // it may be the place that is too far
	}
	if len(page.Records) > s.Limit {
		page.Records, page.Total, page.More = page.Records[:s.Limit], -1, true
	}
	return page, nil
}

// Record is one record by number or UUID.
func (b *CLIBackend) Record(ctx context.Context, caller mcp.Caller, table, id string) (erp.Record, error) {
	return b.record(ctx, caller, nil, "get", table, id)
}

// Create makes a record.
func (b *CLIBackend) Create(ctx context.Context, caller mcp.Caller, table string, values map[string]any) (erp.Record, error) {
	return b.record(ctx, caller, values, "create", table, "")
}

// Update changes columns of a record.
func (b *CLIBackend) Update(ctx context.Context, caller mcp.Caller, table, id string, values map[string]any) (erp.Record, error) {
	return b.record(ctx, caller, values, "update", table, id)
}

// record runs a subcommand of record; values go over standard input.
func (b *CLIBackend) record(ctx context.Context, caller mcp.Caller, values map[string]any, verb, table, id string) (out erp.Record, err error) {
	if err := checkTable(table); err != nil {
		return out, err
	}
	args := []string{"record", verb}
	var data []byte
	if verb != "get" {
		if data, err = json.Marshal(values); err != nil {
			return out, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the values cannot be written as JSON", Err: err}
		}
		args = append(args, "--data=-")
	}
	args = append(args, "--", table)
	if verb != "create" {
		key, err := recordID(id)
		if err != nil {
			return out, err
		}
		args = append(args, key.String())
	}
	err = b.run(ctx, caller, data, &out, args...)
	return out, err
}

// RunProcess runs a process and waits for it. A file it makes stays behind; the
// summary says so.
func (b *CLIBackend) RunProcess(ctx context.Context, caller mcp.Caller, run Run) (*erp.ProcessResult, error) {
	if strings.TrimSpace(run.Process) == "" {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "which process? the name is empty"}
	}
	params := run.Params
	if params == nil {
		params = map[string]any{}
	}
	data, err := json.Marshal(params)
	if err != nil {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the parameters cannot be written as JSON", Err: err}
	}
	var out struct {
		Process  string           `json:"process"`
		Instance int64            `json:"instance"`
		IsError  bool             `json:"isError"`
		Summary  string           `json:"summary"`
		Data     json.RawMessage  `json:"data"`
		Logs     []erp.ProcessLog `json:"logs"`
		File     *struct {
			Name  string `json:"name"`
			Bytes int    `json:"bytes"`
		} `json:"file"`
	}
	args := []string{"process", "run", "--data=-"}
	if run.RecordID > 0 {
		if err := checkTable(run.Table); err != nil {
			return nil, err
		}
		args = append(args, "--table="+run.Table, "--record-id="+strconv.FormatInt(run.RecordID, 10))
	}
	if run.Format != "" {
		args = append(args, "--report-type="+string(run.Format))
	}
	if err := b.run(ctx, caller, data, &out, append(args, "--", run.Process)...); err != nil {
		return nil, err
	}
	r := &erp.ProcessResult{InstanceID: out.Instance, Process: out.Process, Summary: out.Summary, IsError: out.IsError, Data: out.Data, Logs: out.Logs}
	if out.File != nil {
		r.Summary = strings.TrimSpace(fmt.Sprintf("%s (it made the file %s of %d bytes)", r.Summary, out.File.Name, out.File.Bytes))
	}
	return r, nil
}

// Jobs are the jobs of the ERP's server.
func (b *CLIBackend) Jobs(ctx context.Context, caller mcp.Caller) ([]Job, error) {
	var list []erp.ServerJob
	if err := b.run(ctx, caller, nil, &list, "server", "jobs"); err != nil {
		return nil, err
	}
	return jobsOf(list), nil
}

// Job is one job, by id or name.
func (b *CLIBackend) Job(ctx context.Context, caller mcp.Caller, id string) (*Job, error) {
	return b.job(ctx, caller, id)
}

// SetJob starts or stops a job.
func (b *CLIBackend) SetJob(ctx context.Context, caller mcp.Caller, id string, enabled bool) (*Job, error) {
	if enabled {
		return b.job(ctx, caller, id, "--start")
	}
	return b.job(ctx, caller, id, "--stop")
}

func (b *CLIBackend) job(ctx context.Context, caller mcp.Caller, id string, flags ...string) (*Job, error) {
	if strings.TrimSpace(id) == "" {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "which job? the name is empty"}
	}
	var j erp.ServerJob
	if err := b.run(ctx, caller, nil, &j, slices.Concat([]string{"server", "jobs"}, flags, []string{"--", id})...); err != nil {
		return nil, err
	}
	return job(&j, nil)
}
