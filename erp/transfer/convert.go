package transfer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// value is one cell as the ERP takes it.
type value struct {
	field *field
	empty bool
	send  any    // as a member of a request
	plain string // as it is compared with what is stored, see [stored]
	ref   string // of a reference: what is to be looked up; empty: send is known
}

// converter turns cells into values, by the types of their columns.
type converter struct {
	reg  Dictionary
	opts *ImportOptions
	day  string // layout of dates, empty for ISO alone
}

// dateWords are the parts of [ImportOptions.DateFormat].
var dateWords = strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02")

func newConverter(reg Dictionary, opts *ImportOptions) (*converter, error) {
	c := &converter{reg: reg, opts: opts}
	if opts.DateFormat != "" {
		c.day = dateWords.Replace(strings.ToUpper(opts.DateFormat))
		for _, part := range []string{"2006", "01", "02"} {
			if strings.Count(c.day, part) != 1 {
				return nil, fmt.Errorf("the date format %s must have DD, MM and YYYY once each, such as DD.MM.YYYY", text.Quote(opts.DateFormat))
			}
		}
	}
	return c, nil
}

// convert is the value of a cell. The error is what is wrong with it.
func (c *converter) convert(ctx context.Context, f *field, cell Cell) (value, error) {
	v := value{field: f}
	if cell.Kind == Fault {
		return v, fmt.Errorf("the cell shows the error %s", text.Quote(cell.Text))
	}
	if cell.empty() {
		v.empty = true
		v.send = nothing(f.col)
		return v, nil
	}
	if at := badText([]byte(cell.Text)); at != "" {
		return v, fmt.Errorf("it holds %s", at)
	}
	var err error
	switch f.role {
	case roleID:
		err = c.id(&v, cell)
	case roleUUID:
		err = c.uuid(&v, cell)
	default:
		err = c.column(ctx, &v, cell)
	}
	return v, err
}

// nothing is how a column is cleared.
func nothing(col *registry.Column) any {
	if col != nil && col.Type.IsID() && col.ForeignTable != "" {
		return erp.NoRef // the ERP takes no null there
	}
	return nil
}

func (c *converter) id(v *value, cell Cell) error {
	n, err := strconv.ParseInt(strings.TrimSpace(cell.Text), 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%s is not the number of a record", text.Quote(cell.Text))
	}
	v.send, v.plain = n, strconv.FormatInt(n, 10)
	return nil
}

func (c *converter) uuid(v *value, cell Cell) error {
	// The ERP compares UUIDs with regard to case.
	if _, ok := dict.ParseUUID(strings.TrimSpace(cell.Text)); !ok {
		return fmt.Errorf("%s is not a UUID", text.Quote(cell.Text))
	}
	v.plain = strings.TrimSpace(cell.Text)
	v.send = v.plain
	return nil
}

// column converts by the display type.
func (c *converter) column(ctx context.Context, v *value, cell Cell) error {
	col := v.field.col
	switch t := col.Type; {
	case t.IsMultiple():
		return c.several(ctx, v, cell)
	case t.IsList():
		return c.listed(ctx, v, cell)
	case t == dict.TypeYesNo:
		return c.yesNo(v, cell)
	case col.ForeignTable != "":
		return c.reference(v, cell)
	case t == dict.TypeInteger, t.IsID(), t == dict.TypeButton:
		return c.integer(v, cell)
	case t.IsNumeric():
		return c.decimal(v, cell)
	case t == dict.TypeDate:
		return c.date(v, cell)
	case t == dict.TypeTime:
		return c.timeOfDay(v, cell)
	case t.IsDate():
		return c.moment(v, cell)
	case t == dict.TypeBinary:
		return c.binary(v, cell)
	case t == dict.TypeJSON:
		return c.json(v, cell)
	}
	return c.text(v, cell)
}

func (c *converter) text(v *value, cell Cell) error {
	col := v.field.col
	switch cell.Kind {
	case JSON:
		return fmt.Errorf("it is an object or a list, and %s holds text", col.Name)
	case Bool, Number, Text, Date:
	default:
		return fmt.Errorf("%s holds text", col.Name)
	}
	if n := utf8.RuneCountInString(cell.Text); col.Length > 0 && n > col.Length && shortText(col) {
		return fmt.Errorf("the text has %d characters, and %s takes %d; the ERP would cut it without a word", n, col.Name, col.Length)
	}
	if strings.HasSuffix(col.Name, "_UU") && col.Type.IsUUID() {
		return c.uuid(v, cell)
	}
	v.send, v.plain = cell.Text, cell.Text
	return nil
}

// shortText reports whether the length in the dictionary is one in characters.
func shortText(col *registry.Column) bool {
	return col.Type != dict.TypeTextLong && col.Type != dict.TypeJSON
}

func (c *converter) yesNo(v *value, cell Cell) error {
	switch strings.ToLower(strings.TrimSpace(cell.Text)) {
	case "true", "yes", "y", "1":
		v.send, v.plain = true, "true"
	case "false", "no", "n", "0":
		v.send, v.plain = false, "false"
	default:
		return fmt.Errorf("%s is neither yes nor no; write true or false, Y or N", text.Quote(cell.Text))
	}
	return nil
}

// number is a number in JSON notation, without blanks, + and leading zeros.
func (c *converter) number(cell Cell) (erp.Decimal, error) {
	s := strings.TrimSpace(cell.Text)
	if cell.Kind != Text && cell.Kind != Number {
		return "", fmt.Errorf("%s is not a number", text.Quote(cell.Text))
	}
	if cell.Kind == Text && c.opts.DecimalComma {
		if strings.Contains(s, ".") {
			return "", fmt.Errorf("%s has a point in it, and the decimal separator is a comma; write numbers without thousands separators", text.Quote(s))
		}
		s = strings.Replace(s, ",", ".", 1)
	}
	plain, minus := strings.CutPrefix(s, "-")
	if !minus {
		plain = strings.TrimPrefix(s, "+")
	}
	if plain != "" && plain[0] == '.' {
		plain = "0" + plain
	}
	for len(plain) > 1 && plain[0] == '0' && plain[1] >= '0' && plain[1] <= '9' {
		plain = plain[1:]
	}
	if minus {
		plain = "-" + plain
	}
	d, err := erp.ParseDecimal(plain)
	if err != nil {
		hint := "; write it with a point before the decimals and without thousands separators"
		if strings.Contains(s, ",") && !c.opts.DecimalComma {
			hint = "; write it with a point before the decimals, or set the decimal separator to a comma"
		}
		return "", fmt.Errorf("%s is not a number%s", text.Quote(cell.Text), hint)
	}
	if _, ok := d.Rat(); !ok || len(d.String()) > 200 {
		return "", fmt.Errorf("%s has too many digits", text.Quote(cell.Text))
	}
	return d, nil
}

func (c *converter) decimal(v *value, cell Cell) error {
	d, err := c.number(cell)
	if err != nil {
		return err
	}
	if err := c.within(v.field.col, d); err != nil {
		return err
	}
	v.plain = d.String()
	v.send = v.plain // as text: a server that computes with floating point would round
	return nil
}

func (c *converter) integer(v *value, cell Cell) error {
	d, err := c.number(cell)
	if err != nil {
		return err
	}
	n, whole := d.Int64()
	switch {
	case !whole && !strings.ContainsAny(d.String(), "."):
		return fmt.Errorf("%s is too large for a whole number", text.Quote(cell.Text))
	case !whole:
		return fmt.Errorf("%s is not a whole number", text.Quote(cell.Text))
	case n > math.MaxInt32 || n < math.MinInt32:
		return fmt.Errorf("%d is outside of what %s takes, %d to %d", n, v.field.col.Name, math.MinInt32, math.MaxInt32)
	}
	if err := c.within(v.field.col, d); err != nil {
		return err
	}
	v.send, v.plain = n, strconv.FormatInt(n, 10)
	return nil
}

// within checks the bounds in the dictionary.
func (c *converter) within(col *registry.Column, d erp.Decimal) error {
	if low, err := erp.ParseDecimal(strings.TrimSpace(col.Min)); err == nil && d.Cmp(low) < 0 {
		return fmt.Errorf("%s is less than %s, the least that %s takes", d, low, col.Name)
	}
	if high, err := erp.ParseDecimal(strings.TrimSpace(col.Max)); err == nil && d.Cmp(high) > 0 {
		return fmt.Errorf("%s is more than %s, the most that %s takes", d, high, col.Name)
	}
	return nil
}

func (c *converter) date(v *value, cell Cell) error {
	s := strings.TrimSpace(cell.Text)
	for _, midnight := range []string{"T00:00:00", " 00:00:00", "T00:00:00Z"} {
		s = strings.TrimSuffix(s, midnight)
	}
	day, err := erp.ParseDate(s)
	if err != nil && c.day != "" && cell.Kind == Text {
		if t, parseErr := time.Parse(c.day, s); parseErr == nil {
			day, err = erp.DateOf(t), nil
		}
	}
	switch {
	case err != nil && c.day != "":
		return fmt.Errorf("%s is not a date of the form %s or YYYY-MM-DD", text.Quote(cell.Text), strings.ToUpper(c.opts.DateFormat))
	case err != nil:
		return fmt.Errorf("%s is not a date of the form YYYY-MM-DD; say how dates are written with a date format such as DD.MM.YYYY", text.Quote(cell.Text))
	case day.Year < 1:
		return fmt.Errorf("%s is before the year 1", text.Quote(cell.Text))
	}
	v.plain = day.String()
	v.send = v.plain
	return nil
}

// localLayouts are dates with time in no zone.
var localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

func (c *converter) moment(v *value, cell Cell) error {
	s := strings.TrimSpace(cell.Text)
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		layouts := localLayouts
		if c.day != "" {
			layouts = append([]string{c.day + " 15:04:05", c.day + " 15:04", c.day}, layouts...)
		}
		zone := c.opts.Zone
		if zone == nil {
			zone = time.UTC
		}
		found := false
		for _, layout := range layouts {
			if at, err = time.ParseInLocation(layout, s, zone); err == nil {
				found = true
				break
			}
		}
		switch {
		case !found:
			return fmt.Errorf("%s is not a date with time of the form 2026-03-09T14:05:06+01:00", text.Quote(cell.Text))
		case c.opts.Zone == nil:
			return fmt.Errorf("%s is in no time zone; write 2026-03-09T14:05:06+01:00, or say in which zone such times are", text.Quote(cell.Text))
		}
	}
	if at.Year() < 1 || at.Year() > 9999 {
		return fmt.Errorf("%s is not in the years 1 to 9999", text.Quote(cell.Text))
	}
	layout := "2006-01-02T15:04:05Z"
	if v.field.col.Type == dict.TypeTimestampWithTimeZone {
		layout = "2006-01-02T15:04:05.999999Z"
	} else if at.Nanosecond() != 0 {
		return fmt.Errorf("%s has fractions of a second, which %s does not keep", text.Quote(cell.Text), v.field.col.Name)
	}
	v.plain = at.UTC().Format(layout)
	v.send = v.plain
	return nil
}

func (c *converter) timeOfDay(v *value, cell Cell) error {
	s := strings.TrimSuffix(strings.TrimSpace(cell.Text), "Z")
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, s); err == nil && t.Nanosecond() == 0 {
			v.plain = t.Format("15:04:05")
			v.send = v.plain + "Z"
			return nil
		}
	}
	return fmt.Errorf("%s is not a time of the form 14:05:06", text.Quote(cell.Text))
}

func (c *converter) binary(v *value, cell Cell) error {
	data, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(cell.Text))
	if err != nil {
		return fmt.Errorf("it is not binary data in base64")
	}
	v.plain = base64.StdEncoding.EncodeToString(data)
	v.send = v.plain
	return nil
}

func (c *converter) json(v *value, cell Cell) error {
	raw := []byte(cell.Text)
	if cell.Kind == Text && !json.Valid(raw) {
		return fmt.Errorf("%s is not JSON", text.Quote(cell.Text))
	}
	if cell.Kind == Date {
		return fmt.Errorf("%s is not JSON", text.Quote(cell.Text))
	}
	v.send, v.plain = json.RawMessage(raw), compactJSON(raw)
	return nil
}

// key is the text of a list value or a reference: that of the cell, or the key in
// an object as the API writes them.
func key(cell Cell) (string, bool) {
	if cell.Kind != JSON {
		return cell.Text, true
	}
	var given struct {
		ID         json.RawMessage `json:"id"`
		UID        string          `json:"uid"`
		UUID       string          `json:"uuid"`
		Identifier string          `json:"identifier"`
	}
	if json.Unmarshal([]byte(cell.Text), &given) != nil {
		return "", false
	}
	var s string
	switch {
	case given.ID != nil && json.Unmarshal(given.ID, &s) == nil:
		return s, s != ""
	case given.ID != nil:
		return string(given.ID), true
	case given.UID != "":
		return given.UID, true
	case given.UUID != "":
		return given.UUID, true
	}
	return given.Identifier, given.Identifier != ""
}

func (c *converter) listed(ctx context.Context, v *value, cell Cell) error {
	s, ok := key(cell)
	if !ok {
		return fmt.Errorf("it is neither a value of a list nor an object with its id")
	}
	ref, err := list(ctx, c.reg, v.field.col.ReferenceID)
	if err != nil {
		return err
	}
	code, err := listValue(ref, s)
	if err != nil {
		return err
	}
	if n := utf8.RuneCountInString(code); v.field.col.Length > 0 && n > v.field.col.Length {
		return fmt.Errorf("%s has %d characters, and %s takes %d", text.Quote(code), n, v.field.col.Name, v.field.col.Length)
	}
	v.send, v.plain = code, code
	return nil
}

// listValue is the code of a list value, given by code or label. A list that the
// dictionary has no values of takes everything.
func listValue(ref registry.Reference, s string) (string, error) {
	if len(ref.Values) == 0 {
		return s, nil
	}
	var meant []string
	var shown, words []string
	for _, v := range ref.Values {
		if v.Value == s {
			return v.Value, nil
		}
		if !v.Active {
			continue
		}
		if trimmed := strings.TrimSpace(s); strings.EqualFold(v.Name, trimmed) || strings.EqualFold(v.Value, trimmed) {
			meant = append(meant, v.Value)
		}
		shown, words = append(shown, fmt.Sprintf("%s (%s)", v.Value, v.Name)), append(words, v.Name)
	}
	if len(meant) == 1 {
		return meant[0], nil
	}
	if near := nearest.Name(s, words); near != "" && len(meant) == 0 {
		return "", fmt.Errorf("the list %s has no value %s; did you mean %q?", ref.Name, text.Quote(s), near)
	}
	if len(shown) > 15 {
		shown = append(shown[:15], "…")
	}
	return "", fmt.Errorf("the list %s has no value %s; it has %s", ref.Name, text.Quote(s), strings.Join(shown, ", "))
}

// several converts a column with several choices, which are separated by commas.
func (c *converter) several(ctx context.Context, v *value, cell Cell) error {
	s, ok := key(cell)
	if cell.Kind == JSON {
		s, ok = selections(cell.Text, s, ok)
	}
	if !ok {
		return fmt.Errorf("it is no list of values separated by commas")
	}
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if v.field.col.Type == dict.TypeChosenMultipleSelectionList {
			ref, err := list(ctx, c.reg, v.field.col.ReferenceID)
			if err != nil {
				return err
			}
			if part, err = listValue(ref, part); err != nil {
				return err
			}
		}
		out = append(out, part)
	}
	v.plain = strings.Join(out, ",")
	v.send = v.plain
	return nil
}

// selections are the keys in an object or a list as the API writes them.
func selections(raw, s string, ok bool) (string, bool) {
	var object struct {
		Selections []erp.Ref `json:"selections"`
	}
	if err := json.Unmarshal([]byte(raw), &object.Selections); err != nil {
		if json.Unmarshal([]byte(raw), &object) != nil {
			return s, ok
		}
	}
	if len(object.Selections) == 0 {
		return s, ok
	}
	keys := make([]string, len(object.Selections))
	for i, r := range object.Selections {
		keys[i] = r.ID.String()
	}
	return strings.Join(keys, ","), true
}

func (c *converter) reference(v *value, cell Cell) error {
	s, ok := key(cell)
	if !ok || cell.Kind == Bool {
		return fmt.Errorf("%s refers to a record of %s: give its number, UUID, search key or name", v.field.col.Name, v.field.col.ForeignTable)
	}
	if s = strings.TrimSpace(s); s == "" {
		v.empty, v.send = true, nothing(v.field.col)
		return nil
	}
	if len(s) > maxName {
		return fmt.Errorf("%s is too long for a record of %s", text.Quote(s), v.field.col.ForeignTable)
	}
	v.ref = s
	return nil
}

// maxName bounds the text that a record is looked up by, which travels in an
// address.
const maxName = 500 // bytes
