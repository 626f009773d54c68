package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment reads what somebody wrote for a time: a day or a time in a zone, a time in
// RFC 3339, or an age before now (7d, 12h). It fails outside the years 1970 to 2999, of
// which no record here is.
func Moment(text string, now time.Time, zone *time.Location) (time.Time, error) {
	at, read := now, false
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		at, read = now.AddDate(0, 0, -n), err == nil && n >= 0 && n < 100_000
	} else if age, err := time.ParseDuration(text); err == nil {
		at, read = now.Add(-age), age >= 0
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			at, read = t, true
		}
	}
	if !read || at.Year() < 1970 || at.Year() >= 3000 {
		return time.Time{}, fmt.Errorf("%s is not a day (2026-03-09), a time (2026-03-09T12:00:00Z) or an age (7d, 12h) between 1970 and 2999", Quote(text))
	}
	return at, nil
}
