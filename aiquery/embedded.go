package aiquery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/guard/sqlite"
)

// EmbeddedDatabase is what the embedded ERP gives: package erptest has both as
// methods of its server.
type EmbeddedDatabase struct {
	// Read reads and cannot write (erptest's Server.Database). It is closed with
	// the database made from it.
	Read *sql.DB
	// Write runs fn in a transaction that writes, and names the tables written
	// to (erptest's Server.Write); nil: there is no audit.
	Write func(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error
}

// idleReaders is how many connections are kept open.
const idleReaders = 4

// embedded runs statements on the embedded ERP's SQLite database.
type embedded struct {
	EmbeddedDatabase

	mu       sync.Mutex                 // guards what follows
	columns  map[string][]sqlite.Column // of tables, by physical name
	rendered map[*guard.Plan]*sqlite.Statement
}

// NewEmbedded makes a database of the embedded ERP's. Statements are written as
// for PostgreSQL, and answered as there.
func NewEmbedded(db EmbeddedDatabase) (Database, error) {
	if db.Read == nil {
		return nil, errors.New("open the embedded database: there is nothing to read; give Server.Database()")
	}
	sqlite.Register()
	db.Read.SetMaxIdleConns(0) // connections made before lack the functions
	db.Read.SetMaxIdleConns(idleReaders)
	return &embedded{EmbeddedDatabase: db}, nil
}

func (d *embedded) String() string { return "the embedded database" }
func (d *embedded) Close() error   { return d.Read.Close() }
func (d *embedded) schema() string { return "main" }

// snapshot implements database.
func (d *embedded) snapshot(ctx context.Context, do func(reader) error) error {
	return d.within(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return do(func(ctx context.Context, text string) ([]cells, error) { return readCells(ctx, tx, text) })
	})
}

// within runs do in a transaction, which reads one state.
func (d *embedded) within(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := d.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return do(ctx, tx)
}

func readCells(ctx context.Context, tx *sql.Tx, text string, args ...any) ([]cells, error) {
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []cells
	for rows.Next() {
		row, scan := make(cells, len(names)), make([]any, len(names))
		for i := range row {
			scan[i] = &row[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// catalog implements database.
func (d *embedded) catalog(ctx context.Context) (*catalog, error) {
	c := &catalog{relations: map[string]*relation{}, functions: map[string]bool{}}
	columns := map[string][]sqlite.Column{}
	return c, d.snapshot(ctx, func(read reader) error {
		rows, err := read(ctx, `SELECT m.name, m.type, m.sql, p.name, p.type, p.pk FROM sqlite_master m, pragma_table_info(m.name) p
			WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, p.cid`)
		if err != nil {
			return fmt.Errorf("read the database's tables: %w", err)
		}
		for _, row := range rows {
			name := strings.ToLower(row[0].String)
			r := c.relations[name]
			if r == nil {
				r = &relation{name: name, kind: baseTable}
				if row[1].String == "view" {
					r.kind, r.definition = plainView, viewQuery(row[2].String)
				}
				c.relations[name] = r
			}
			column := physicalColumn{strings.ToLower(row[3].String), embeddedType(row[4].String)}
			r.columns = append(r.columns, column)
			columns[name] = append(columns[name], sqlite.Column{Name: column.name, Type: column.kind, Integer: strings.EqualFold(row[4].String, "INTEGER")})
			if row[5].String != "0" {
				r.key = append(r.key, strings.ToLower(row[3].String))
			}
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.columns, d.rendered = columns, map[*guard.Plan]*sqlite.Statement{}
		return nil
	})
}

// render writes a plan for SQLite.
func (d *embedded) render(plan *guard.Plan) (*sqlite.Statement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if st := d.rendered[plan]; st != nil {
		return st, nil
	}
	tree, err := plan.Tree()
	if err != nil {
		return nil, fail(CodeInternal, err, "internal error")
	}
	st, err := sqlite.Render(tree, func(table string) []sqlite.Column { return d.columns[table] })
	var u *sqlite.Unsupported
	switch {
	case errors.As(err, &u):
		return nil, fail(CodeUnsupported, err, "%s is not supported by this database", u.Construct).hint(u.Hint)
	case err != nil:
		return nil, fail(CodeInternal, err, "internal error")
	}
	if len(d.rendered) > maxDescribed || d.rendered == nil {
		d.rendered = map[*guard.Plan]*sqlite.Statement{}
	}
	d.rendered[plan] = st
	return st, nil
}

// viewQuery is the SELECT of a CREATE VIEW.
func viewQuery(create string) string {
	i := strings.Index(strings.ToUpper(create), " AS ")
	if i < 0 {
		return create // which is no SELECT, and so is refused
	}
	return strings.TrimSuffix(strings.TrimSpace(create[i+4:]), ";")
}

// embeddedType is PostgreSQL's name for the type a column is declared with.
func embeddedType(declared string) string {
	declared, _, _ = strings.Cut(strings.ToUpper(declared), "(")
	switch declared = strings.TrimSpace(declared); {
	case declared == "INTEGER":
		return "numeric"
	case strings.HasPrefix(declared, "DECIMAL"):
		return "numeric"
	case strings.HasPrefix(declared, "TIMESTAMP"):
		return "timestamp"
	case declared == "CHAR":
		return "bpchar"
	case declared == "VARCHAR":
		return "varchar"
	case declared == "BLOB":
		return "bytea"
	}
	return "text"
}

// run implements database. The driver can be interrupted until it has the first
// row, so all of them are computed before that.
func (d *embedded) run(ctx context.Context, s *statement) (*output, error) {
	rendered, err := d.render(s.plan)
	if err != nil {
		return nil, err
	}
	args, err := embeddedParams(s.params, s.plan.Values, rendered.Params)
	if err != nil {
		return nil, err
	}
	a := &output{rows: [][]any{}}
	for _, c := range rendered.Columns {
		a.columns = append(a.columns, Column{Name: c.Name, Type: pgTypeName(c.Type)})
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return a, d.within(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.rights.check(ctx, func(ctx context.Context, text string) ([]cells, error) { return readCells(ctx, tx, text) }); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, "WITH answer AS MATERIALIZED ("+rendered.SQL+") SELECT * FROM answer", args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		return d.fetch(rows, s, a)
	})
}

// pgTypeName is numeric for "", which a rendered statement has for text.
func pgTypeName(kind string) string {
	if kind == "" || kind == "unknown" {
		return "text"
	}
	if element, ok := strings.CutPrefix(kind, "_"); ok {
		return element + "[]"
	}
	return kind
}

// fetch reads what may be answered.
func (d *embedded) fetch(rows *sql.Rows, s *statement, a *output) error {
	budget := newBudget(s)
	values, scan := make([]any, len(a.columns)), make([]any, len(a.columns))
	for i := range values {
		scan[i] = &values[i]
	}
	for rows.Next() {
		if len(a.rows) == s.rows {
			a.truncated = true
			break
		}
		if err := rows.Scan(scan...); err != nil {
			return err
		}
		row := make([]any, len(values))
		for i, v := range values {
			var cell []byte
			if text, ok := sqlite.Text(a.columns[i].Type, v); ok {
				cell = []byte(text)
			}
			row[i] = budget.value(s.unscaled(i, cell, a.columns[i].Type), a.columns[i].Type)
		}
		if budget.spent() {
			a.truncated = true
			break
		}
		a.rows = append(a.rows, row)
	}
	a.notes = budget.notes()
	if a.truncated {
		return rows.Close()
	}
	return rows.Err()
}

// explain implements database. SQLite estimates no costs.
func (d *embedded) explain(ctx context.Context, s *statement) (*PlanNode, error) {
	rendered, err := d.render(s.plan)
	if err != nil {
		return nil, err
	}
	args, err := embeddedParams(s.params, s.plan.Values, rendered.Params)
	if err != nil {
		return nil, err
	}
	root := &PlanNode{Node: "Query"}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return root, d.within(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.rights.check(ctx, func(ctx context.Context, text string) ([]cells, error) { return readCells(ctx, tx, text) }); err != nil {
			return err
		}
		rows, err := readCells(ctx, tx, "EXPLAIN QUERY PLAN "+rendered.SQL, args...)
		if err != nil {
			return err
		}
		children := map[string][]cells{}
		for _, row := range rows {
			children[row[1].String] = append(children[row[1].String], row)
		}
		var build func(parent string, into *PlanNode)
		build = func(parent string, into *PlanNode) {
			for _, row := range children[parent] {
				node := PlanNode{Node: embeddedNode(row[3].String)}
				build(row[0].String, &node)
				into.Plans = append(into.Plans, node)
			}
		}
		build("0", root)
		return nil
	})
}

// embeddedNode is the kind of a step without the names in it.
func embeddedNode(detail string) string {
	for _, known := range []string{
		"SCAN", "SEARCH", "USE TEMP B-TREE", "COMPOUND QUERY", "CORRELATED SCALAR SUBQUERY", "SCALAR SUBQUERY", "CORRELATED LIST SUBQUERY",
		"LIST SUBQUERY", "CO-ROUTINE", "MATERIALIZE", "UNION", "EXCEPT", "INTERSECT", "LEFT-MOST SUBQUERY", "MERGE", "MULTI-INDEX OR",
		"RECURSIVE STEP", "SETUP", "BLOOM FILTER",
	} {
		if strings.HasPrefix(detail, known) {
			return known
		}
	}
	return "STEP"
}

// check implements database.
func (d *embedded) check(ctx context.Context) ([]string, error) {
	return nil, d.snapshot(ctx, func(read reader) error {
		_, err := read(ctx, "SELECT 1 FROM AD_Role LIMIT 1")
		return err
	})
}

// failure implements database.
func (d *embedded) failure(err error) *Error {
	var known *Error
	switch code := sqlite.ErrorCode(err); {
	case errors.As(err, &known):
		return known
	case code != "":
		return serverFailure(code, "the statement is wrong", err)
	case errors.Is(err, context.Canceled):
		return fail(CodeCanceled, err, "the request was given up")
	case errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "interrupted"):
		return timedOut(err)
	case strings.Contains(err.Error(), "out of memory"), strings.Contains(err.Error(), "too big"):
		return fail(CodeTooComplex, err, "the statement needs too much memory").hint("ask for less")
	}
	return fail(CodeInternal, err, "internal error")
}

// auditReady implements database.
func (d *embedded) auditReady(ctx context.Context) error {
	if d.Write == nil {
		return errNoAudit
	}
	c, err := d.catalog(ctx)
	if err != nil {
		return err
	}
	table := c.relations[strings.ToLower(AuditTableName)]
	if table == nil {
		return errNoAudit
	}
	for _, column := range newRecord(Caller{}, Request{}, time.Time{}).columns(true, time.Time{}) {
		if !table.has(strings.ToLower(column.name)) {
			return fail(CodeUnavailable, nil, "the audit's table has no column %s", column.name).hint("synchronize the table " + AuditTableName)
		}
	}
	return nil
}

// auditPatience is longer than a statement may run: one that reads keeps the
// ERP's database from being written to.
func (d *embedded) auditPatience() time.Duration { return 30 * time.Second }

// auditInsert implements database.
func (d *embedded) auditInsert(ctx context.Context, r *record) error {
	return d.writeRecord(ctx, func(tx *sql.Tx) error { return insertEmbedded(ctx, tx, r) })
}

// auditComplete implements database.
func (d *embedded) auditComplete(ctx context.Context, r *record) error {
	return d.writeRecord(ctx, func(tx *sql.Tx) error {
		var sets []string
		var args []any
		for _, c := range r.columns(false, time.Now()) {
			sets, args = append(sets, c.name+" = ?"), append(args, auditValue(c))
		}
		done, err := tx.ExecContext(ctx, "UPDATE "+AuditTableName+" SET "+strings.Join(sets, ", ")+" WHERE "+AuditTableName+"_UU = ?", append(args, r.id)...)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return insertEmbedded(ctx, tx, r)
	})
}

func (d *embedded) writeRecord(ctx context.Context, write func(*sql.Tx) error) error {
	if d.Write == nil {
		return errNoAudit
	}
	err := d.Write(ctx, write, AuditTableName)
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return errors.Join(errNoAudit, err)
	}
	return err
}

func insertEmbedded(ctx context.Context, tx *sql.Tx, r *record) error {
	names, places, args := []string{AuditTableName + "_ID"}, []string{"(SELECT COALESCE(MAX(" + AuditTableName + "_ID), 999999) + 1 FROM " + AuditTableName + ")"}, []any{}
	for _, c := range r.columns(true, time.Now()) {
		names, places, args = append(names, c.name), append(places, "?"), append(args, auditValue(c))
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO "+AuditTableName+" ("+strings.Join(names, ", ")+") SELECT "+strings.Join(places, ", ")+
		" WHERE NOT EXISTS (SELECT 1 FROM "+AuditTableName+" WHERE "+AuditTableName+"_UU = ?)", append(slices.Clip(args), r.id)...)
	return err
}

func auditValue(c auditColumn) any {
	if c.value == nil {
		return nil
	}
	return *c.value // columns of numbers convert it
}

// auditInstall implements database.
func (d *embedded) auditInstall(ctx context.Context) error {
	if d.Write == nil {
		return errors.New("the embedded database was opened for reading alone; give Server.Write")
	}
	var columns []string
	for _, c := range newRecord(Caller{}, Request{}, time.Time{}).columns(true, time.Time{}) {
		kind := "TEXT"
		if strings.HasSuffix(c.name, "_ID") || strings.HasSuffix(c.name, "By") || c.name == "AIG_RowCount" || c.name == "AIG_ExecutionTimeMs" {
			kind = "INTEGER"
		}
		if c.name == AuditTableName+"_UU" {
			kind += " UNIQUE"
		}
		columns = append(columns, c.name+" "+kind)
	}
	return d.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+AuditTableName+" ("+AuditTableName+"_ID INTEGER PRIMARY KEY, "+strings.Join(columns, ", ")+")")
		return err
	}, AuditTableName)
}
