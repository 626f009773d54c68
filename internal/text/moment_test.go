package text_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/text"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("somewhere", 2*60*60)
	now := time.Date(2026, 3, 9, 14, 0, 0, 0, zone)
	for given, want := range map[string]time.Time{
		"2026-03-01":           time.Date(2026, 3, 1, 0, 0, 0, 0, zone),
		"2026-03-01T10:00:00":  time.Date(2026, 3, 1, 10, 0, 0, 0, zone),
		"2026-03-01 10:00":     time.Date(2026, 3, 1, 10, 0, 0, 0, zone),
		"2026-03-01T10:00:00Z": time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
		"7d":                   now.AddDate(0, 0, -7),
		"0d":                   now,
		"12h":                  now.Add(-12 * time.Hour),
	} {
		got, err := text.Moment(given, now, zone)
		require.NoError(t, err, given)
		assert.True(t, want.Equal(got), "%s: %s", given, got)
	}
	for _, bad := range []string{"", "x", "d", "-3d", "-5h", "99999999999d", "90000d", "2026-13-01", "1969-12-31", "3000-01-01", "12h5d", "7d\n"} {
		_, err := text.Moment(bad, now, zone)
		assert.ErrorContains(t, err, text.Quote(bad)+" is not a day", bad)
	}
}

// A moment that is accepted lies between 1970 and 2999, and is read again from how it is
// written.
func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"2026-03-01", "2026-03-01T10:00:00+14:00", "7d", "1h30m", "2999-12-31T23:59:59-23:59"} {
		f.Add(seed)
	}
	now := time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, given string) {
		at, err := text.Moment(given, now, time.UTC)
		if err != nil {
			return
		}
		assert.True(t, at.Year() >= 1970 && at.Year() < 3000, given)
		again, err := text.Moment(at.Format(time.RFC3339), now, time.UTC)
		require.NoError(t, err, given)
		assert.Equal(t, at.Unix(), again.Unix(), given)
	})
}
