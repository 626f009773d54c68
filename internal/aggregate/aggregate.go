package aggregate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
)

// MaxGroups is the number of groups that are kept in memory; more are an error.
const MaxGroups = 10_000

// Totals collects records. It is not safe for concurrent use.
type Totals struct {
	Groups   []Group
	Measures []Measure
	rows     map[string]*Row
}

// New makes empty totals of groups and measures as they are written; see
// [ParseGroup] and [ParseMeasure]. No groups is one group of everything, no
// measures is count.
func New(groups, measures []string) (*Totals, error) {
	t := &Totals{rows: map[string]*Row{}}
	for _, text := range groups {
		g, err := ParseGroup(text)
		if err != nil {
			return nil, err
		}
		t.Groups = append(t.Groups, g)
	}
	if len(measures) == 0 {
		measures = []string{string(Count)}
	}
	for _, text := range measures {
		m, err := ParseMeasure(text)
		if err != nil {
			return nil, err
		}
		t.Measures = append(t.Measures, m)
	}
	return t, nil
}

// Columns are the columns that records need to have, for Query.Select.
func (t *Totals) Columns() []string {
	var out []string
	for _, g := range t.Groups {
		out = append(out, g.Column)
	}
	for _, m := range t.Measures {
		if m.Column != "" {
			out = append(out, m.Column)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Row is one group.
type Row struct {
	Keys   []Key   // by Totals.Groups
	Values []Value // by Totals.Measures
}

// Key is the value of a group: the id and the name of a reference, or a text. Both
// empty: the column is empty.
type Key struct {
	ID   string
	Name string
	// Number says that ID is a number.
	Number bool
}

// compare orders keys: numbers by value, texts by letters, empty ones last.
func (k Key) compare(other Key) int {
	if (k.ID == "") != (other.ID == "") {
		return cmp.Compare(len(other.ID), len(k.ID))
	}
	if k.Number && other.Number {
		return erp.Decimal(k.ID).Cmp(erp.Decimal(other.ID))
	}
	return strings.Compare(k.ID, other.ID)
}

// Value is what was computed: a number, a date as text, or neither when no record
// has a value.
type Value struct {
	number *big.Rat
	text   string
	count  int64
}

// Number makes a value of a number as text.
func Number(text string) (Value, error) {
	n, ok := erp.Decimal(text).Rat()
	if !ok {
		return Value{}, fmt.Errorf("%q is not a number", text)
	}
	return Value{number: n}, nil
}

// String is the number in plain decimals without needless zeros, or the text.
func (v Value) String() string {
	if v.number == nil {
		return v.text
	}
	if v.number.IsInt() {
		return v.number.Num().String()
	}
	digits, exact := v.number.FloatPrec()
	if !exact {
		digits = avgDigits
	}
	text := v.number.FloatString(digits)
	if strings.ContainsRune(text, '.') {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

const avgDigits = 6

// MarshalJSON writes an exact number, a text or null.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.number != nil:
		return []byte(v.String()), nil
	case v.text != "":
		return json.Marshal(v.text)
	}
	return []byte("null"), nil
}

func (v Value) compare(other Value) int {
	switch {
	case v.number != nil && other.number != nil:
		return v.number.Cmp(other.number)
	case v.number == nil && other.number == nil:
		return strings.Compare(v.text, other.text)
	case v.number == nil:
		return -1
	}
	return 1
}

// Add counts a record. The error says which column does not have the type that a
// measure or a bucket needs.
func (t *Totals) Add(rec erp.Record) error {
	keys := make([]Key, len(t.Groups))
	var id strings.Builder
	for i, g := range t.Groups {
		key, err := keyOf(rec, g)
		if err != nil {
			return err
		}
		keys[i] = key
		fmt.Fprintf(&id, "%d:%s", len(key.ID), key.ID)
	}
	row := t.rows[id.String()]
	if row == nil {
		if len(t.rows) == MaxGroups {
			return fmt.Errorf("there are more than %d groups", MaxGroups)
		}
		row = &Row{Keys: keys, Values: make([]Value, len(t.Measures))}
		t.rows[id.String()] = row
	}
	for i, m := range t.Measures {
		if err := row.Values[i].add(rec, m); err != nil {
			return err
		}
	}
	return nil
}

// Put adds a row that was computed elsewhere.
func (t *Totals) Put(row Row) {
	t.rows[fmt.Sprint(len(t.rows))] = &row
}

func keyOf(rec erp.Record, g Group) (Key, error) {
	raw, ok := rec.Raw(g.Column)
	if !ok || string(raw) == "null" {
		return Key{}, nil
	}
	text, isText := rec.Text(g.Column)
	switch {
	case raw[0] == '{':
		ref, _ := rec.Ref(g.Column)
		_, number := ref.ID.Int()
		return Key{ID: ref.ID.String(), Name: ref.Identifier, Number: number}, nil
	case g.Bucket != "":
		bucket, ok := g.Bucket.of(text)
		if !ok {
			return Key{}, fmt.Errorf("%s is not a date: it has no %s", g.Column, g.Bucket)
		}
		return Key{ID: bucket}, nil
	case raw[0] == '"' && isText:
		return Key{ID: text}, nil
	}
	if n, ok := rec.Decimal(g.Column); ok {
		v, err := Number(string(n))
		return Key{ID: v.String(), Number: true}, err
	}
	return Key{ID: string(raw)}, nil // true or false
}

// of is the bucket of a date as REST writes it.
func (b Bucket) of(date string) (string, bool) {
	if len(date) < 10 || date[4] != '-' || date[7] != '-' {
		return "", false
	}
	switch b {
	case Day:
		return date[:10], true
	case Month:
		return date[:7], true
	case Year:
		return date[:4], true
	}
	month := int(date[5]-'0')*10 + int(date[6]-'0')
	if month < 1 || month > 12 {
		return "", false
	}
	return fmt.Sprintf("%s-Q%d", date[:4], (month+2)/3), true
}

// add computes with the value of one more record.
func (v *Value) add(rec erp.Record, m Measure) error {
	one := big.NewRat(1, 1)
	if m.Column == "" {
		v.plus(one)
		return nil
	}
	raw, ok := rec.Raw(m.Column)
	if m.Func == Count && v.number == nil {
		v.number = new(big.Rat)
	}
	if !ok || string(raw) == "null" {
		return nil
	}
	if m.Func == Count {
		v.plus(one)
		return nil
	}
	n, isNumber := rec.Decimal(m.Column)
	if !isNumber || raw[0] == '"' {
		return v.addDate(rec, m)
	}
	number, ok := n.Rat()
	if !ok {
		return fmt.Errorf("%s has the number %s, which cannot be computed with", m.Column, n)
	}
	switch m.Func {
	case Min, Max:
		if v.number == nil || (m.Func == Min) == (number.Cmp(v.number) < 0) {
			v.number = number
		}
	default:
		v.plus(number)
		v.count++
	}
	return nil
}

func (v *Value) addDate(rec erp.Record, m Measure) error {
	text, isText := rec.Text(m.Column)
	if _, isDate := Day.of(text); (m.Func != Min && m.Func != Max) || !isText || !isDate {
		return fmt.Errorf("%s is not a number: it has no %s", m.Column, m.Func)
	}
	if v.text == "" || (m.Func == Min) == (text < v.text) {
		v.text = text
	}
	return nil
}

func (v *Value) plus(n *big.Rat) {
	if v.number == nil {
		v.number = new(big.Rat)
	}
	v.number.Add(v.number, n)
}

// Rows are the groups in order, at most so many (0: all), and how many there are.
// The order is a group or a measure, with asc or desc; an empty one is by the
// groups when one of them is a bucket of time, else by the first measure, the
// largest first.
func (t *Totals) Rows(order string, most int) ([]Row, int, error) {
	by, desc, err := t.order(order)
	if err != nil {
		return nil, 0, err
	}
	rows := make([]Row, 0, len(t.rows))
	for _, row := range t.rows {
		out := Row{Keys: row.Keys, Values: slices.Clone(row.Values)}
		for i, m := range t.Measures {
			if v := &out.Values[i]; m.Func == Avg && v.count > 0 {
				mean, _ := new(big.Rat).SetString(new(big.Rat).Quo(v.number, big.NewRat(v.count, 1)).FloatString(avgDigits))
				v.number = mean
			}
		}
		rows = append(rows, out)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		c := 0
		if by >= len(t.Groups) {
			c = a.Values[by-len(t.Groups)].compare(b.Values[by-len(t.Groups)])
		} else if by >= 0 {
			c = a.Keys[by].compare(b.Keys[by])
		}
		if desc {
			c = -c
		}
		if c == 0 {
			c = slices.CompareFunc(a.Keys, b.Keys, Key.compare)
		}
		return c
	})
	total := len(rows)
	if most > 0 {
		rows = rows[:min(most, total)]
	}
	return rows, total, nil
}

// order is the place of a group, or behind them of a measure, that rows are
// ordered by; -1 means by the groups.
func (t *Totals) order(text string) (by int, desc bool, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		if slices.ContainsFunc(t.Groups, func(g Group) bool { return g.Bucket != "" }) {
			return -1, false, nil
		}
		return len(t.Groups), true, nil
	}
	name := text
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		switch direction := strings.ToLower(text[at+1:]); direction {
		case "asc", "desc":
			name, desc = strings.TrimSpace(text[:at]), direction == "desc"
		}
	}
	for i, g := range t.Groups {
		if strings.EqualFold(g.String(), name) || strings.EqualFold(g.Column, name) {
			return i, desc, nil
		}
	}
	for i, m := range t.Measures {
		if strings.EqualFold(m.String(), name) || m.Column != "" && strings.EqualFold(m.Column, name) {
			return len(t.Groups) + i, desc, nil
		}
	}
	return 0, false, fmt.Errorf("orderBy has %q, which is neither a group nor a measure", text)
}
