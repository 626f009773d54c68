package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// Run implements run.Runner. What is known of a statement's parameters goes with
// it in one round trip: the transaction, the permissions, the statement, the end.
func (d *database) Run(ctx context.Context, s *run.Statement) (*run.Output, error) {
	// The database gives up first; this is for one that does not respond.
	ctx, cancel := context.WithTimeout(ctx, s.Timeout+time.Second)
	defer cancel()
	kinds, err := d.kinds(ctx, s)
	if err != nil {
		return nil, err
	}
	values, err := d.values(s, kinds)
	if err != nil {
		return nil, err
	}
	var a *run.Output
	last := &pipelined{text: s.Plan.SQL, values: values, types: d.oids(s), read: func(result *pgconn.ResultReader) error {
		var err error
		a, err = d.fetch(s, result)
		return err
	}}
	conn, err := d.acquire(ctx, s.Timeout, s.Permissions, last)
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
// are what the database makes of them, which is read once.
func (d *database) kinds(ctx context.Context, s *run.Statement) ([]string, error) {
	if len(s.Params) == 0 {
		return nil, nil
	}
	if known, ok := d.described.get(s.Plan); ok {
		return known, nil
	}
	described, err := d.describe(ctx, s)
	if err != nil {
		return nil, err
	}
	kinds := make([]string, len(described.ParamOIDs))
	for i, oid := range described.ParamOIDs {
		kinds[i] = d.typeName(oid)
	}
	d.described.put(s.Plan, kinds, s.Plan.Size())
	return kinds, nil
}

// oids are the types the statement's own values are declared with; 0 leaves one
// to the database.
func (d *database) oids(s *run.Statement) []uint32 {
	oids := make([]uint32, len(s.Params)+len(s.Plan.Values))
	for i, v := range s.Plan.Values {
		if t, ok := d.types.TypeForName(v.Type); ok {
			oids[len(s.Params)+i] = t.OID
		}
	}
	return oids
}

// values are the texts of all parameters.
func (d *database) values(s *run.Statement, kinds []string) ([][]byte, error) {
	values := make([][]byte, 0, len(s.Params)+len(s.Plan.Values))
	for i := range s.Params {
		if i >= len(kinds) {
			return nil, run.ErrFewParams()
		}
		value, err := s.ParamText(i, kinds[i])
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	for _, v := range s.Plan.Values {
		values = append(values, []byte(v.Text))
	}
	return values, nil
}

// transaction runs do in a transaction that is rolled back whatever happens.
func (d *database) transaction(ctx context.Context, s *run.Statement, do func(context.Context, *pgconn.PgConn) error) (err error) {
	conn, err := d.acquire(ctx, s.Timeout, s.Permissions, nil)
	if err != nil {
		return err
	}
	defer func() { d.end(conn, err != nil) }()
	return do(ctx, conn.Conn().PgConn())
}

// fetch reads the rows that may be returned.
func (d *database) fetch(s *run.Statement, result *pgconn.ResultReader) (*run.Output, error) {
	columns := d.columns(s, result.FieldDescriptions())
	rows, enough := s.Collect(columns), false
	for !enough && result.NextRow() {
		enough = !rows.Add(result.Values())
	}
	// At most one row more than may be returned was requested, so that there is
	// nothing left to read then.
	if enough && !rows.Full() {
		return rows.Output(), errEnough
	}
	_, err := result.Close()
	return rows.Output(), err
}

// errEnough ends the reading of a result of which enough is known.
var errEnough = errors.New("enough of the result is known")

// typeName is a type's name: numeric, int4[].
func (d *database) typeName(oid uint32) string {
	t, ok := d.types.TypeForOID(oid)
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

// Describe implements run.Runner.
func (d *database) Describe(ctx context.Context, s *run.Statement) ([]api.Column, error) {
	described, err := d.describe(ctx, s)
	if err != nil {
		return nil, err
	}
	if len(described.ParamOIDs) > len(s.Params)+len(s.Plan.Values) {
		return nil, run.ErrFewParams()
	}
	return d.columns(s, described.Fields), nil
}

// describe has the database analyse a statement.
func (d *database) describe(ctx context.Context, s *run.Statement) (described *pgconn.StatementDescription, err error) {
	err = d.transaction(ctx, s, func(ctx context.Context, conn *pgconn.PgConn) (err error) {
		described, err = conn.Prepare(ctx, "", s.Plan.SQL, d.oids(s))
		return err
	})
	return described, err
}

// columns are the columns a statement returns.
func (d *database) columns(s *run.Statement, fields []pgconn.FieldDescription) []api.Column {
	columns := make([]api.Column, len(fields))
	for i, f := range fields {
		columns[i] = api.Column{Name: f.Name, Type: d.typeName(f.DataTypeOID)}
		if i < len(s.Plan.Columns) {
			columns[i].Name = s.Plan.Columns[i].Name
		}
	}
	return columns
}
