package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/javadate"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

// Forms in which times are stored; see package store.
const (
	StoredDateTime = "2006-01-02 15:04:05"
	StoredInstant  = "2006-01-02 15:04:05.000"
	storedDate     = "2006-01-02 00:00:00"
	storedTime     = "1970-01-01 15:04:05"
)

// StoredNow is the server's time as date-time columns hold it.
func (s *Session) StoredNow() string { return s.ERP.Now().UTC().Format(StoredDateTime) }

// ToStored converts a member of a request into the value its column stores;
// nil is NULL. The rules are those of the REST plugin's converters, by
// display type.
func (s *Session) ToStored(ctx context.Context, tx *store.Tx, col *store.Column, v any) (any, error) {
	stored, err := s.memberValue(ctx, tx, col, v)
	if number, ok := stored.(unlisted); ok {
		stored = string(number)
	}
	if _, isText := stored.(string); isText && col.Kind() == store.KindInteger {
		return nil, couldNot(v, col.Name)
	}
	return stored, err
}

// memberValue is the value a column of a record is assigned, see [Session.assign].
func (s *Session) memberValue(ctx context.Context, tx *store.Tx, col *store.Column, v any) (any, error) {
	target, err := tx.TargetTable(ctx, col)
	if err != nil {
		return nil, err
	}
	f := Field{Name: col.Name, ref: col.Ref, Kind: col.Kind(), target: target, refValue: col.RefValue}
	return s.convert(ctx, tx, f, v)
}

// Field is what converting a value depends on: a column or a parameter of a
// process.
type Field struct {
	Name     string
	ref      int // display type
	Kind     store.Kind
	target   string // the table it points at, "" if none
	refValue int64
}

func (s *Session) convert(ctx context.Context, tx *store.Tx, f Field, v any) (any, error) {
	switch f.ref {
	case displaytype.Location:
		return s.convertLocation(ctx, tx, v)
	case displaytype.Image:
		if f.Kind == store.KindBytes {
			return binary(f, v)
		}
		return s.convertImage(ctx, tx, v)
	case displaytype.Binary:
		return binary(f, v)
	case displaytype.JSON:
		return jsonText(v)
	case displaytype.YesNo:
		return YesNo(v), nil
	case displaytype.Date, displaytype.DateTime, displaytype.Time, displaytype.TimestampWithTimeZone:
		return moment(f, v, s.ERP.Options.Location)
	case displaytype.Integer, displaytype.ID, displaytype.RecordID:
		return Integer(f, v)
	case displaytype.Button:
		return button(f, v)
	case displaytype.Amount, displaytype.Number, displaytype.Quantity, displaytype.CostPrice:
		return decimal(f, v)
	case displaytype.ChosenMultipleSelectionTable, displaytype.ChosenMultipleSelectionSrch:
		return s.convertSelections(ctx, tx, f, v)
	case displaytype.List, displaytype.RadioGroupList, displaytype.Payment, displaytype.ChosenMultipleSelectionList,
		displaytype.Table, displaytype.TableDir, displaytype.Search, displaytype.Locator, displaytype.Account, displaytype.PAttribute,
		displaytype.TableUU, displaytype.TableDirUU, displaytype.SearchUU:
		return s.convertLookup(ctx, tx, f, v)
	case displaytype.Assignment, displaytype.Chart, displaytype.DashboardContent, displaytype.RowID, displaytype.SchedulerState:
		return nil, nil // no converter exists for them: the value is not understood
	}
	return text(f, v)
}

// couldNot is the failure of a value that its column cannot take.
func couldNot(v any, what string) error {
	return PublicError("Could not convert value " + JSONOf(v) + " for " + what)
}

// JSONOf is v as JSON, cut to a length fit for a message.
func JSONOf(v any) string {
	b, err := wire.Encode(v)
	if err != nil {
		return "?"
	}
	if s, ok := v.(string); ok {
		b = []byte(s)
	}
	if len(b) > 200 {
		b = append(bytes.ToValidUTF8(b[:200], nil), "..."...)
	}
	return string(b)
}

func text(f Field, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil // the ERP keeps no empty texts
		}
		return v, nil
	case json.Number:
		return string(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case *wire.Object:
		return nil, PublicError("JsonObject") // which is all the real server says
	case []any:
		if len(v) == 1 {
			return text(f, v[0])
		}
		return nil, PublicError("Array must have size 1, but has size " + strconv.Itoa(len(v)))
	}
	return nil, couldNot(v, f.Name)
}

// YesNo is Y or N for a JSON boolean or its text, nil for anything else.
func YesNo(v any) any {
	switch v := v.(type) {
	case bool:
		return yesNo(v)
	case string:
		return yesNo(strings.EqualFold(v, "y") || strings.EqualFold(v, "true"))
	}
	return nil
}

// Integer reads whole numbers of the 32 bits the ERP has for them; a JSON
// number loses what does not fit, a text must be whole.
func Integer(f Field, v any) (any, error) {
	switch v := v.(type) {
	case string:
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return nil, couldNot(v, f.Name)
		}
		return n, nil
	case json.Number:
		n, ok := wrapped(string(v))
		if !ok {
			return nil, couldNot(v, f.Name)
		}
		return n, nil
	}
	return nil, nil // anything else is not understood
}

// button reads the number of a button named like an id; buttons that hold
// text cannot be written.
func button(f Field, v any) (any, error) {
	switch v.(type) {
	case string, json.Number:
		if f.Kind != store.KindInteger {
			return nil, couldNot(v, f.Name)
		}
		return Integer(f, v)
	}
	return nil, nil
}

// maxDigits bounds a number, so that an exponent cannot ask for gigabytes.
const maxDigits = 1000

func decimal(f Field, v any) (any, error) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = string(v)
	default:
		return nil, nil
	}
	plain, ok := PlainDecimal(s)
	if !ok {
		return nil, couldNot(v, f.Name)
	}
	return plain, nil
}

// PlainDecimal writes a decimal number without an exponent, keeping its scale.
func PlainDecimal(s string) (string, bool) {
	mantissa, exponent, hasExp := s, 0, false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n > maxDigits || n < -maxDigits {
			return "", false
		}
		mantissa, exponent, hasExp = s[:i], n, true
	}
	digits := strings.TrimLeft(mantissa, "+-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(mantissa)-len(digits) > 1 || len(whole)+len(fraction) == 0 || len(digits) > maxDigits ||
		strings.Trim(whole+fraction, "0123456789") != "" {
		return "", false
	}
	negative := strings.HasPrefix(mantissa, "-")
	scale := len(fraction)
	if hasExp {
		scale = max(0, scale-exponent)
	}
	r, ok := new(big.Rat).SetString(whole + "." + fraction + "0")
	if !ok {
		return "", false
	}
	if exponent != 0 {
		power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
		if exponent > 0 {
			r.Mul(r, power)
		} else {
			r.Quo(r, power)
		}
	}
	out := r.FloatString(scale)
	if negative && r.Sign() != 0 {
		out = "-" + out
	}
	return out, true
}

// datesElsewhere are columns that are dates in some tables, and of which the facts on others
// do not say whether they are: there they take days, too, as clients write them.
var datesElsewhere = []string{"MovementDate", "DateOrdered", "DatePromised"}

func moment(f Field, v any, zone *time.Location) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, nil // null, and what is not a text, clears
	}
	switch f.ref {
	case displaytype.Date:
		t, ok := javadate.Date(s)
		if !ok {
			return nil, invalidDate("Date", "yyyy-MM-dd", s)
		}
		return t.Format(storedDate), nil
	case displaytype.Time:
		t, ok := javadate.TimeOfDay(s)
		if !ok {
			return nil, invalidDate("Time", "HH:mm:ss'Z'", s)
		}
		return t.Format(storedTime), nil
	case displaytype.TimestampWithTimeZone:
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil || !storableYear(t) {
			return nil, Refuse(Invalid, "Invalid ISO Timestamp. ",
				"A timestamp with time zone is written as yyyy-MM-dd'T'HH:mm:ss[.SSSSSSSSS]'Z', not as "+JSONOf(s))
		}
		return t.UTC().Format(StoredInstant), nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		var ok bool
		if t, ok = javadate.ISO(s, zone); !ok && slices.Contains(datesElsewhere, f.Name) {
			t, ok = javadate.Date(s)
		}
		if !ok {
			return nil, invalidDate("DateTime", "yyyy-MM-dd'T'HH:mm:ss'Z'", s)
		}
	}
	if !storableYear(t) {
		return nil, invalidDate("DateTime", "yyyy-MM-dd'T'HH:mm:ss'Z'", s)
	}
	return t.UTC().Format(StoredDateTime), nil
}

// storableYear keeps a shift to UTC from leaving the four-digit years.
func storableYear(t time.Time) bool {
	y := t.UTC().Year()
	return y >= 1 && y <= 9999
}

func invalidDate(kind, pattern, given string) error {
	return refusef(Invalid, "Invalid date", "A %s is written as %s, not as %s", kind, pattern, JSONOf(given))
}

func binary(f Field, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, nil
	}
	data, err := DecodeBase64(s)
	if err != nil {
		return nil, couldNot("<binary>", f.Name)
	}
	return data, nil
}

// DecodeBase64 reads base64 as callers send it: with line breaks, with or
// without padding.
func DecodeBase64(s string) ([]byte, error) {
	s = strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, s)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
}

func jsonText(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	if s, ok := v.(string); ok && json.Valid([]byte(s)) {
		return s, nil // JSON given as text
	}
	b, err := wire.Encode(v)
	if err != nil {
		return nil, err
	}
	return string(b), nil
}

// StoredMoment brings a date or time in a stored or plain form into the form
// of a kind.
func (s *Session) StoredMoment(kind store.Kind, text string) (any, bool) {
	for _, layout := range []string{StoredInstant, StoredDateTime, time.DateOnly, time.RFC3339Nano} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		switch kind {
		case store.KindDate:
			if layout == StoredDateTime && t.Format(storedDate) != text {
				t = t.In(s.ERP.Options.Location) // an instant: its date where the server stands
			}
			return t.Format(storedDate), true
		case store.KindTime:
			return t.In(s.ERP.Options.Location).Format(storedTime), true
		case store.KindInstant:
			return t.UTC().Format(StoredInstant), true
		}
		return t.UTC().Format(StoredDateTime), true
	}
	return nil, false
}

// LocaleTime is a moment as people read it, "" for none.
func (s *Session) LocaleTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.ERP.Options.Location).Format(localeDateTime)
}

// localeDateTime is how dates with times are written for people.
const localeDateTime = "Jan 2, 2006, 3:04:05 PM MST"

// StoredTimeOf is a moment as a column keeps it, zero for none.
func StoredTimeOf(text string) time.Time {
	t, err := time.Parse(time.DateTime, text) // takes fractions too
	if err != nil {
		return time.Time{}
	}
	return t
}
