package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// IsDocument tells whether the records of a table have a life of their own:
// drafted, completed, closed. The real server knows that of its own tables only.
func (s *Session) IsDocument(t *store.Table) bool {
	for _, name := range []string{"DocStatus", "DocAction", "Processed"} {
		if _, ok := t.Column(name); !ok {
			return false
		}
	}
	return t.EntityType == "D" || !s.ERP.Options.Strict
}

// actionsIn are the document actions possible in a status.
func actionsIn(status string) []string {
	switch status {
	case "IN":
		return []string{"PR", "IN", "XL", "VO"}
	case "DR":
		return []string{"PR", "IN", "CO", "XL", "VO"}
	case "IP", "AP":
		return []string{"CO", "WC", "AP", "RJ", "XL", "VO", "PR"}
	case "NA":
		return []string{"RJ", "PR", "XL", "VO"}
	case "WP", "WC":
		return []string{"CO", "WC", "RE", "VO", "CL"}
	case "CO":
		return []string{"CL", "RE", "RA", "RC", "PO", "VO"}
	case "CL":
		return []string{"PO", "RE"}
	case "RE", "VO":
		return []string{"PO"}
	}
	return nil
}

// RunDocAction runs the document action a request asks for, after everything else is
// saved. It returns what the document has to say to it, "" for nothing. On tables
// that hold no documents it does nothing.
func (s *Session) RunDocAction(ctx context.Context, tx *store.Tx, r *Record) (string, error) {
	if r.Body == nil || !s.IsDocument(r.Table) {
		return "", nil
	}
	v, _ := r.Body.Get("doc-action")
	if o, ok := v.(*wire.Object); ok {
		v, _ = o.Get("id")
	}
	var action string
	switch v := v.(type) {
	case string:
		action = v
	case json.Number:
		action = string(v)
	case bool:
		action = map[bool]string{true: "true", false: "false"}[v]
	}
	if strings.TrimSpace(action) == "" || action == "--" {
		return "", nil
	}
	stored, err := r.Reread(ctx, tx)
	if err != nil {
		return "", err
	}
	d := s.newDocument(tx, r.Table, stored)
	err = d.told(d.runWorkflow(ctx, action))
	var refused PublicError
	switch {
	case errors.As(err, &refused):
		return "", Refuse(Failed, msgFailedDocument, string(refused))
	case err != nil:
		return "", err
	case d.message == nil:
		return "null", nil // so the real server shows that the document says nothing
	}
	return *d.message, nil
}

// document is a record on its way through a document action. Row is what becomes of
// it; store saves that.
type document struct {
	*Record
	s        *Session
	tx       *store.Tx
	program  docProgram
	message  *string     // what the document says, nil for nothing
	lines    []store.Row // once read
	prepared bool
	reversal bool // made to reverse another
}

// docProgram is what a table's program does in document actions. Any may be nil,
// then it is what all documents do.
type docProgram struct {
	prepare, complete, void, close, reverse, reactivate func(context.Context, *document) error
	summary                                             func(*document) string
}

func programOf(t *store.Table) docProgram {
	switch strings.ToUpper(t.Name) {
	case "C_ORDER":
		return orderProgram()
	case "C_INVOICE":
		return invoiceProgram()
	case "M_INOUT":
		return shipmentProgram()
	case "C_PAYMENT":
		return paymentProgram()
	case "C_ALLOCATIONHDR":
		return allocationProgram()
	}
	return docProgram{}
}

func (s *Session) newDocument(tx *store.Tx, t *store.Table, stored store.Row) *document {
	return &document{Record: &Record{Table: t, Old: stored, Row: maps.Clone(stored)}, s: s, tx: tx, program: programOf(t)}
}

// loadDocument is a stored document, nil when there is none with the id.
func (s *Session) loadDocument(ctx context.Context, tx *store.Tx, table string, id int64) (*document, error) {
	row, err := OneRow(ctx, tx, table, id)
	if err != nil || row == nil {
		return nil, err
	}
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	return s.newDocument(tx, t, row), nil
}

// documentFailure is what keeps a document action from being done. Callers see
// it with the document's summary.
type documentFailure struct{ text string }

func (f *documentFailure) Error() string { return f.text }

func documentFails(text string) error { return &documentFailure{text} }

// told is an error as callers see it: what keeps the document from its action with
// the document's summary, anything else as it is.
func (d *document) told(err error) error {
	var failed *documentFailure
	if errors.As(err, &failed) {
		return PublicError(failed.text + "\n - " + d.summary())
	}
	return err
}

func (d *document) say(text string) { d.message = &text }

func (d *document) status() string { return d.Row.String("DocStatus") }

// runWorkflow does what the document's workflow does with an action: completing
// prepares first, anything else is done when the status allows it, and passed over
// when not.
func (d *document) runWorkflow(ctx context.Context, action string) error {
	if err := d.mayRun(ctx); err != nil {
		return err
	}
	col, _ := d.Table.Column("DocAction")
	d.Set("DocAction", fitted(col, action))
	standard := action == "CO" && !slices.Contains([]string{"CO", "WC", "WP", "VO", "CL", "RE"}, d.status())
	steps := []string{"--"}
	if standard {
		steps = []string{"PR", "CO"}
	}
	for _, step := range steps {
		if err := d.process(ctx, step); err != nil {
			return err
		}
	}
	return d.store(ctx)
}

// mayRun refuses a role that has no access to the process behind the document's
// actions.
func (d *document) mayRun(ctx context.Context) error {
	col, _ := d.Table.Column("DocAction")
	if col.ProcessID == 0 {
		return nil
	}
	if read, _, err := d.s.ProcessAccess(ctx, d.tx, col.ProcessID); err != nil || read {
		return err
	}
	process, err := OneRow(ctx, d.tx, "AD_Process", col.ProcessID)
	if err != nil {
		return err
	}
	role, err := OneRow(ctx, d.tx, "AD_Role", d.s.RoleID)
	if err != nil {
		return err
	}
	return PublicError("You cannot access process [" + orNull(process.String("Name")) + "] with your role : " + role.String("Name"))
}

// ActOn does the action of a workflow's node with a document, and returns what the
// document has to say to it.
func (s *Session) ActOn(ctx context.Context, tx *store.Tx, r *Record, action string) (string, error) {
	stored, err := r.Reread(ctx, tx)
	if err != nil {
		return "", err
	}
	d := s.newDocument(tx, r.Table, stored)
	if err := d.process(ctx, action); err != nil {
		return "", d.told(err)
	}
	message := ""
	if d.message != nil {
		message = *d.message
	}
	return message, d.store(ctx)
}

// process performs the action of a workflow's node, or, when the status does not
// allow that, the one the document is to have.
func (d *document) process(ctx context.Context, node string) error {
	wanted := d.Row.String("DocAction")
	possible := actionsIn(d.status())
	switch {
	case slices.Contains(possible, node):
		return d.perform(ctx, node)
	case slices.Contains(possible, wanted):
		return d.perform(ctx, wanted)
	case node == "--" || wanted == "--":
		return nil
	}
	return PublicError("Status=" + d.status() + " - Invalid Actions: Process=" + node + ", Doc=" + wanted)
}

// perform does an action that the status allows.
func (d *document) perform(ctx context.Context, action string) error {
	switch action {
	case "XL":
		d.Set("Processing", "N")
		d.Set("DocStatus", "DR")
	case "IN":
		d.Set("DocAction", "PR")
		d.Set("DocStatus", "IN")
	case "AP":
		d.Set("IsApproved", "Y")
		d.Set("DocStatus", "AP")
	case "RJ":
		d.Set("IsApproved", "N")
		d.Set("DocStatus", "NA")
	case "PR":
		return d.prepare(ctx)
	case "CO", "WC":
		if status := d.status(); status == "DR" || status == "IN" {
			if err := d.prepare(ctx); err != nil {
				return err
			}
		}
		return d.complete(ctx)
	case "RE":
		return d.do(ctx, d.program.reactivate, "IP", "CO", false)
	case "RA", "RC":
		return d.do(ctx, d.program.reverse, "RE", "--", true)
	case "CL":
		return d.do(ctx, d.program.close, "CL", "--", true)
	case "VO":
		if err := d.do(ctx, d.program.void, "VO", "--", true); err != nil {
			return err
		}
		if d.program.void == nil {
			return d.voidLines(ctx)
		}
	}
	return nil // posting is left to the accounting server, which is not part of this
}

// do runs a step of the document's program, if it has one, and gives the document
// its new status unless the program gave it that of a reversed one.
func (d *document) do(ctx context.Context, step func(context.Context, *document) error, status, next string, processed bool) error {
	if step != nil {
		if err := step(ctx, d); err != nil {
			return err
		}
	}
	if d.status() != "RE" || status == "IP" {
		d.Set("DocStatus", status)
	}
	d.Set("DocAction", next)
	return d.setProcessed(ctx, processed)
}

func (d *document) prepare(ctx context.Context) error {
	if d.program.prepare != nil {
		if err := d.program.prepare(ctx, d); err != nil {
			return err
		}
	} else if err := d.needLines(ctx); err != nil {
		return err
	}
	d.prepared = true
	d.Set("DocStatus", "IP")
	return nil
}

func (d *document) complete(ctx context.Context) error {
	if !d.prepared {
		if err := d.prepare(ctx); err != nil {
			return err
		}
	}
	d.Set("IsApproved", "Y")
	d.Set("DocStatus", "CO")
	if d.program.complete != nil {
		if err := d.program.complete(ctx, d); err != nil {
			return err
		}
	}
	if d.status() == "CO" {
		d.Set("DocAction", "CL")
	}
	return d.setProcessed(ctx, true)
}

// setProcessed marks the document and its lines and taxes.
func (d *document) setProcessed(ctx context.Context, processed bool) error {
	flag := yesNo(processed)
	if processed && !d.Row.Bool("Processed") {
		if col, ok := d.Table.Column("ProcessedOn"); ok {
			d.Set(col.Name, FormatID(d.s.ERP.Now().UnixMilli()))
		}
	}
	d.Set("Processed", flag)
	for _, part := range []string{"Line", "Tax"} {
		t, err := d.tx.Table(ctx, d.Table.Name+part)
		if errors.Is(err, store.ErrNoTable) {
			continue
		}
		if err != nil {
			return err
		}
		link, ok1 := t.Column(d.Table.Name + "_ID")
		_, ok2 := t.Column("Processed")
		if exists, err := d.tx.TableExists(ctx, t.Name); err != nil || !exists || !ok1 || !ok2 {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := d.tx.Set(ctx, t, store.Row{"Processed": flag}, store.Quote(link.Name)+"=?", d.ID()); err != nil {
			return err
		}
	}
	return nil
}

// store saves the document as it has become.
func (d *document) store(ctx context.Context) error {
	if !d.dirty() {
		return nil
	}
	d.Set("Updated", d.s.StoredNow())
	d.Set("UpdatedBy", d.s.UserID)
	if err := write(ctx, d.tx, d.Record); err != nil {
		return publicWriteError(d.Record, err)
	}
	if err := d.s.logChange(ctx, d.tx, d.Record); err != nil {
		return err
	}
	d.Old = maps.Clone(d.Row)
	return nil
}

// readLines are the active lines of the document, none when it has none by its
// nature.
func (d *document) readLines(ctx context.Context) ([]store.Row, error) {
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return nil, err
	}
	order := ""
	if _, ok := t.Column("Line"); ok {
		order = "Line, "
	}
	order += t.Name + "_ID"
	if t.KeyColumn() == nil {
		order = ""
	}
	d.lines, err = RowsWhere(ctx, d.tx, t.Name, order, store.Quote(d.Table.Name+"_ID")+"=? AND IsActive='Y'", d.ID())
	if d.lines == nil {
		d.lines = []store.Row{}
	}
	return d.lines, err
}

// DocumentLines are the table of a document's lines and those that are active; nil
// when it has none by its nature.
func (s *Session) DocumentLines(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row) (*store.Table, []store.Row, error) {
	d := s.newDocument(tx, t, row)
	table, err := d.lineTable(ctx)
	if err != nil || table == nil {
		return nil, nil, err
	}
	lines, err := d.readLines(ctx)
	return table, lines, err
}

// lineTable is the table of the document's lines, nil for none.
func (d *document) lineTable(ctx context.Context) (*store.Table, error) {
	t, err := d.tx.Table(ctx, strings.TrimSuffix(d.Table.Name, "Hdr")+"Line")
	if errors.Is(err, store.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if exists, err := d.tx.TableExists(ctx, t.Name); err != nil || !exists {
		return nil, err
	}
	if _, ok := t.Column(d.Table.Name + "_ID"); !ok {
		return nil, nil
	}
	return t, nil
}

// changeLine changes a line without the rules of its table.
func (d *document) changeLine(ctx context.Context, line, change store.Row) error {
	t, err := d.lineTable(ctx)
	if err != nil {
		return err
	}
	for name := range change {
		if _, ok := t.Column(name); !ok {
			delete(change, name)
		}
	}
	maps.Copy(line, change)
	_, err = d.tx.Set(ctx, t, change, store.Quote(t.Name+"_ID")+"=?", line.Int(t.Name+"_ID"))
	return err
}

// needLines refuses a document without lines where there is a table for them.
func (d *document) needLines(ctx context.Context) error {
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return err
	}
	lines, err := d.readLines(ctx)
	if err == nil && len(lines) == 0 {
		err = documentFails("No Document Lines found")
	}
	return err
}

// voidLines takes back the quantities and amounts of all lines.
func (d *document) voidLines(ctx context.Context) error {
	lines, err := d.readLines(ctx)
	if err != nil || len(lines) == 0 {
		return err
	}
	for _, line := range lines {
		change := store.Row{}
		for _, name := range []string{"QtyOrdered", "QtyEntered", "QtyInvoiced", "MovementQty", "LineNetAmt"} {
			if _, ok := line[name]; ok {
				change[name] = "0"
			}
		}
		if len(change) == 0 {
			continue
		}
		if err := d.changeLine(ctx, line, change); err != nil {
			return err
		}
	}
	d.Set("GrandTotal", "0")
	d.Set("TotalLines", "0")
	return nil
}

// describe adds to the document's description.
func (d *document) describe(text string) { d.Set("Description", described(d.Row, text)) }

// described is a row's description with a text added.
func described(row store.Row, text string) string {
	if was := row.String("Description"); was != "" {
		return was + " | " + text
	}
	return text
}

// checkPeriod refuses to process in a closed accounting period. A day in no period
// of the tenant's calendar is open, so that documents are processed after its last year.
func (d *document) checkPeriod(ctx context.Context, base string) error {
	controls, err := d.tx.Table(ctx, "C_PeriodControl")
	if errors.Is(err, store.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	if exists, err := d.tx.TableExists(ctx, controls.Name); err != nil || !exists {
		return err
	}
	const where = `AD_Client_ID=? AND DocBaseType=? AND IsActive='Y' AND C_Period_ID IN
		(SELECT C_Period_ID FROM C_Period WHERE IsActive='Y' AND PeriodType='S' AND StartDate<=? AND EndDate>=?)`
	args := []any{d.Row.Int("AD_Client_ID"), base, d.Row.String("DateAcct"), d.Row.String("DateAcct")}
	any, err := d.tx.Count(ctx, controls, where, args...)
	if err != nil || any == 0 {
		return err
	}
	open, err := d.tx.Count(ctx, controls, where+" AND PeriodStatus='O'", args...)
	if err == nil && open == 0 {
		err = documentFails("Period Closed")
	}
	return err
}

// mayReactivate refuses documents whose type does not let them be opened again.
func (d *document) mayReactivate(ctx context.Context) (store.Row, error) {
	typ, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int("C_DocType_ID"))
	if err == nil && !typ.Bool("IsCanBeReactivated") {
		err = documentFails(typ.String("Name") + " cannot be reactivated")
	}
	return typ, err
}

// summary is the document in a line, as messages name it.
func (d *document) summary() string {
	text := d.Row.String("DocumentNo")
	if d.program.summary != nil {
		text = d.program.summary(d)
	}
	if what := d.Row.String("Description"); what != "" {
		text += " - " + what
	}
	return text
}

// copyOf is a new document like d, with what differs, and its lines with what
// differs in each. Both are drafts.
func (d *document) copyOf(ctx context.Context, change store.Row, line func(store.Row) store.Row) (*document, error) {
	row := maps.Clone(d.Old)
	for _, name := range []string{d.Table.Name + "_ID", d.Table.Name + "_UU", "ProcessedOn", "DocumentNo", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
		delete(row, name)
	}
	maps.Copy(row, store.Row{"DocStatus": "DR", "DocAction": "CO", "Processed": "N", "Processing": "N", "Posted": "N", "IsApproved": "N"})
	maps.Copy(row, change)
	r, err := d.s.InsertRow(ctx, d.tx, d.Table.Name, row)
	if err != nil {
		return nil, err
	}
	made, err := d.s.loadDocument(ctx, d.tx, d.Table.Name, r.ID())
	if err != nil {
		return nil, err
	}
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return made, err
	}
	lines, err := d.readLines(ctx)
	if err != nil {
		return nil, err
	}
	for _, old := range lines {
		row := maps.Clone(old)
		for _, name := range []string{t.Name + "_ID", t.Name + "_UU", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
			delete(row, name)
		}
		row["Processed"], row[d.Table.Name+"_ID"] = "N", made.ID()
		maps.Copy(row, line(old))
		if _, err := d.s.InsertRow(ctx, d.tx, t.Name, row); err != nil {
			return nil, err
		}
	}
	return d.s.loadDocument(ctx, d.tx, d.Table.Name, made.ID())
}

// finish completes a document made along with another one, and stores it.
func (d *document) finish(ctx context.Context) error {
	if err := d.perform(ctx, "CO"); err != nil {
		return err
	}
	return d.store(ctx)
}

// negated is the opposite of a decimal column.
func negated(row store.Row, column string) string {
	n := rat(row, column)
	return rounded(n.Neg(n), 12)
}
