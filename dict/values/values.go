package values

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// Target is the place a value is written to: a column of a table, or a parameter
// of a process.
type Target struct {
	Name        string
	Type        dict.DisplayType
	ReferenceID int    // of the list, or of the rule that says which records it refers to; 0: none
	Foreign     string // table that it refers to; empty: none
	By          string // column of that table the values are of; empty: the key, the UUID or a name
	Length      int    // in characters; 0: no bound
	Min, Max    string // bounds of a number; empty: none
	Secret      bool   // errors do not show its values
	// Beyond takes numbers and UUIDs of records that the role may not see: the ERP
	// decides. Processes may reach further than the role.
	Beyond bool
}

// OfColumn is a column as a target.
func OfColumn(c *registry.Column) Target {
	return Target{
		Name: c.Name, Type: c.Type, ReferenceID: c.ReferenceID, Foreign: c.ForeignTable, Length: c.Length, Min: c.Min, Max: c.Max,
		Secret: c.Secure || c.Encrypted,
	}
}

// ofParameter is a parameter of a process as a target.
func ofParameter(p *registry.Parameter) Target {
	return Target{Name: p.Column, Type: p.Type, ReferenceID: p.ReferenceID, Foreign: p.ForeignTable, Secret: p.Encrypted, Beyond: true}
}

// refers reports whether values are keys of records of another table.
func (t *Target) refers() bool { return t.Foreign != "" && !t.Type.IsList() && !t.Type.IsMultiple() }

// Value is a value as the ERP stores it.
type Value struct {
	// Empty reports that the target is cleared.
	Empty bool
	// Send is the member of a request.
	Send any
	// Plain is the form in which values are compared; see [Stored].
	Plain string
	// Name is the ERP's name for the stored value: the label of a list's code, or the
	// name of the record. Empty: the value says it by itself, or nobody knows.
	Name string

	target Target
	name   string // of a record that is to be looked up; empty: Send is known
}

// IsNumber reports whether the value is a number that no record or list has as its key.
func (v *Value) IsNumber() bool {
	return !v.Empty && v.target.Foreign == "" && v.target.Type.IsNumeric()
}

// Options say how values are written. The zero value reads dates and numbers in the
// forms of the documentation of the package.
type Options struct {
	// DecimalComma takes the comma in numbers of text as the decimal separator.
	DecimalComma bool
	// DateFormat is the form of dates besides YYYY-MM-DD: DD, MM and YYYY with
	// anything between them, such as DD.MM.YYYY.
	DateFormat string
	// Zone is the time zone of dates with time that name none; nil refuses them.
	Zone *time.Location
	// Inactive takes values of lists that are deactivated, which records may still have,
	// and the names of deactivated records.
	Inactive bool
	// Secret reports whether a column holds secrets by its name: records are not found by
	// it. Nil: the dictionary alone says which do.
	Secret func(column string) bool
	// Advice says how the options above are set, for errors.
	Advice Advice
}

// Advice holds the instructions that errors give. Empty members are left out.
type Advice struct {
	DecimalComma string // such as "give --decimal-comma"
	DateFormat   string
	Zone         string
	Ignore       string // of a heading of a file, such as "ignore it with --map HEADING="; HEADING becomes the heading
	// By is the form that names a record by one of its columns, such as "COLUMN=VALUE"; empty:
	// as in headings, with the name of the target, a colon and the column.
	By string
}

// or is an advice as the end of a sentence.
func or(advice string) string {
	if advice == "" {
		return ""
	}
	return ", or " + advice
}

// Reader reads values. It keeps the records that it looked up, so it is for one piece
// of work. It is not safe for concurrent use.
type Reader struct {
	dict    Dictionary
	client  *erp.Client
	opts    Options
	day     string // layout of dates, empty for ISO alone
	specs   map[Target]*reference
	filters bool // values stand in filters
	asked   int  // texts that something near was looked for
}

// dateWords are the parts of [Options.DateFormat].
var dateWords = strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02")

// New is a reader. The client looks records up by name; nil leaves that to the ERP,
// which knows fewer names. It fails if the date format lacks a part.
func New(client *erp.Client, dictionary Dictionary, opts Options) (*Reader, error) {
	r := &Reader{dict: dictionary, client: client, opts: opts, specs: map[Target]*reference{}}
	if opts.DateFormat != "" {
		r.day = dateWords.Replace(strings.ToUpper(opts.DateFormat))
		for _, part := range []string{"2006", "01", "02"} {
			if strings.Count(r.day, part) != 1 {
				return nil, fmt.Errorf("the date format %s must have DD, MM and YYYY once each, such as DD.MM.YYYY", text.Quote(opts.DateFormat))
			}
		}
	}
	return r, nil
}

// Error is a problem with a value, in words for whoever wrote it.
type Error struct{ Problem string }

// Error is the problem.
func (e *Error) Error() string { return e.Problem }

// Unwrap says that the value is refused before anything is sent.
func (e *Error) Unwrap() error { return erp.ErrInvalid }

func wrong(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Read reads one value. The error is an [*Error], or that of the dictionary. A value
// that names a record is complete after [Reader.Lookup].
func (r *Reader) Read(ctx context.Context, t Target, cell Cell) (Value, error) {
	v := Value{target: t}
	ready, err := begin(&v, cell)
	if ready || err != nil {
		return v, v.conceal(err)
	}
	err = r.read(ctx, &v, cell)
	return v, v.conceal(err)
}

// conceal takes the value out of an error about a secret.
func (v *Value) conceal(err error) error {
	var about *Error
	if v.target.Secret && errors.As(err, &about) {
		return wrong("the value does not fit %s, of type %s; it is not shown", v.target.Name, v.target.Type)
	}
	return err
}

// begin looks at what holds for values of all types, and reports whether that is all.
func begin(v *Value, cell Cell) (ready bool, err error) {
	if cell.Kind == Fault {
		return false, wrong("the cell shows the error %s", text.Quote(cell.Text))
	}
	if cell.Empty() {
		v.clear()
		return true, nil
	}
	if at := text.Invalid([]byte(cell.Text)); at != "" {
		return false, wrong("it holds %s", at)
	}
	return false, nil
}

// clear makes the value the one by which the target is cleared.
func (v *Value) clear() {
	v.Empty = true
	if v.target.Type.IsID() && v.target.Foreign != "" {
		v.Send = erp.NoRef // the ERP takes no null there
	}
}

// RecordID reads the number of a record.
func RecordID(cell Cell) (Value, error) {
	var v Value
	if ready, err := begin(&v, cell); ready || err != nil {
		return v, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(cell.Text), 10, 64)
	if err != nil || n < 0 {
		return v, wrong("%s is not the number of a record", text.Quote(cell.Text))
	}
	v.Send, v.Plain = n, strconv.FormatInt(n, 10)
	return v, nil
}

// RecordUUID reads the UUID of a record.
func RecordUUID(cell Cell) (Value, error) {
	var v Value
	if ready, err := begin(&v, cell); ready || err != nil {
		return v, err
	}
	return v, readUUID(&v, cell)
}

func readUUID(v *Value, cell Cell) error {
	// The ERP compares UUIDs with regard to case.
	if _, ok := dict.ParseUUID(strings.TrimSpace(cell.Text)); !ok {
		return wrong("%s is not a UUID", text.Quote(cell.Text))
	}
	v.Plain = strings.TrimSpace(cell.Text)
	v.Send = v.Plain
	return nil
}

// read reads a value by the display type of its target.
func (r *Reader) read(ctx context.Context, v *Value, cell Cell) error {
	switch t := v.target.Type; {
	case t.IsMultiple():
		return r.several(ctx, v, cell)
	case t.IsList():
		return r.listed(ctx, v, cell)
	case t == dict.TypeYesNo:
		return yesNo(v, cell)
	case v.target.Foreign != "":
		return readReference(v, cell)
	case t == dict.TypeInteger, t.IsID(), t == dict.TypeButton:
		return r.integer(v, cell)
	case t.IsNumeric():
		return r.decimal(v, cell)
	case t == dict.TypeDate:
		return r.date(v, cell)
	case t == dict.TypeTime:
		return timeOfDay(v, cell)
	case t.IsDate():
		return r.moment(v, cell)
	case t == dict.TypeBinary:
		return binary(v, cell)
	case t == dict.TypeJSON:
		return readJSON(v, cell)
	}
	return readText(v, cell)
}
