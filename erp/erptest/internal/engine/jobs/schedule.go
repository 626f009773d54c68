package jobs

import (
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// nextRun is when a schedule (AD_Schedule) is due after a moment; false when
// it cannot tell.
func nextRun(schedule store.Row, after time.Time) (time.Time, bool) {
	if schedule.String("ScheduleType") == "C" {
		cron, ok := parseCron(schedule.String("CronPattern"))
		if !ok {
			return time.Time{}, false
		}
		return cron.next(after)
	}
	n := max(schedule.Int("Frequency"), 1)
	if n > 100_000 {
		return time.Time{}, false
	}
	unit, ok := map[string]time.Duration{"D": 24 * time.Hour, "H": time.Hour, "M": time.Minute, "S": time.Second}[schedule.String("FrequencyType")]
	return after.Add(time.Duration(n) * unit), ok
}

// cronPattern are the minutes, hours, days of month, months and days of week a
// pattern of five fields names.
type cronPattern struct {
	fields             [5]map[int]bool
	anyDay, anyWeekday bool
}

// cronRanges are the values the fields may have.
var cronRanges = [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}}

// parseCron reads a pattern of five fields, in which 7 is Sunday, as 0 is. It is
// no library because robfig/cron refuses 7 and leaves out a run at an hour that
// the clock skips, which here comes an hour later.
func parseCron(pattern string) (cronPattern, bool) {
	var p cronPattern
	words := strings.Fields(pattern)
	if len(words) != len(p.fields) {
		return p, false
	}
	for i, word := range words {
		p.fields[i] = map[int]bool{}
		for part := range strings.SplitSeq(word, ",") {
			if !addCron(p.fields[i], part, cronRanges[i][0], cronRanges[i][1]) {
				return p, false
			}
		}
	}
	p.anyDay, p.anyWeekday = words[2] == "*", words[4] == "*"
	if p.fields[4][7] {
		p.fields[4][0] = true
	}
	return p, true
}

// addCron adds the values of "*", "5", "1-5" or any of them with a "/step".
func addCron(into map[int]bool, part string, low, high int) bool {
	span, stepText, stepped := strings.Cut(part, "/")
	step := 1
	if stepped {
		var err error
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
			return false
		}
	}
	from, to := low, high
	if span != "*" {
		a, b, isRange := strings.Cut(span, "-")
		var err error
		if from, err = strconv.Atoi(a); err != nil {
			return false
		}
		switch {
		case isRange:
			if to, err = strconv.Atoi(b); err != nil {
				return false
			}
		case !stepped:
			to = from
		}
	}
	if from < low || to > high || from > to {
		return false
	}
	for n := from; n <= to; n += step {
		into[n] = true
	}
	return true
}

// next is the first moment after the given one that fits, in its zone; false when none of
// the following five years does.
func (p cronPattern) next(after time.Time) (time.Time, bool) {
	zone := after.Location()
	// Clock readings are counted as if they were UTC, where none is skipped.
	t := time.Date(after.Year(), after.Month(), after.Day(), after.Hour(), after.Minute()+1, 0, 0, time.UTC)
	for end := t.AddDate(5, 0, 0); t.Before(end); {
		switch {
		case !p.fields[3][int(t.Month())]:
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		case !p.day(t):
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
		case !p.fields[1][t.Hour()]:
			t = t.Truncate(time.Hour).Add(time.Hour)
		case !p.fields[0][t.Minute()]:
			t = t.Add(time.Minute)
		default:
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, zone), true
		}
	}
	return time.Time{}, false
}

// day reports whether the day fits: with both kinds of days given, either will
// do.
func (p cronPattern) day(t time.Time) bool {
	day, weekday := p.fields[2][t.Day()], p.fields[4][int(t.Weekday())]
	if p.anyDay || p.anyWeekday {
		return day && weekday
	}
	return day || weekday
}
