package javadate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2024-07-03":               "2024-07-03",
		"2024-7-8":                 "2024-07-08",
		"2024-07-03T10:11:12.345Z": "2024-07-03",
		"2024-07-06 00:00:00":      "2024-07-06",
		"2024-02-30":               "2024-03-01",
		"2024-13-45":               "2025-02-14",
		"2024- 5-06x":              "2024-05-06",
		"24-05-06":                 "0024-05-06",
		"":                         "",
		"today":                    "",
		"05/02/2024":               "",
		"2024-05":                  "",
		"2024/05/06":               "",
		"0000-01-01":               "",
		"10000-01-01":              "",
		"9999-12-32":               "",
		"99999999-01-01":           "",
	} {
		got, ok := Date(text)
		assert.Equal(t, want != "", ok, text)
		if ok {
			assert.Equal(t, want, got.Format(time.DateOnly), text)
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3600)
	for text, want := range map[string]string{
		"2024-07-03 10:11:12":     "2024-07-03 09:11:12",
		"2024-07-03 10:11:12.345": "2024-07-03 09:11:12",
		"2024-7-3 1:2:3 and more": "2024-07-03 00:02:03",
		"2024-07-03 24:61:00":     "2024-07-04 00:01:00",
		"2024-07-03":              "",
		"2024-07-03T10:11:12":     "",
		"2024-07-03 10:11":        "",
		"0001-01-01 00:00:00":     "", // the year before in UTC
	} {
		got, ok := Time(text, zone)
		assert.Equal(t, want != "", ok, text)
		if ok {
			assert.Equal(t, want, got.UTC().Format(time.DateTime), text)
		}
	}
}

func FuzzTime(f *testing.F) {
	f.Add("2024-07-03 10:11:12")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func() (time.Time, bool){
			func() (time.Time, bool) { return Date(text) },
			func() (time.Time, bool) { return Time(text, time.UTC) },
		} {
			if got, ok := read(); ok && (got.Year() < 1 || got.Year() > 9999) {
				t.Fatalf("%q is %v", text, got)
			}
		}
	})
}

func TestISO(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3600)
	for text, want := range map[string]string{
		"2024-07-03T10:11:12Z":     "2024-07-03T10:11:12+01:00",
		"2024-7-3T1:2:3Z and more": "2024-07-03T01:02:03+01:00",
		"2024-02-30T25:00:00Z":     "2024-03-02T01:00:00+01:00",
		"2024-07-03T10:11:12":      "",
		"2024-07-03 10:11:12Z":     "",
		"":                         "",
	} {
		got, ok := ISO(text, zone)
		if ok != (want != "") || ok && got.Format(time.RFC3339) != want {
			t.Errorf("%q: got %v, %v, want %q", text, got, ok, want)
		}
	}
}

func TestTimeOfDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"14:05:06Z": "14:05:06", "1:2:3Z": "01:02:03", "14:05": "", "14:05:06": ""} {
		got, ok := TimeOfDay(text)
		if ok != (want != "") || ok && got.Format(time.TimeOnly) != want {
			t.Errorf("%q: got %v, %v, want %q", text, got, ok, want)
		}
	}
}
