package values

import (
	"cmp"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

func (r *Reader) date(v *Value, cell Cell) error {
	s := strings.TrimSpace(cell.Text)
	for _, midnight := range []string{"T00:00:00", " 00:00:00", "T00:00:00Z"} {
		s = strings.TrimSuffix(s, midnight)
	}
	day, err := erp.ParseDate(s)
	if err != nil && r.day != "" && cell.Kind == Text {
		if t, parseErr := time.Parse(r.day, s); parseErr == nil {
			day, err = erp.DateOf(t), nil
		}
	}
	switch {
	case err != nil && r.day != "":
		return wrong("%s is not a date of the form %s or YYYY-MM-DD", text.Quote(cell.Text), strings.ToUpper(r.opts.DateFormat))
	case err != nil:
		return wrong("%s is not a date; write YYYY-MM-DD%s", text.Quote(cell.Text), or(r.opts.Advice.DateFormat))
	case day.Year < 1:
		return wrong("%s is before the year 1", text.Quote(cell.Text))
	}
	v.Plain = day.String()
	v.Send = v.Plain
	return nil
}

// localLayouts are dates with time in no zone.
var localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

func (r *Reader) moment(v *Value, cell Cell) error {
	s := strings.TrimSpace(cell.Text)
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		layouts := localLayouts
		if r.day != "" {
			layouts = append([]string{r.day + " 15:04:05", r.day + " 15:04", r.day}, layouts...)
		}
		zone := cmp.Or(r.opts.Zone, time.UTC)
		found := false
		for _, layout := range layouts {
			if at, err = time.ParseInLocation(layout, s, zone); err == nil {
				found = true
				break
			}
		}
		switch {
		case !found:
			return wrong("%s is not a date with time of the form 2026-03-09T14:05:06+01:00", text.Quote(cell.Text))
		case r.opts.Zone == nil:
			return wrong("%s is in no time zone; write 2026-03-09T14:05:06+01:00%s", text.Quote(cell.Text), or(r.opts.Advice.Zone))
		}
	}
	if at = at.UTC(); at.Year() < 1 || at.Year() > 9999 { // as it is sent
		return wrong("%s is not in the years 1 to 9999", text.Quote(cell.Text))
	}
	layout := "2006-01-02T15:04:05Z"
	if v.target.Type == dict.TypeTimestampWithTimeZone {
		layout = "2006-01-02T15:04:05.999999Z"
	} else if at.Nanosecond() != 0 {
		return wrong("%s has fractions of a second, which %s does not keep", text.Quote(cell.Text), v.target.Name)
	}
	v.Plain = at.Format(layout)
	v.Send = v.Plain
	return nil
}

func timeOfDay(v *Value, cell Cell) error {
	s := strings.TrimSuffix(strings.TrimSpace(cell.Text), "Z")
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, s); err == nil && t.Nanosecond() == 0 {
			v.Plain = t.Format("15:04:05")
			v.Send = v.Plain + "Z"
			return nil
		}
	}
	return wrong("%s is not a time of the form 14:05:06", text.Quote(cell.Text))
}
