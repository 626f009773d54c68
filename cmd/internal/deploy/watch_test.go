package deploy

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// One line per environment, drawn over the lines of before, whatever the texts
// of the runs try.
func TestBarView(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)
	now := began.Add(90 * time.Second)
	var out bytes.Buffer
	v := newBarView(&out)
	v.runs[deploylog.Production] = deploylog.Run{ID: erp.IntID(1), Environment: deploylog.Production, Status: deploylog.Deploying, Progress: 50, Version: "12.0.3", CurrentStep: "copying", DateStarted: began}
	v.runs[deploylog.Development] = deploylog.Run{ID: erp.IntID(2), Environment: deploylog.Development, Status: deploylog.Failed, Version: "\x1b[2Jx", ErrorMessage: "a\nb", DateStarted: began, DateCompleted: now, Duration: 5 * time.Second}
	require.NoError(t, v.draw(now))
	assert.Equal(t, "\r\x1b[2KPROD    [##########..........]  50 %  12.0.3  DEPLOYING: copying  1m30s\n"+
		"\r\x1b[2KDEV     [....................]   0 %  \uFFFD[2Jx  FAILED: a …  5s\n", out.String())
	out.Reset()
	require.NoError(t, v.draw(now))
	assert.True(t, strings.HasPrefix(out.String(), "\x1b[2A\r\x1b[2KPROD"), "the second time it draws over the first")
	assert.LessOrEqual(t, len([]rune(barLine(&deploylog.Run{Version: strings.Repeat("界", 400)}, now, 40))), 39)

	// An older run does not push the current one off the screen.
	require.NoError(t, v.show(deploylog.Change{Run: deploylog.Run{ID: erp.IntID(9), Environment: deploylog.Production, Status: deploylog.RolledBack}}))
	assert.Equal(t, erp.IntID(1), v.runs[deploylog.Production].ID)
}
