package packin

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/packxml"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Import is the process PackIn: it reads the package archive attached to
// an AD_Package_Imp_Proc record, all of it or nothing.
func Import(ctx context.Context, s *engine.Session, tx *store.Tx, run *process.Run) (process.Result, error) {
	t, err := tx.Table(ctx, "AD_Package_Imp_Proc")
	if err != nil {
		return process.Result{}, err
	}
	if run.TableID != 0 && run.TableID != t.ID {
		return process.Failed("a package is imported for a record of AD_Package_Imp_Proc"), nil
	}
	row, err := tx.One(ctx, t, "AD_Package_Imp_Proc_ID=? AND AD_Client_ID=?", run.RecordID, s.ClientID)
	if errors.Is(err, sql.ErrNoRows) {
		return process.Failed("There is no AD_Package_Imp_Proc record %d: create one, attach the archive and give its id as record-id", run.RecordID), nil
	}
	if err != nil {
		return process.Result{}, err
	}
	p := &packIn{s: s, tx: tx, proc: row, override: row.Bool("AD_Override_Dict"), name: run.Text("Name"), version: run.Text("Version"),
		saved: map[*packxml.Element]*engine.Record{}, syncs: map[int64]map[int64]bool{}, aliases: map[string]int64{}}
	err = p.run(ctx, &engine.Record{Table: t, Old: row, Row: row})
	if cause := context.Cause(ctx); cause != nil {
		return process.Result{}, cause
	}
	result := p.outcome(err)
	if !result.IsError {
		return result, p.log(ctx, tx, result)
	}
	s.ERP.Options.Log.Warn("package not imported", "record", run.RecordID, "error", err)
	result.After = p.log // what was done is undone, but that it was tried is kept
	return result, nil
}

// packIn is one import.
type packIn struct {
	s             *engine.Session
	tx            *store.Tx
	proc          store.Row // AD_Package_Imp_Proc
	name, version string
	override      bool // AD_Override_Dict
	translations  bool // 2PACK_HANDLE_TRANSLATIONS
	archive       *packxml.Archive
	header        packxml.Header

	done    []packResult
	waiting []*waitingElement
	saved   map[*packxml.Element]*engine.Record
	written []*packxml.Element       // those of saved that changed something, as they came
	syncs   map[int64]map[int64]bool // tables to columns whose place in the database is due
	order   []int64                  // tables of syncs, as they came
	indexes []int64
	lacking *lacking           // set when what waits is not going to come
	infos   []int64            // new info windows
	nodes   []*packxml.Element // workflows whose first node is to be set
	aliases map[string]int64   // table and UUID of records that are there under another UUID
}

// packResult is what was done with one element.
type packResult struct {
	element *packxml.Element
	what    string // the record's name
	action  string // New, Update, Unchanged, Skipped, Sync, Index
	note    string
	table   *store.Table
	id      int64
	uuid    string
}

// waitingElement refers to a record that is not there yet.
type waitingElement struct {
	element, parent *packxml.Element
	reason          *unresolvedReference
}

// packError is the failure of one element.
type packError struct {
	element *packxml.Element
	what    string
	err     error
}

func (e *packError) Error() string { return e.where() + ": " + e.err.Error() }

// where names the element.
func (e *packError) where() string {
	if e.what == "" {
		return e.element.String()
	}
	return e.element.String() + " " + e.what
}

func (e *packError) Unwrap() error { return e.err }

// packText is an error as it may be told.
func packText(err error) string {
	var (
		api      *engine.Error
		missing  *unresolvedReference
		refusal  *store.DDLError
		nested   *packError
		combined engine.PublicError
	)
	switch {
	case errors.As(err, &nested):
		return nested.where() + ": " + packText(nested.err)
	case errors.As(err, &missing):
		return missing.Error()
	case errors.As(err, &api):
		return api.Detail
	case errors.As(err, &refusal):
		return refusal.Reason
	case errors.Is(err, packxml.ErrFormat):
		return err.Error()
	case errors.As(err, &combined):
		return string(combined)
	}
	return engine.PublicText(err)
}

// run imports the attached archive.
func (p *packIn) run(ctx context.Context, proc *engine.Record) error {
	data, err := p.attached(ctx, proc)
	if err != nil {
		return err
	}
	if p.archive, err = packxml.Open(data, packxml.DefaultLimits); err != nil {
		return err
	}
	header, elements, err := p.archive.Read()
	if err != nil {
		return err
	}
	p.header = header
	if err := p.checkClient(); err != nil {
		return err
	}
	p.translations = p.s.Sysconfig(ctx, p.tx, "2PACK_HANDLE_TRANSLATIONS", "N") == "Y"
	for e, err := range elements {
		if err != nil {
			return err
		}
		if err := p.element(ctx, e, nil); err != nil {
			return err
		}
		if err := p.flush(ctx, 0); err != nil {
			return err
		}
	}
	if err := p.retry(ctx); err != nil {
		return err
	}
	if err := p.firstNodes(ctx); err != nil {
		return err
	}
	for _, id := range p.infos { // to roles that the archive did not give it to
		if err := p.s.GrantAll(ctx, p.tx, "AD_InfoWindow_Access", "AD_InfoWindow_ID", id); err != nil {
			return err
		}
	}
	if err := p.checkReferences(ctx); err != nil {
		return err
	}
	return p.buildIndexes(ctx)
}

// attached is the one archive attached to the record.
func (p *packIn) attached(ctx context.Context, proc *engine.Record) ([]byte, error) {
	a, err := p.s.LoadAttachment(ctx, p.tx, proc)
	if err != nil {
		return nil, err
	}
	if a == nil || len(a.Entries) != 1 {
		return nil, engine.PublicError("Attach exactly one file, the package archive, to the record")
	}
	if !strings.HasSuffix(strings.ToLower(a.Entries[0].Name), ".zip") {
		return nil, engine.PublicError("The attached file " + engine.JSONOf(a.Entries[0].Name) + " is no .zip archive")
	}
	return a.Entries[0].Data, nil
}

// checkClient refuses archives of tenants for the System tenant, and the other
// way round.
func (p *packIn) checkClient() error {
	number, _, _ := strings.Cut(p.header.Client, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 {
		return engine.PublicError("The attribute Client of the archive does not begin with a tenant's number: " + engine.JSONOf(p.header.Client))
	}
	if (n == 0) != (p.s.ClientID == 0) {
		if n == 0 {
			return engine.PublicError("The archive is for the System tenant: log in there to import it")
		}
		return engine.PublicError("The archive is for a tenant: log in to one to import it")
	}
	return nil
}

// element handles one element and what is nested in it, parents first.
func (p *packIn) element(ctx context.Context, e, parent *packxml.Element) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := p.one(ctx, e, parent)
	var missing *unresolvedReference
	if errors.As(err, &missing) {
		p.waiting = append(p.waiting, &waitingElement{e, parent, missing})
	} else if err != nil {
		return &packError{element: e, what: packName(e), err: err}
	}
	if e.Type == "custom" {
		return nil
	}
	for _, child := range e.Children {
		if err := p.element(ctx, child, e); err != nil {
			return err
		}
	}
	return nil
}

// one handles an element without what is nested in it.
func (p *packIn) one(ctx context.Context, e, parent *packxml.Element) error {
	switch e.Type {
	case "translation":
		return p.translation(ctx, e, parent)
	case "custom":
		return p.custom(ctx, e)
	}
	return p.record(ctx, e)
}

// retry takes up the elements that had to wait, in order, until a round brings
// nothing new.
func (p *packIn) retry(ctx context.Context) error {
	for len(p.waiting) > 0 {
		round := p.waiting
		p.waiting = nil
		if p.lacking != nil {
			p.lacking.expect(round)
		}
		for _, w := range round {
			err := p.one(ctx, w.element, w.parent)
			var missing *unresolvedReference
			if errors.As(err, &missing) {
				w.reason = missing
				p.waiting = append(p.waiting, w)
				continue
			}
			if err != nil {
				return &packError{element: w.element, what: packName(w.element), err: err}
			}
		}
		if err := p.flush(ctx, 0); err != nil {
			return err
		}
		switch {
		case len(p.waiting) < len(round):
		case p.lacking == nil:
			p.lacking = newLacking()
		default:
			return p.unresolved()
		}
	}
	return nil
}

// unresolved tells what the waiting elements wait for: each record once, without
// those of the archive that wait themselves.
func (p *packIn) unresolved() error {
	waiting, counts := map[string]bool{}, map[string]int{}
	for _, w := range p.waiting {
		for _, name := range recordNames(w.element) {
			waiting[name] = true
		}
	}
	var firsts []*waitingElement
	for _, w := range p.waiting {
		target := cmp.Or(w.reason.target, w.reason.text)
		if waiting[target] {
			continue
		}
		if counts[target]++; counts[target] == 1 {
			firsts = append(firsts, w)
		}
	}
	if len(firsts) == 0 { // they wait for each other
		firsts = p.waiting
	}
	var texts []string
	for i, w := range firsts {
		if i == 10 {
			texts = append(texts, fmt.Sprintf("and %d more", len(firsts)-i))
			break
		}
		text := (&packError{element: w.element, what: packName(w.element), err: w.reason}).Error()
		if n := counts[cmp.Or(w.reason.target, w.reason.text)]; n > 1 {
			text += fmt.Sprintf(" (as do %d others)", n-1)
		}
		texts = append(texts, text)
	}
	return engine.PublicError(fmt.Sprintf("%d elements refer to records that are not there: ", len(p.waiting)) + strings.Join(texts, "; "))
}

// packName is what people call the record of an element.
func packName(e *packxml.Element) string {
	for _, name := range []string{"TableName", "ColumnName", "EntityType", "Value", "Name"} {
		if name == "EntityType" && e.Name != "AD_EntityType" || name == "Value" && e.Name != "AD_Process" && e.Name != "AD_Message" {
			continue
		}
		if text := e.Text(name); text != "" {
			return clipRunes(text, 100)
		}
	}
	if id := e.Text(e.Name + "_UU"); id != "" {
		return clipRunes(id, 40)
	}
	return ""
}

func clipRunes(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}
