package guard

import pg "github.com/pganalyze/pg_query_go/v6"

// Plan is a secured statement. It is shared between callers: do not change it.
type Plan struct {
	// SQL is the text to run. It lists organizations and records of the role,
	// so it is for the database and the audit, not for the caller. It is written in
	// PostgreSQL's dialect.
	SQL string

	// Tables are the dictionary's names of all tables the statement reads,
	// those behind views included, sorted.
	Tables []string

	// Columns are the columns of the result.
	Columns []OutputColumn

	// Collects reports whether the statement makes one value of many rows, or rows of
	// rows. It needs more memory than others: up to some hundred MB.
	Collects bool

	// TooMany is the SQLSTATE of the statement when it would collect more than may be,
	// and of nothing else in it; "" where nothing is counted.
	TooMany string

	// Reads are the tables and views the statement names.
	Reads []Read

	// Failing names what may fail in the statement for some row: "ln(…)". Which of
	// it fails first is the plan's choice.
	Failing []string

	// Params is the number of the caller's parameters, $1 and up.
	Params int

	// Values are constants of the statement that became parameters, from
	// $Params+1 on.
	Values []Value
}

// Size is the memory that the plan takes, in bytes, about.
func (p *Plan) Size() int {
	const header = 16 // of a text or a slice
	n := len(p.SQL) + 256
	for _, list := range [][]string{p.Tables, p.Failing} {
		n += sizeOf(list)
	}
	for _, c := range p.Columns {
		n += len(c.Name) + 2*header
	}
	for _, r := range p.Reads {
		n += len(r.Table) + 4*header + sizeOf(r.Compared) + sizeOf(r.Computed)
	}
	for _, v := range p.Values {
		n += len(v.Type) + len(v.Text) + 3*header
	}
	return n
}

func sizeOf(list []string) (n int) {
	for _, s := range list {
		n += len(s) + 16
	}
	return n
}

// Constants parses SQL anew and writes the scalar Values as constants again, for
// a database whose plans do not follow statistics. The tree is the caller's.
func (p *Plan) Constants() (*pg.ParseResult, error) {
	tree, err := postgres.parse(p.SQL)
	if err != nil {
		return nil, err
	}
	var write func(m any) error
	write = func(m any) error {
		for _, n := range nodesIn(m) {
			if i := int(n.GetParamRef().GetNumber()) - p.Params - 1; i >= 0 && i < len(p.Values) {
				if c := p.Values[i].constant(); c != nil {
					n.Node = c.Node
				}
			}
		}
		return children(m, write)
	}
	if s := selectOf(tree); s != nil {
		_ = write(s)
	}
	return tree, nil
}

// Read is a table or view with its columns in conditions: those that are compared
// as they are, which can use an index, and those of conditions that are computed
// for each row.
type Read struct {
	Table              string
	Compared, Computed []string
}

// OutputColumn is a column of a statement's result.
type OutputColumn struct {
	Name     string // as the server will name it; names may repeat
	Redacted bool   // computed from a redacted column

	// AnyOf tells that a value may stand for others that are equal and look
	// different, as 1 and 1.00 do: which one it is, is the plan's choice.
	AnyOf bool
}
