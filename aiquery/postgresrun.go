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

// run implements database. What is known of a statement's parameters goes with
// it in one round trip: the transaction, the rights, the statement, the end.
func (p *postgres) run(ctx context.Context, s *statement) (*output, error) {
	// The database gives up first; this is for one that does not answer.
	ctx, cancel := context.WithTimeout(ctx, s.timeout+time.Second)
	defer cancel()
	kinds, err := p.kinds(ctx, s)
	if err != nil {
		return nil, err
	}
	values, err := p.values(s, kinds)
	if err != nil {
		return nil, err
	}
	var a *output
	last := &pipelined{text: s.sql, values: values, types: p.oids(s), read: func(result *pgconn.ResultReader) error {
		var err error
		a, err = p.fetch(s, result)
		return err
	}}
	conn, err := p.acquire(ctx, s.timeout, s.rights, last)
	if err != nil {
		return nil, err
	}
	conn.Release()
	return a, nil
}

// pipelined is a statement that is sent with the transaction around it.
type pipelined struct {
	text   string
	values [][]byte
	types  []uint32
	read   func(*pgconn.ResultReader) error
}

// kinds are the types of a statement's parameters. Those of the caller's own
// are what the database makes of them, which is asked once.
func (p *postgres) kinds(ctx context.Context, s *statement) ([]string, error) {
	if len(s.params) == 0 {
		return nil, nil
	}
	if known, ok := p.described.Load(s.plan); ok {
		return known.([]string), nil
	}
	var kinds []string
	err := p.transaction(ctx, s, func(ctx context.Context, conn *pgconn.PgConn) error {
		described, err := conn.Prepare(ctx, "", s.sql, p.oids(s))
		if err != nil {
			return err
		}
		for _, oid := range described.ParamOIDs {
			kinds = append(kinds, p.typeName(oid))
		}
		return nil
	})
	if err == nil {
		p.remember(s.plan, kinds)
	}
	return kinds, err
}

// oids are the types the statement's own values are declared with; 0 leaves one
// to the database.
func (p *postgres) oids(s *statement) []uint32 {
	oids := make([]uint32, len(s.params)+len(s.plan.Values))
	for i, v := range s.plan.Values {
		if t, ok := p.types.TypeForName(v.Type); ok {
			oids[len(s.params)+i] = t.OID
		}
	}
	return oids
}

// values are the texts of all parameters.
func (p *postgres) values(s *statement, kinds []string) ([][]byte, error) {
	values := make([][]byte, 0, len(s.params)+len(s.plan.Values))
	for i, param := range s.params {
		if i >= len(kinds) {
			return nil, errFewParams()
		}
		value, err := paramText(param, kinds[i])
		if err != nil {
			return nil, fail(CodeInvalid, err, "parameter $%d %v", i+1, err)
		}
		values = append(values, value)
	}
	for _, v := range s.plan.Values {
		values = append(values, []byte(v.Text))
	}
	return values, nil
}

// transaction runs do in a transaction that is rolled back whatever happens.
func (p *postgres) transaction(ctx context.Context, s *statement, do func(context.Context, *pgconn.PgConn) error) (err error) {
	conn, err := p.acquire(ctx, s.timeout, s.rights, nil)
	if err != nil {
		return err
	}
	defer func() { p.end(conn, err != nil) }()
	return do(ctx, conn.Conn().PgConn())
}

// fetch reads what may be answered.
func (p *postgres) fetch(s *statement, result *pgconn.ResultReader) (*output, error) {
	a := &output{rows: [][]any{}}
	for i, f := range result.FieldDescriptions() {
		name := f.Name
		if i < len(s.plan.Columns) {
			name = s.plan.Columns[i].Name
		}
		a.columns = append(a.columns, Column{Name: name, Type: p.typeName(f.DataTypeOID)})
	}
	budget := newBudget(s)
	for result.NextRow() {
		if len(a.rows) == s.rows {
			a.truncated = true
			break
		}
		raw := result.Values()
		row := make([]any, len(raw))
		for i, cell := range raw {
			row[i] = budget.value(s.unscaled(i, cell, a.columns[i].Type), a.columns[i].Type)
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
		return a, err
	}
	// At most one row more was asked for, so nearly always there is nothing left
	// to read; if there is, it is not waited for.
	if len(a.rows) == s.rows {
		_, err := result.Close()
		return a, err
	}
	return a, errEnough
}

// errEnough ends the reading of a result of which enough is known.
var errEnough = errors.New("enough of the result is known")

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
		text := "EXPLAIN (FORMAT JSON, COSTS TRUE, VERBOSE FALSE) " + s.sql
		if n := len(s.params) + len(s.plan.Values); n > 0 {
			defer func() { err = errors.Join(err, conn.Deallocate(ctx, explained)) }()
			// EXPLAIN takes no parameters; the general plan does not need their values.
			if text, err = p.explainPrepared(ctx, conn, s); err != nil {
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
// and returns what explains its plan.
func (p *postgres) explainPrepared(ctx context.Context, conn *pgconn.PgConn, s *statement) (string, error) {
	described, err := conn.Prepare(ctx, explained, s.sql, p.oids(s))
	if err != nil {
		return "", err
	}
	if len(described.ParamOIDs) > len(s.params)+len(s.plan.Values) {
		return "", errFewParams()
	}
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", len(described.ParamOIDs)), ", ")
	return "EXPLAIN (FORMAT JSON, COSTS TRUE, VERBOSE FALSE) EXECUTE " + explained + "(" + nulls + ")", nil
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
func (p *postgres) failure(err error) *Error {
	var server *pgconn.PgError
	var known *Error
	var ran executed
	var large *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &server) && errors.As(err, &ran):
		return executionFailure(server.Code, err)
	case errors.As(err, &server):
		return serverFailure(server.Code, strings.ReplaceAll(server.Message, p.opts.Schema+".", ""), err)
	case errors.As(err, &large):
		return fail(CodeTooComplex, err, "a row of the answer is too large").hint("select fewer or shorter columns, or aggregate less into one value")
	case errors.Is(err, context.Canceled):
		return fail(CodeCanceled, err, "the request was given up")
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut(err)
	case pgconn.SafeToRetry(err), pgconn.Timeout(err):
		return fail(CodeUnavailable, err, "the database does not answer").hint("try again later")
	}
	return fail(CodeUnavailable, err, "the connection to the database was lost").hint("try again")
}
