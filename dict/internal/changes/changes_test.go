package changes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestMayBeNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age  time.Duration
		want bool
	}{
		"now":                             {0, true},
		"just before":                     {2 * time.Second, true},
		"the server's clock is ahead":     {-10 * time.Second, true},
		"the server's clock is behind":    {15 * time.Second, true},
		"a minute ago":                    {time.Minute, false},
		"seven minutes ago":               {7 * time.Minute, false},
		"in a minute":                     {-time.Minute, false},
		"two zones east":                  {-2*time.Hour + time.Second, true},
		"two zones west":                  {2*time.Hour + time.Second, true},
		"half a zone":                     {-5*time.Hour + 30*time.Minute, true},
		"the farthest zones":              {26*time.Hour + time.Second, true},
		"the farthest zones, in the east": {-26 * time.Hour, true},
		"no zone is that far":             {27*time.Hour + time.Second, false},
		"years ago, to the quarter":       {9000*time.Hour + time.Second, false},
		"in years":                        {-9000 * time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, MayBeNew(c.age, 5*time.Second, 15*time.Second))
		})
	}
}
