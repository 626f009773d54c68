package guard

// Policy is what one caller may read. It is made once and not changed
// afterwards; any number of goroutines may use it.
type Policy struct {
	// Version identifies the content: two policies with the same version must
	// be equal. It is part of the key under which plans are kept. Plans for a
	// policy without a version are not kept.
	Version string

	// Schema is the schema of the ERP's tables, for example "adempiere".
	// Statements may name tables with it or without, or with SchemaAlias unless that
	// is empty: a database may call the schema of the ERP otherwise.
	Schema, SchemaAlias string

	// Tables are the tables and views that may be read, by physical name as
	// PostgreSQL folds it: lower case unless it was created otherwise. Names
	// are compared exactly.
	Tables map[string]*Table

	// Denied has tables that exist and may not be read, by physical name, with
	// the name the audit uses. They are refused with the same words as tables
	// that do not exist.
	Denied map[string]string

	// Functions are reviewed functions of the ERP's schema, by physical name.
	// They may be called with the schema or without, and are called with it.
	Functions map[string]bool

	// Mask is shown instead of redacted text; "" means "***".
	Mask string
}

// Table is a table or view of a [Policy].
type Table struct {
	// Name is the dictionary's name, for the audit and for messages.
	Name string

	// Columns may be seen. They come in the order of the database.
	Columns []Column

	// Denied are columns that exist and may not be seen. In definitions of
	// views they are null, elsewhere they do not exist. Their Type is needed
	// for views.
	Denied []Column

	// Key are the physical names of columns that have a value in every row and
	// together another in each: a primary key. Without it, all
	// columns that a statement uses tell rows apart.
	Key []string

	// Conditions hold for every row that may be seen.
	Conditions []Condition

	// Where are further conditions as SQL text, as administrators write them.
	// They may name the table's own columns, also denied and redacted ones,
	// with the table's physical name or without. Other tables in them are
	// secured. The table is refused when one cannot be secured.
	Where []string

	// Definition is the SELECT behind a view, its tables named with their
	// schema (or without any). Its tables are secured in turn. It is "" for a
	// base table.
	Definition string
}

// Column is a column of a [Table].
type Column struct {
	Name     string // physical name
	Type     string // as in pg_catalog.pg_type: "numeric", "varchar", "timestamp", "_text"
	Width    int    // the most characters of a text; 0: not known
	Whole    bool   // a number that is declared without decimals, so that equal ones look the same
	Redacted bool   // shown as the policy's mask when it is text, else as null
}

// Condition says that a column's value is one of a list, or with Not that it is
// none of them. One of IDs and Texts is used. An empty list holds no value: no
// row fulfils the condition, or every row with Not.
type Condition struct {
	Column string // physical name; the column need not be visible
	Not    bool
	IDs    []int64
	Texts  []string
	NullOK bool // rows without a value fulfil the condition too
}

// isSchema reports whether statements may write a name for the schema of the ERP's tables.
func (p *Policy) isSchema(name string) bool {
	return name != "" && (name == p.Schema || name == p.SchemaAlias)
}
