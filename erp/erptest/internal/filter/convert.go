package filter

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/javadate"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// convert makes the argument for comparing a column with a literal as it was
// written, in the form the store keeps such values.
func convert(c *store.Column, text string, zone *time.Location) (any, error) {
	switch c.Kind() {
	case store.KindInteger:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, inconvertible(text, "For input string: %q", text)
		}
		return n, nil
	case store.KindDecimal:
		if !decimalText().MatchString(text) {
			return nil, inconvertible(text, "not a number")
		}
		return text, nil
	case store.KindBool:
		// A quoted value is never true: the ERP compares it quotes and all.
		if text == "true" || text == "Y" {
			return "Y", nil
		}
		return "N", nil
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		return convertTime(c, text, zone)
	}
	if isQuoted(text) {
		value, ok := inner(text)
		if !ok {
			return nil, inconvertible(text, "begin 1, end 0, length 1")
		}
		return value, nil
	}
	if c.Ref == displaytype.String || c.Ref == displaytype.List || c.Ref == displaytype.RadioGroupList {
		return nil, inconvertible(text, "String values must be put between single quotes. ColumnName: %s", c.Label)
	}
	return text, nil
}

// convertTime reads dates and times. With an apostrophe anywhere in it, a text
// loses its first and last character.
func convertTime(c *store.Column, text string, zone *time.Location) (any, error) {
	if strings.Contains(text, "'") {
		value, ok := inner(text)
		if !ok {
			return nil, inconvertible(text, "begin 1, end 0, length 1")
		}
		text = value
	}
	t, ok := parseTime(c.Kind(), text, zone)
	if !ok {
		return nil, inconvertible(text, "Unparseable date: %q", text)
	}
	switch c.Kind() {
	case store.KindDate:
		return t.Format(time.DateOnly) + " 00:00:00", nil
	case store.KindTime:
		return "1970-01-01 " + t.Format(time.TimeOnly), nil
	case store.KindInstant:
		return t.UTC().Format("2006-01-02 15:04:05.000"), nil
	}
	return t.UTC().Format(time.DateTime), nil
}

func parseTime(kind store.Kind, text string, zone *time.Location) (time.Time, bool) {
	if kind == store.KindDate {
		return javadate.Date(text)
	}
	if kind != store.KindTime && strings.Contains(text, "T") {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t, inRange(t)
		}
		t, err := time.ParseInLocation("2006-01-02T15:04:05", text, zone)
		if err != nil {
			t, err = time.ParseInLocation("2006-01-02T15:04", text, zone)
		}
		return t, err == nil && inRange(t)
	}
	if t, ok := javadate.Time(text, zone); ok {
		return t, true
	}
	t, ok := javadate.Date(text)
	if ok {
		t = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone)
	}
	return t, ok && inRange(t)
}

func inRange(t time.Time) bool { y := t.UTC().Year(); return y >= 1 && y <= 9999 }

// decimalText bounds digits and exponent, so that no number takes long to
// compare.
var decimalText = lazyregexp.New(`^[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,2})?$`)

func inconvertible(text, reason string, args ...any) error {
	return bad("Error convertig parameter with value: %s - %s", text, fmt.Sprintf(reason, args...))
}
