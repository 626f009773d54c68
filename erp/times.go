package erp

import (
	"cmp"
	"fmt"
	"time"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// Layouts the ERP writes, and older builds wrote, for points in time.
const (
	layoutDate      = "2006-01-02"
	layoutTime      = "15:04:05Z"
	layoutLocal     = "2006-01-02T15:04:05"
	layoutLocalBlnk = "2006-01-02 15:04:05"
)

// Date is a day without a time zone, the content of a Date column. The zero
// Date stands for no date.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// NewDate returns that day; it normalises as time.Date does, so that the 32nd
// of March is the 1st of April.
func NewDate(year int, month time.Month, day int) Date {
	return DateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// DateOf returns the day t falls on in its own location.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// ParseDate reads YYYY-MM-DD.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(layoutDate, text)
	if err != nil {
		return Date{}, invalid("%s is not a date of the form YYYY-MM-DD", quote(text))
	}
	return DateOf(t), nil
}

// In returns the start of the day in loc.
func (d Date) In(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
}

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d == Date{} }

// String returns YYYY-MM-DD, or the empty string for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// MarshalJSON writes "YYYY-MM-DD", or null for the zero Date.
func (d Date) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON reads a date, or the date part of a date with time.
func (d *Date) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*d = Date{}
		return nil
	}
	text, ok := jsonscan.Text(data)
	if !ok || len(text) < len(layoutDate) {
		return fmt.Errorf("%s is not a date", quote(string(data)))
	}
	parsed, err := ParseDate(text[:len(layoutDate)])
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// TimeOfDay is the content of a Time column: hours, minutes and seconds on
// the server's clock. The Z the ERP writes after it means nothing.
type TimeOfDay struct {
	Hour, Minute, Second int
}

// String returns HH:MM:SS.
func (t TimeOfDay) String() string {
	return fmt.Sprintf("%02d:%02d:%02d", t.Hour, t.Minute, t.Second)
}

// MarshalJSON writes the form the ERP writes, "HH:MM:SSZ".
func (t TimeOfDay) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `Z"`), nil }

// UnmarshalJSON reads "HH:MM:SSZ"; null gives midnight.
func (t *TimeOfDay) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*t = TimeOfDay{}
		return nil
	}
	text, ok := jsonscan.Text(data)
	if !ok {
		return fmt.Errorf("%s is not a time of day", quote(string(data)))
	}
	at, err := time.Parse(layoutTime, text)
	if err != nil {
		return fmt.Errorf("%s is not a time of day of the form HH:MM:SSZ", quote(text))
	}
	hour, minute, second := at.Clock()
	*t = TimeOfDay{hour, minute, second}
	return nil
}

// ParseTime reads any point in time the ERP writes: a date with time and
// offset, an instant in UTC with fractions, a date alone, a time of day alone,
// and dates with time but without zone. What has no zone of its own is taken
// in loc; nil means UTC. A time of day falls on the first day of year 0.
func ParseTime(text string, loc *time.Location) (time.Time, error) {
	loc = cmp.Or(loc, time.UTC)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{layoutDate, layoutLocal, layoutLocalBlnk, layoutTime} {
		if t, err := time.ParseInLocation(layout, text, loc); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a date or time as the ERP writes it", quote(text))
}
