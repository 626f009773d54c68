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

	// Collects tells that the statement makes one value of many rows, or rows of
	// rows, so that the memory it needs is not bounded by what it is made of.
	Collects bool

	// Params is the number of the caller's parameters, $1 and up.
	Params int

	// Values are constants of the statement that became parameters, from
	// $Params+1 on.
	Values []Value
}

// OutputColumn is a column of a statement's result.
type OutputColumn struct {
	Name     string // as the server will name it; names may repeat
	Redacted bool   // computed from a redacted column

	// AnyOf tells that a value may stand for others that are equal and look
	// different, as 1 and 1.00 do: which one it is, is the plan's choice.
	AnyOf bool
}

// Tree parses SQL anew. The tree is the caller's.
func (p *Plan) Tree() (*pg.ParseResult, error) { return postgres.parse(p.SQL) }
