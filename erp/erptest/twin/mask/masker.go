package mask

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/erphub/erphub/internal/displaytype"
)

// Mode says whether anything is masked.
type Mode string

const (
	// Standard masks by class. It is what the empty Mode means.
	Standard Mode = "standard"
	// None keeps everything but secrets: passwords and tokens are never copied.
	None Mode = "none"
)

// ParseMode finds a mode by its name.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case Standard, None:
		return m, nil
	case "":
		return Standard, nil
	}
	return "", fmt.Errorf("there is no way to mask called %q; use %s or %s", short(name), Standard, None)
}

// Options of [New].
type Options struct {
	// Key decides which values are invented. It is needed in every mode but None.
	Key  Key
	Mode Mode
	// Rules change what is decided by the dictionary.
	Rules Rules
	// Own are names and search keys of the installation's own tenants and
	// organizations as they are in the source. They are replaced inside the names
	// and texts of kept tables, too: there they stand in the names of roles, trees
	// and accounting schemas. So are the first two words of a longer name. Names of
	// fewer than four characters are left out, and those of fewer than eight are
	// replaced as whole words only. Leave out what is an everyday word, such as an
	// organization called Sales. Codes, SQL and columns that a rule keeps stay.
	Own []string
	// Observe is called with every text of a row: what it was, and what it
	// became. It is for tests; nil: no calls. It must be safe for
	// concurrent use when Row is used so.
	Observe func(Observation)
}

// Fingerprint reports whether two Options mask alike: it is of the key, the mode,
// the rules and the own names, and tells nothing of them. A copy keeps it, so that
// going on or a refresh with other options is noticed before it mixes two
// inventions. Rules in another order have another fingerprint. It is empty
// without a key.
func (o *Options) Fingerprint() string {
	if o.Mode == None {
		return string(None)
	}
	if o.Key.secret == nil {
		return ""
	}
	rules := o.Rules
	rules.Tables = slices.Clone(rules.Tables)
	for i := range rules.Tables { // where a rule was written decides nothing
		t := &rules.Tables[i]
		t.Where, t.Columns = "", slices.Clone(t.Columns)
		for j := range t.Columns {
			t.Columns[j].Where = ""
		}
	}
	own := slices.Clone(o.Own)
	slices.Sort(own)
	return hex.EncodeToString(o.Key.derive(fmt.Sprintf("options %+v %q", rules, slices.Compact(own)))[:8]) // maps are printed in order
}

// Observation is what happened to one value. Was and Is are equal for a value
// that was kept.
type Observation struct {
	Table, Column string
	Class         Class
	Was, Is       string
}

// Masker masks rows. It keeps nothing of them: its memory does not grow with
// the number of rows. It is safe for concurrent use.
type Masker struct {
	tables  map[string]*table // by name in small letters
	tools   *tools
	scatter int // hundredths of a percent
	own     *ownNames
	observe func(Observation)
}

type table struct {
	name    string
	kept    bool
	columns map[string]*column // by name in small letters
	byName  map[string]*column // by name as the dictionary has it
	unknown *column            // for columns that are not described
	locked  *column            // for those of them that are called like secrets
}

type column struct {
	Column
	found    Class // by the dictionary
	class    Class // after the rules
	constant string
	named    bool // own names in it are replaced although it is kept
	codes    map[string]bool

	masked, left atomic.Int64
}

// ErrNoKey is what [New] returns when there is no key to mask with.
var ErrNoKey = errors.New("there is no key to mask with")

// New prepares masking rows of the tables described. The error names
// everything that is wrong with the rules.
func New(tables []Table, o Options) (*Masker, error) {
	mode, err := ParseMode(string(o.Mode))
	if err != nil {
		return nil, err
	}
	m := &Masker{tables: make(map[string]*table, len(tables)), observe: o.Observe}
	for i := range tables {
		t := newTable(&tables[i])
		if _, twice := m.tables[strings.ToLower(t.name)]; twice {
			return nil, fmt.Errorf("preparing to mask: table %s is described twice", t.name)
		}
		m.tables[strings.ToLower(t.name)] = t
	}
	if err := o.Rules.apply(m); err != nil {
		return nil, fmt.Errorf("masking rules: %w", err)
	}
	m.scatter = int(math.Round(o.Rules.Scatter * 100))
	if mode == None {
		m.keepAll()
		return m, nil
	}
	if o.Key.secret == nil {
		return nil, fmt.Errorf("preparing to mask: %w; make one with NewKey or OpenKey", ErrNoKey)
	}
	m.tools = newTools(o.Key)
	m.own = newOwnNames(m.tools, o.Own)
	return m, nil
}

func newTable(d *Table) *table {
	t := &table{name: d.Name, kept: d.kept(), columns: map[string]*column{}, byName: map[string]*column{},
		unknown: &column{Column: Column{Name: "(not described)"}, found: Text, class: Text},
		locked:  &column{Column: Column{Name: "(not described, secret)"}, found: Secret, class: Secret}}
	for _, c := range d.Columns {
		class := classify(d, &c)
		technical := byName[strings.ToLower(c.Name)] == Keep // codes, SQL and names of columns
		known := &column{Column: c, found: class, class: class, named: class == Keep && c.textual() && !c.Key && !technical}
		if len(c.Codes) > 0 && !t.kept {
			known.codes = map[string]bool{}
			for _, code := range c.Codes {
				known.codes[code] = true
			}
		}
		t.columns[strings.ToLower(c.Name)] = known
		t.byName[c.Name] = known
	}
	return t
}

// keepAll is the mode None.
func (m *Masker) keepAll() {
	for _, t := range m.tables {
		t.unknown.class = Keep
		for _, c := range t.columns {
			if c.found != Secret {
				c.keep()
			}
		}
	}
}

// keep has the column keep whatever it holds.
func (c *column) keep() { c.class, c.codes = Keep, nil }

// Row masks the values of one record in place, before anybody else sees them.
// Keys are names of columns, in any case; values are string, int64, float64, []byte
// or nil, and decimals, dates and flags are strings. A value of a column that
// was not described is treated as free text when it is text.
//
// An error means that the row must not be written: the table was not
// described, or a value is of a type that cannot be masked. It contains no
// value. The row is then partly masked.
func (m *Masker) Row(tableName string, row map[string]any) error {
	t := m.tables[strings.ToLower(tableName)]
	if t == nil {
		return fmt.Errorf("masking a row of %s: the table was not described", short(tableName))
	}
	system := t.system(row)
	for name, value := range row {
		c := t.column(name)
		out, err := m.field(t, c, value, system)
		if err != nil {
			return fmt.Errorf("masking %s.%s: %w", t.name, short(name), err)
		}
		row[name] = out
	}
	return nil
}

func (t *table) column(name string) *column {
	if c := t.byName[name]; c != nil {
		return c
	}
	small := strings.ToLower(name)
	switch c := t.columns[small]; {
	case c != nil:
		return c
	case isSecret(&Column{Name: name}, small):
		return t.locked
	}
	return t.unknown
}

// field is what becomes of one value.
func (m *Masker) field(t *table, c *column, value any, system systemRow) (any, error) {
	class := c.class
	if system.keeps(c) {
		class = Keep
	}
	text, isText := "", false
	switch v := value.(type) {
	case nil:
		c.left.Add(1)
		return nil, nil
	case string:
		text, isText = v, true
	case []byte:
		if class != Keep && class != Binary {
			text, isText = string(v), true
		}
		if len(v) == 0 {
			c.left.Add(1)
			return value, nil
		}
	case int64:
		text = written(v)
	case float64:
		text = written(v)
	default:
		if class != Keep && class != Amount {
			return nil, fmt.Errorf("a value of the type %T cannot be masked; pass string, int64, float64, []byte or nil", value)
		}
	}
	if isText && text == "" {
		c.left.Add(1)
		return value, nil
	}
	if class == Keep && isText && c.foreign(text) {
		class = Text
	}
	out := m.masked(t, c, class, value, text, isText, system)
	if m.observe != nil && (isText || text != "") {
		m.observe(Observation{t.name, c.Name, class, text, written(out)})
	}
	return out, nil
}

// foreign reports whether a value of a column with a list is not one of its codes, nor
// several with commas between.
func (c *column) foreign(text string) bool {
	if c.codes == nil || c.codes[text] {
		return false
	}
	for code := range strings.SplitSeq(text, ",") {
		if !c.codes[strings.TrimSpace(code)] {
			return true
		}
	}
	return false
}

// masked is the value of a class. It counts what happened.
func (m *Masker) masked(t *table, c *column, class Class, value any, text string, isText bool, system systemRow) any {
	switch class {
	case Keep:
		if s, ok := value.(string); ok {
			if out := m.ownReplaced(c, s, system); out != s {
				c.masked.Add(1)
				return out
			}
		}
		c.left.Add(1)
		return value
	case Amount:
		out := text
		if text != "" && m.scatter > 0 {
			out = m.tools.scatter(text, m.scatter)
		}
		if out == text {
			c.left.Add(1)
			return value
		}
		c.masked.Add(1)
		return typed(out, value)
	case Binary, Secret, Emptied:
		c.masked.Add(1)
		return c.empty()
	case Fixed:
		c.masked.Add(1)
		return typed(c.constant, value)
	}
	if c == t.unknown && !isText {
		if _, binary := value.([]byte); !binary {
			c.left.Add(1)
			return value // a number or a date that nobody described
		}
	}
	out := m.tools.value(class, text, c.limit(text))
	if out == text && isText {
		c.left.Add(1)
		return value
	}
	c.masked.Add(1)
	return typed(out, value)
}

// ownReplaced replaces the own names in a text that is kept.
func (m *Masker) ownReplaced(c *column, s string, system systemRow) string {
	if m.own == nil || !c.named || c.class != c.found || system.system {
		return s
	}
	return m.own.replace(s, c.limit(s))
}

// limit is how long a masked value may be: as long as the column, and as long
// as the value where that is longer.
func (c *column) limit(text string) int {
	if c.Length <= 0 {
		return noLimit
	}
	if len(text) <= c.Length {
		return c.Length
	}
	return max(c.Length, len([]rune(text)))
}

// empty is the value of an emptied column. A mandatory one gets a value that says so.
func (c *column) empty() any {
	switch {
	case !c.Mandatory:
		return nil
	case c.DisplayType == displaytype.Binary:
		return []byte{}
	case c.numeric():
		return int64(0)
	case c.dated():
		return "2000-01-01 00:00:00"
	case c.Length > 0 && c.Length < len(removed):
		return removed[:c.Length]
	}
	return removed
}

const removed = "removed"

// written is a value as text.
func written(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// typed is the text as a value of the type that the value had, where it is one.
func typed(text string, like any) any {
	switch like.(type) {
	case int64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
			return n
		}
	case float64:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return text
}

// ColumnReport says what was done with one column.
type ColumnReport struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Class  Class  `json:"class"`
	Masked int64  `json:"masked"` // rows whose value was replaced
	Kept   int64  `json:"kept"`   // rows whose value stayed, empty ones included
}

// Report says what was done so far, by table and column. Columns without any
// row are left out.
func (m *Masker) Report() []ColumnReport {
	var all []ColumnReport
	for _, t := range m.tables {
		add := func(c *column) {
			r := ColumnReport{t.name, c.Name, c.class, c.masked.Load(), c.left.Load()}
			if r.Masked+r.Kept > 0 {
				all = append(all, r)
			}
		}
		for _, c := range t.columns {
			add(c)
		}
		add(t.unknown)
		add(t.locked)
	}
	slices.SortFunc(all, func(a, b ColumnReport) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Column, b.Column))
	})
	return all
}

// Class is the class of a column, after the rules. It reports false for a
// column that was not described.
func (m *Masker) Class(tableName, columnName string) (Class, bool) {
	t := m.tables[strings.ToLower(tableName)]
	if t == nil {
		return "", false
	}
	c := t.columns[strings.ToLower(columnName)]
	if c == nil {
		return "", false
	}
	return c.class, true
}

func (m *Masker) tableNames() []string {
	names := make([]string, 0, len(m.tables))
	for _, t := range m.tables {
		names = append(names, t.name)
	}
	slices.Sort(names)
	return names
}

func (t *table) columnNames() []string {
	names := make([]string, 0, len(t.columns))
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}
