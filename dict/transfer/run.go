package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/internal/text"
)

// ErrFailed is in the error of a run in which rows were refused.
var ErrFailed = errors.New("rows were refused")

// Import brings the rows of a file into a table. Rows that are refused are counted in the result and are no
// error, except with AllOrNothing and MaxErrors, where the error matches
// [ErrFailed]. An error matching [ErrFile] is about the file as a whole, and nothing
// was written. With any other error the run was cut off: the result says how far it
// came, and with a journal it can be resumed.
func Import(ctx context.Context, client *erp.Client, reg values.Dictionary, in Input, opts ImportOptions) (*Result, error) {
	start := time.Now()
	r := &run{client: client, in: in, opts: opts, result: &Result{}}
	err := r.run(ctx, reg)
	r.result.Took = time.Since(start)
	return r.result, named(err, in.Name())
}

// run is one import.
type run struct {
	client *erp.Client
	in     Input
	opts   ImportOptions
	result *Result

	digest  string
	total   int
	names   []string // headings
	state   *journal
	refused *errorFile
	undo    *undoFile
	prepare *preparer
	begun   bool // something was sent, or refused
}

func (r *run) run(ctx context.Context, reg values.Dictionary) (err error) {
	t, err := reg.Table(ctx, r.opts.Table)
	if err != nil {
		return err
	}
	switch {
	case t.View:
		return fmt.Errorf("%s is a view, which is not written to", t.Name)
	case !t.Active:
		return fmt.Errorf("%s is deactivated", t.Name)
	}
	r.opts.Values.Advice = cmp.Or(r.opts.Values.Advice, advice)
	target, err := newTarget(t, r.opts.Map, r.opts.Values.Advice.Ignore)
	if err != nil {
		return err
	}
	if target.uuidColumn() == "" {
		return fmt.Errorf("%s has no column %s_UU, without which records could be made twice; add it, or write them with record create", t.Name, t.Name)
	}
	if r.digest, err = r.in.Digest(); err != nil {
		return err
	}
	if err := r.scan(ctx); err != nil {
		return err
	}
	if err := r.mayWrite(ctx, t.Name); err != nil {
		return err
	}
	if err := r.open(t.Name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close(err)) }()
	if err := r.preparer(ctx, reg, target); err != nil {
		return err
	}
	defer r.prepare.in.Close()
	if r.opts.AllOrNothing {
		err = r.atOnce(ctx)
	} else {
		err = r.inBatches(ctx)
	}
	switch {
	case errors.Is(err, ErrFile): // it could be read to its end before
		err = errors.Join(&changedError{r.in.Name()}, err)
	case err == nil:
		err = r.sameFile()
	}
	return err
}

// mayWrite asks whether the role may write the table at all.
func (r *run) mayWrite(ctx context.Context, table string) error {
	if r.opts.RoleID == 0 {
		return nil
	}
	denied, err := access.WriteDenied(ctx, r.client, r.opts.RoleID, table)
	if err != nil {
		return err
	}
	if len(denied) > 0 {
		return fmt.Errorf("the role %d may not write %s: %s: %w", r.opts.RoleID, table, denied[0].Reason, erp.ErrForbidden)
	}
	return nil
}

// scan reads the file once, so that one that cannot be read to its end changes
// nothing, and counts its rows.
func (r *run) scan(ctx context.Context) error {
	in, err := r.in.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if r.names, err = in.Header(); err != nil {
		return err
	}
	for {
		if _, err := in.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if r.total++; r.total%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if r.total == 0 {
		return &FileError{Problem: "it has no rows"}
	}
	if r.opts.AllOrNothing && r.total > erp.MaxTransaction {
		return &FileError{Problem: fmt.Sprintf("it has %d rows, and one transaction takes %d at most; import it without all-or-nothing, or in parts", r.total, erp.MaxTransaction)}
	}
	return nil
}

// sameFile refuses a file that was changed while it was read.
func (r *run) sameFile() error {
	digest, err := r.in.Digest()
	if err == nil && digest != r.digest {
		err = &changedError{r.in.Name()}
	}
	return err
}

// changedError is about a file that was changed while it was read: rows of it were
// written already.
type changedError struct{ name string }

func (e *changedError) Error() string {
	return e.name + " was changed while it was imported, so rows may be missing or half of them old; import it again with a key"
}

// preparer opens the file and resolves its headings.
func (r *run) preparer(ctx context.Context, reg values.Dictionary, target *target) error {
	reader, err := values.New(r.client, reg, r.opts.Values)
	if err != nil {
		return err
	}
	p := &preparer{target: target, values: reader, opts: &r.opts, runID: r.state.Run}
	if len(r.opts.Key) > 0 {
		keys, err := target.keys(r.opts.Key)
		if err != nil {
			return err
		}
		p.existing = newExisting(r.client, target, keys)
	}
	if r.names != nil {
		if p.header, err = target.header(r.names); err != nil {
			return r.headings(err)
		}
		if err := p.checkHeader(ctx); err != nil {
			return r.headings(err)
		}
	}
	if p.in, err = r.in.Open(); err != nil {
		return err
	}
	if _, err = p.in.Header(); err == nil {
		err = p.skip(ctx, r.state.Rows())
	}
	if err != nil {
		_ = p.in.Close() // it is read only
		return err
	}
	r.prepare = p
	return nil
}

// headings gives the problems of a header their file.
func (r *run) headings(err error) error {
	var all []error
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // what was joined here
	if !ok {
		return err
	}
	for _, one := range joined.Unwrap() {
		all = append(all, named(one, r.in.Name()))
	}
	return errors.Join(all...)
}

func (p *preparer) has(want *field) bool {
	return slices.ContainsFunc(p.header, func(f *field) bool {
		return f == want || f.role == want.role && f.role != roleIgnored && (f.role != roleValue || f.col == want.col)
	})
}

// checkHeader looks at what is wrong with the headings as a whole.
func (p *preparer) checkHeader(ctx context.Context) error {
	var problems []error
	if p.existing != nil {
		for _, k := range p.existing.keys {
			if !p.has(k) {
				problems = append(problems, &FileError{Line: 1, Problem: fmt.Sprintf("there is no heading for %s, which is the key", k.name())})
			}
		}
	}
	for _, f := range p.header {
		if f.role == roleValue && f.col.ForeignTable != "" && !f.col.Type.IsList() && !f.col.Type.IsMultiple() {
			if err := p.values.Check(ctx, f.to); err != nil {
				problems = append(problems, &FileError{Line: 1, Column: f.header, Problem: err.Error()})
			}
		}
	}
	if p.existing == nil {
		for i := range p.target.table.Columns {
			if c := &p.target.table.Columns[i]; mandatoryText(c) && !p.has(&field{col: c}) {
				problems = append(problems, &FileError{Line: 1, Problem: fmt.Sprintf("there is no heading for %s, which is mandatory", c.Name)})
			}
		}
	}
	return errors.Join(problems...)
}

func (r *run) batchSize() int {
	if r.opts.BatchSize > 0 {
		return r.opts.BatchSize
	}
	return 100
}

// inBatches writes chunk by chunk. While one is written, the next is prepared.
func (r *run) inBatches(ctx context.Context) error {
	type sent struct {
		rows    []*row
		results []erp.Written
		err     error
	}
	var flying chan sent
	land := func() error {
		if flying == nil {
			return nil
		}
		s := <-flying
		flying = nil
		return r.take(s.rows, s.results, s.err)
	}
	for {
		rows, err := r.prepare.chunk(ctx, r.batchSize())
		if landed := land(); landed != nil {
			return landed
		}
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		r.begun = true
		flying = make(chan sent, 1)
		go func(done chan<- sent) {
			results, err := r.write(ctx, rows, false)
			done <- sent{rows, results, err}
		}(flying)
	}
}

// write sends what is to be written of rows.
func (r *run) write(ctx context.Context, rows []*row, atOnce bool) ([]erp.Written, error) {
	writes := writesOf(rows)
	if len(writes) == 0 || r.opts.DryRun {
		return nil, nil
	}
	if err := r.remember(rows); err != nil {
		return nil, err
	}
	return r.client.WriteRecords(ctx, r.prepare.target.table.Name, writes,
		&erp.WriteOptions{BatchSize: r.batchSize(), Resumed: r.state.resumed, AllOrNothing: atOnce, UUIDColumn: r.prepare.target.uuidColumn()})
}

func (r *row) sends() bool { return r.err == nil && r.write.Body != nil }

func writesOf(rows []*row) []erp.Write {
	var writes []erp.Write
	for _, row := range rows {
		if row.sends() {
			writes = append(writes, row.write)
		}
	}
	return writes
}

// take settles rows by what became of them. What an error leaves open is left to a
// later run.
func (r *run) take(rows []*row, results []erp.Written, cause error) error {
	var named []undoLine // records whose UUID is the file's, and that were not there before
	for _, row := range rows {
		if row.sends() && !r.opts.DryRun {
			if len(results) == 0 {
				break
			}
			r.written(row, results[0])
			if w := results[0]; w.Err == nil && !w.Found && row.does == creates && row.write.UUID != r.derived(row) {
				named = append(named, undoLine{Created: w.UUID})
			}
			results = results[1:]
		}
		if err := r.count(row); err != nil {
			return errors.Join(cause, err)
		}
	}
	if err := r.undo.add(r.undoHead(), named); err != nil {
		return errors.Join(cause, err)
	}
	if err := r.save(cause != nil); err != nil {
		return errors.Join(cause, err)
	}
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{r.state.Counts, r.total})
	}
	if n := r.opts.MaxErrors; cause == nil && n > 0 && r.state.Failed >= n {
		return fmt.Errorf("stopped after %d of %d rows, because %d were refused%s: %w", r.state.Rows(), r.total, r.state.Failed, r.refused.hint(), ErrFailed)
	}
	return cause
}

// written notes the response of the server.
func (r *run) written(row *row, w erp.Written) {
	switch {
	case w.Err != nil:
		row.fail("", refusal(w.Err))
	case w.Found && !strings.EqualFold(w.UUID, r.derived(row)):
		// The UUID is the file's: the record may be anybody's.
		row.does = unchanged
		for i := range row.values {
			if v := &row.values[i]; v.field.role == roleValue && !values.Same(w.Record, v.field.col, &v.Value) {
				row.fail(v.field.header, fmt.Errorf("there is a record with the UUID %s, and its %s is another; give the key uid to change it", w.UUID, v.field.col.Name))
			}
		}
	}
}

func (r *run) derived(row *row) string { return rowUUID(r.state.Run, row.number) }

// refusal is what the server says, without what is the same for all rows.
func refusal(err error) error {
	var refused *erp.Error
	if errors.As(err, &refused) && refused.Detail != "" {
		return fmt.Errorf("the ERP refuses it: %s", text.OneLine(refused.Detail))
	}
	return err
}

// count notes the end of one row.
func (r *run) count(row *row) error {
	switch {
	case row.err != nil:
		if err := r.refused.add(r.names, row); err != nil {
			return err
		}
		r.state.Failed++
		problem := &FileError{Name: r.in.Name(), Line: row.line, Column: row.column, Problem: row.err.Error()}
		if len(r.result.Problems) < mostProblems {
			r.result.Problems = append(r.result.Problems, problem)
		}
		if r.opts.Problem != nil {
			r.opts.Problem(problem)
		}
	case row.does == creates:
		r.state.Created++
	case row.does == updates:
		r.state.Updated++
	default:
		r.state.Unchanged++
	}
	return nil
}

// atOnce checks all rows, and writes them in one transaction when nothing is wrong
// with any.
func (r *run) atOnce(ctx context.Context) error {
	var all []*row
	failed := false
	for {
		rows, err := r.prepare.chunk(ctx, r.batchSize())
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			failed = failed || row.err != nil
		}
		all = append(all, rows...)
	}
	var results []erp.Written
	if !failed {
		r.begun = true
		var err error
		results, err = r.write(ctx, all, true)
		var refused *erp.BatchError
		switch {
		case errors.As(err, &refused):
			failed = true
			sent := slices.DeleteFunc(slices.Clone(all), func(row *row) bool { return !row.sends() })
			if refused.Index >= 0 && refused.Index < len(sent) {
				sent[refused.Index].fail("", refusal(refused.Err))
			}
		case err != nil:
			return err
		}
	}
	if failed && !r.opts.DryRun {
		n := 0
		for _, row := range all {
			if row.err != nil {
				n++
				if err := r.count(row); err != nil {
					return err
				}
			}
		}
		return fmt.Errorf("nothing was written, because %d of %d rows were refused%s: %w", n, r.total, r.refused.hint(), ErrFailed)
	}
	return r.take(all, results, nil)
}
