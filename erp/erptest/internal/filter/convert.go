package filter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// convert makes the argument for comparing a column with a literal as it was
// written, in the form the store keeps such values.
func convert(c *store.Column, text string, zone *time.Location) (any, error) {
	inner, quoted := unquote(text)
	switch c.Kind() {
	case store.KindInteger:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, inconvertible(text, "For input string: %q", text)
		}
		return n, nil
	case store.KindDecimal:
		if !decimalText.MatchString(text) {
			return nil, inconvertible(text, "not a number")
		}
		return text, nil
	case store.KindBool:
		// A quoted value is never true: the ERP compares it quotes and all.
		if strings.EqualFold(text, "true") || text == "Y" {
			return "Y", nil
		}
		return "N", nil
	case store.KindDate:
		t, err := time.Parse(time.DateOnly, inner)
		if err != nil {
			return nil, inconvertible(text, "dates are written as yyyy-MM-dd")
		}
		return t.Format(time.DateTime), nil
	case store.KindDateTime, store.KindInstant:
		t, ok := parseTime(inner, zone)
		if !ok {
			return nil, inconvertible(text, "times are written as yyyy-MM-dd HH:mm:ss or in ISO 8601")
		}
		if c.Kind() == store.KindInstant {
			return t.UTC().Format("2006-01-02 15:04:05.000"), nil
		}
		return t.UTC().Format(time.DateTime), nil
	case store.KindTime:
		t, err := time.Parse(time.TimeOnly, strings.TrimSuffix(inner, "Z"))
		if err != nil {
			return nil, inconvertible(text, "times of day are written as HH:mm:ss")
		}
		return "1970-01-01 " + t.Format(time.TimeOnly), nil
	}
	if !quoted && needsQuotes(c) {
		return nil, bad("String values must be enclosed in single quotes: %s", text)
	}
	return inner, nil
}

// needsQuotes tells whether the ERP insists on quotes around the column's
// values.
func needsQuotes(c *store.Column) bool {
	return c.Ref == store.TypeString || c.Ref == store.TypeList || c.Ref == store.TypeRadiogroup
}

// decimalText bounds digits and exponent, so that no number takes long to
// compare.
var decimalText = regexp.MustCompile(`^[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,2})?$`)

var timeLayouts = []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339}

func parseTime(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range timeLayouts {
		t, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			continue
		}
		if y := t.UTC().Year(); y < 1 || y > 9999 {
			return t, false
		}
		return t, true
	}
	return time.Time{}, false
}

func inconvertible(text, reason string, args ...any) error {
	return bad("Error convertig parameter with value: %s - %s", text, fmt.Sprintf(reason, args...))
}
