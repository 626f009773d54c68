package aiquery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// run implements database.
func (p *postgres) run(ctx context.Context, s *statement) (*output, error) {
	var a *output
	err := p.transaction(ctx, s, func(ctx context.Context, conn *pgconn.PgConn) error {
		described, values, err := p.prepare(ctx, conn, s.sql, s.params)
		if err != nil {
			return err
		}
		a = &output{columns: make([]Column, len(described.Fields)), rows: [][]any{}}
		for i, f := range described.Fields {
			a.columns[i] = Column{Name: f.Name, Type: p.typeName(f.DataTypeOID)}
		}
		if err := p.fetch(ctx, conn, s, described, values, a); err != nil {
			return executed{err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// transaction runs do in a transaction that is rolled back whatever happens.
func (p *postgres) transaction(ctx context.Context, s *statement, do func(context.Context, *pgconn.PgConn) error) (err error) {
	// The database gives up first; this is for one that does not answer.
	ctx, cancel := context.WithTimeout(ctx, s.timeout+time.Second)
	defer cancel()
	conn, err := p.acquire(ctx, s.timeout, s.rights)
	if err != nil {
		return err
	}
	defer func() { p.end(conn, err != nil) }()
	return do(ctx, conn.Conn().PgConn())
}

// prepare has the database infer the types of the parameters, and makes their
// text.
func (p *postgres) prepare(ctx context.Context, conn *pgconn.PgConn, text string, params []json.RawMessage) (*pgconn.StatementDescription, [][]byte, error) {
	described, err := conn.Prepare(ctx, "", text, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(described.ParamOIDs) > len(params) {
		return nil, nil, errFewParams()
	}
	values := make([][]byte, len(described.ParamOIDs))
	for i, oid := range described.ParamOIDs {
		kind := p.typeName(oid)
		value, err := paramText(params[i], kind)
		if err != nil {
			return nil, nil, fail(CodeInvalid, err, "parameter $%d %v", i+1, err)
		}
		values[i] = value
	}
	return described, values, nil
}

// fetch runs the unnamed statement and reads what may be answered.
func (p *postgres) fetch(ctx context.Context, conn *pgconn.PgConn, s *statement, described *pgconn.StatementDescription, values [][]byte, a *output) error {
	result := conn.ExecPrepared(ctx, "", values, nil, nil)
	budget := newBudget(s)
	for result.NextRow() {
		if len(a.rows) == s.rows {
			a.truncated = true
			break
		}
		raw := result.Values()
		row := make([]any, len(raw))
		for i, cell := range raw {
			row[i] = budget.value(cell, a.columns[i].Type)
		}
		if budget.spent() {
			a.truncated = true
			break
		}
		a.rows = append(a.rows, row)
	}
	a.notes = budget.notes()
	if !a.truncated {
		_, err := result.Close()
		return err
	}
	// At most one row more was asked for, so nearly always there is nothing left
	// to read; if there is, it is not waited for.
	if len(a.rows) == s.rows {
		_, err := result.Close()
		return err
	}
	return conn.Close(ctx)
}

// typeName is a type's name: numeric, int4[].
func (p *postgres) typeName(oid uint32) string {
	t, ok := p.types.TypeForOID(oid)
	if !ok {
		switch oid { // that the driver does not know
		case 1266:
			return "timetz"
		case 1270:
			return "timetz[]"
		}
		return "unknown"
	}
	if len(t.Name) > 1 && t.Name[0] == '_' {
		return t.Name[1:] + "[]"
	}
	return t.Name
}

// explain implements database.
func (p *postgres) explain(ctx context.Context, s *statement) (*PlanNode, error) {
	var node *PlanNode
	err := p.transaction(ctx, s, func(ctx context.Context, conn *pgconn.PgConn) (err error) {
		_, values, err := p.prepare(ctx, conn, s.sql, s.params)
		if err != nil {
			return err
		}
		text := "EXPLAIN (FORMAT JSON, COSTS TRUE, VERBOSE FALSE) " + s.sql
		if len(values) > 0 {
			defer func() { err = errors.Join(err, conn.Deallocate(ctx, explained)) }()
			// EXPLAIN takes no parameters; the general plan of PostgreSQL 16 does not
			// need their values, older ones plan for them as nulls.
			if text, err = p.explainPrepared(ctx, conn, s.sql, len(values)); err != nil {
				return err
			}
		}
		rows, err := query(ctx, conn, text)
		if err != nil {
			return err
		}
		if len(rows) != 1 || len(rows[0]) != 1 {
			return fmt.Errorf("explain: %d rows", len(rows))
		}
		node, err = parsePlan(rows[0][0].String)
		return err
	})
	return node, err
}

// explained is the name of the statement while it is explained.
const explained = "erphub_explain"

// explainPrepared makes the statement a named one, which the caller gives up,
// and returns what explains its general plan.
func (p *postgres) explainPrepared(ctx context.Context, conn *pgconn.PgConn, text string, params int) (string, error) {
	if _, err := query(ctx, conn, "SELECT pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true)"); err != nil {
		return "", err
	}
	if _, err := conn.Prepare(ctx, explained, text, nil); err != nil {
		return "", err
	}
	call := "EXPLAIN (FORMAT JSON, COSTS TRUE, VERBOSE FALSE) EXECUTE " + explained + "("
	for i := range params {
		if i > 0 {
			call += ", "
		}
		call += "NULL"
	}
	return call + ")", nil
}

// parsePlan keeps of PostgreSQL's plan what may be told.
func parsePlan(text string) (*PlanNode, error) {
	type raw struct {
		Node    string  `json:"Node Type"`
		Startup float64 `json:"Startup Cost"`
		Total   float64 `json:"Total Cost"`
		Plans   []raw   `json:"Plans"`
	}
	var plans []struct{ Plan raw }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	if len(plans) != 1 {
		return nil, fmt.Errorf("read the plan: there are %d", len(plans))
	}
	var convert func(r raw) PlanNode
	convert = func(r raw) PlanNode {
		n := PlanNode{Node: r.Node, StartupCost: r.Startup, TotalCost: r.Total}
		for _, c := range r.Plans {
			n.Plans = append(n.Plans, convert(c))
		}
		return n
	}
	n := convert(plans[0].Plan)
	return &n, nil
}

// failure implements database.
func (p *postgres) failure(err error) failure {
	var server *pgconn.PgError
	var known *Error
	var ran executed
	var large *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.As(err, &known):
		return failure{err: known}
	case errors.As(err, &server) && errors.As(err, &ran):
		return executionFailure(server.Code, err)
	case errors.As(err, &server):
		return serverFailure(server.Code, strings.ReplaceAll(server.Message, p.opts.Schema+".", ""), err)
	case errors.As(err, &large):
		return failure{err: fail(CodeTooComplex, err, "a row of the answer is too large").hint("select fewer or shorter columns, or aggregate less into one value")}
	case errors.Is(err, context.Canceled):
		return failure{err: fail(CodeCanceled, err, "the request was given up")}
	case errors.Is(err, context.DeadlineExceeded):
		return failure{err: timedOut(err)}
	case pgconn.SafeToRetry(err), pgconn.Timeout(err):
		return failure{err: fail(CodeUnavailable, err, "the database does not answer").hint("try again later")}
	}
	return failure{err: fail(CodeUnavailable, err, "the connection to the database was lost").hint("try again")}
}
