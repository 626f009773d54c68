package board_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
)

const historyRows = "document.querySelectorAll('#history a.row').length"

// A search is reached by its key, finds what the whole log has by any of its
// texts, is in the address, and is told to those who do not see the list.
func TestBrowserSearch(t *testing.T) {
	w := start(t)
	record(t, w.log)
	b := testbrowser.New(t)
	b.Open(w.url + "/deployments?period=24h")
	b.Until(historyRows + " === 2")
	b.Strike("/")
	b.Until("document.activeElement.name === 'q' && document.activeElement.value === ''")
	b.TypeText("hotfix")
	b.Until("location.search === '?q=hotfix&period=24h'")
	b.Until(historyRows + " === 1") // five days ago: the log is searched, not the period
	b.Shows("#history", "12.0.3-hotfix")
	b.Shows("#announce", "1 run found")
	b.Shows("#shown", "found in the whole log")
	assert.Equal(t, "q", testbrowser.Eval[string](b, "document.activeElement.name"), "the list took the focus away")
	b.Shot("found")

	b.Press(kb.Escape)
	b.Until("location.search === '?period=24h'")
	b.Until(historyRows + " === 2")
	b.Script("history.back()")
	b.Until("document.querySelector('[name=q]').value === 'hotfix'")
	b.Until(historyRows + " === 1")

	for search, rows := range map[string]int{
		"SHIP-17 production": 4, "jörg 12.0.2": 1, "org.example.shipping failed": 2, "customs rolled": 1, "xx_shipment": 1, "nothing has this": 0,
	} {
		b.Script("const q = document.querySelector('[name=q]'); q.value = %q; q.dispatchEvent(new Event('input', {bubbles: true}))", search)
		b.Until("new URLSearchParams(location.search).get('q') === %q", search)
		b.Until(historyRows+" === %d", rows)
		said := fmt.Sprintf("%d runs found", rows)
		switch rows {
		case 0:
			said = "No run found"
			b.Shows("#history", "No run has all of "+search+".")
		case 1:
			said = "1 run found"
		}
		b.Shows("#announce", said)
	}

	// A link with a search, an environment and a status; a run that comes and fits.
	b.Open(w.url + "/deployments?q=12.0.4&env=STAGING&status=FAILED")
	b.Until(historyRows + " === 1")
	assert.Equal(t, "12.0.4", testbrowser.Eval[string](b, "document.querySelector('[name=q]').value"))
	b.Open(w.url + "/deployments?q=carrier")
	b.Shows("#history", "No run has all of carrier.")
	b.Shows("#link", "live")
	for _, changes := range []string{"SHIP-30 something else", "SHIP-21 new Carrier"} {
		_, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Staging, Version: "12.0.5", Changes: changes})
		require.NoError(t, err)
	}
	b.Shows("#history", "12.0.5")
	b.Until(historyRows + " === 1")

	// The key is a letter where letters are typed, and in a dialog.
	b.Script("document.querySelector('#history a').click()")
	b.Until("document.querySelector('#detail').open")
	b.Strike("/")
	assert.True(t, testbrowser.Eval[bool](b, "document.activeElement.closest('#detail') !== null"))
}

// What runs where stands side by side with what differs marked, and what a
// promotion brings can be opened, and stays open when something changes.
func TestBrowserVersions(t *testing.T) {
	w := start(t)
	ctx := context.Background()
	deploy := func(env deploylog.Environment, version, components, changes string) {
		t.Helper()
		run, err := w.log.Start(ctx, deploylog.NewRun{Environment: env, Version: version, Components: components})
		require.NoError(t, err)
		_, err = w.log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying, CurrentStep: ptr("copying plugins")})
		require.NoError(t, err)
		_, err = w.log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success, Changes: changes})
		require.NoError(t, err)
	}
	b := testbrowser.New(t)
	b.Open(w.url + "/deployments")
	b.Shows("#versions", "No version runs anywhere yet")
	deploy(deploylog.Staging, "12.0.3", "sales 1.0, stock 2.0", "first")
	deploy(deploylog.Production, "12.0.3", "sales 1.0, stock 2.0", "first")
	b.Shows("#versions", "Production and Staging run the same version.")
	b.Until("document.querySelectorAll('#versions .differs').length === 0")
	deploy(deploylog.Staging, "12.0.4", "sales 1.1", "SHIP-21 new carrier\nSHIP-22 <b>bold</b>")
	b.Shows("#versions summary", "1 component the same")
	b.Until("[...document.querySelectorAll('#versions .differs')].map((e) => e.querySelector('a').textContent).join() === '12.0.4,1.1'")
	b.Shows("#versions .differs .quiet", "differs:")
	b.Until("document.querySelectorAll('#versions details').length === 2")
	b.Script("document.querySelectorAll('#versions summary')[1].click()")
	b.Shows("#versions details[open] summary", "Promoting 12.0.4 from Staging to Production brings 1 run")
	b.Shows("#versions details[open]", "SHIP-22 <b>bold</b>")
	b.Shot("open")
	deploy(deploylog.Staging, "12.0.5", "stock 2.1", "SHIP-23")
	b.Shows("#versions details[open] summary", "Promoting 12.0.5 from Staging to Production brings 2 runs")

	// The history tells versions and changes of a success, not its last step.
	b.Shows("#history .why", "SHIP-23")
	assert.Equal(t, "Staging · 12.0.4 → 12.0.5", testbrowser.Eval[string](b, "document.querySelector('#history .env').textContent"))
	assert.NotContains(t, testbrowser.Eval[string](b, "document.querySelector('#history').textContent"), "copying plugins")
	assert.Contains(t, testbrowser.Eval[string](b, "document.querySelector('#history').textContent"), "sales 1.1")

	// A log of a few minutes is not a line at the end of a month: the axis has minutes,
	// and the runs can be seen.
	b.Until("document.querySelectorAll('#timeline .mark').length === 4")
	assert.Equal(t, "30d", testbrowser.Eval[string](b, "document.querySelector('[name=period]').value"))
	ticks := testbrowser.Eval[[]string](b, "[...document.querySelectorAll('#timeline .tick')].map((e) => e.textContent)")
	require.GreaterOrEqual(t, len(ticks), 3)
	for _, tick := range ticks[1:] {
		assert.Regexp(t, `\d\d:\d\d|[A-Z][a-z]+ \d+`, tick)
	}
	assert.GreaterOrEqual(t, testbrowser.Eval[float64](b, "Math.min(...[...document.querySelectorAll('#timeline .mark rect')].map((e) => e.getBoundingClientRect().width))"), 7.5)
	b.Shot("fresh")
}

// The axis begins with the first run of the period, and its ticks fit.
func TestBrowserAxis(t *testing.T) {
	w := start(t)
	b := testbrowser.New(t)
	const place = "Math.min(...[...document.querySelectorAll('#timeline .mark')].map((e) => Number(e.dataset.x))) / document.querySelector('#timeline svg').viewBox.baseVal.width"
	now := time.Now().UTC()
	for i, tt := range []struct {
		name string
		ago  time.Duration
		tick string // of the first ticks
	}{
		{"twenty minutes", 20 * time.Minute, `^\d\d:\d\d|^[A-Z]`},
		{"five hours", 5 * time.Hour, `^\d\d:(00|30)|^[A-Z]`},
		{"three days", 72 * time.Hour, `^\d\d:00|^[A-Z][a-z]+ \d+$`},
		{"three weeks", 21 * 24 * time.Hour, `^[A-Z][a-z]+ \d+$`},
	} {
		run, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Production, Version: tt.name, BuildNo: string(rune('a' + i)), At: now.Add(-tt.ago)})
		require.NoError(t, err)
		_, err = w.log.Complete(context.Background(), run.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "no", At: now.Add(-tt.ago + time.Minute)})
		require.NoError(t, err)
		b.Open(w.url + "/deployments")
		b.Until("document.querySelectorAll('#timeline .mark').length === %d", i+1)
		assert.Less(t, testbrowser.Eval[float64](b, place), 0.08, "%s: the first run is where the axis begins", tt.name)
		ticks := testbrowser.Eval[[]string](b, "[...document.querySelectorAll('#timeline .tick')].map((e) => e.textContent)")
		require.GreaterOrEqual(t, len(ticks), 3, tt.name)
		assert.LessOrEqual(t, len(ticks), 18, tt.name)
		for _, tick := range ticks {
			assert.Regexp(t, tt.tick, tick, tt.name)
		}
	}
	b.Open(w.url + "/deployments?period=24h")
	b.Until("document.querySelectorAll('#timeline .mark').length === 2")
	assert.Less(t, testbrowser.Eval[float64](b, place), 0.08)
	// A run that began before the period and is under way takes all of it.
	_, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Staging, Version: "slow", At: now.Add(-48 * time.Hour)})
	require.NoError(t, err)
	b.Until("document.querySelectorAll('#timeline .mark').length === 3")
	assert.InDelta(t, 19.0/24, testbrowser.Eval[float64](b, "Math.min(...[...document.querySelectorAll('#timeline .mark.FAILED')].map((e) => Number(e.dataset.x))) / document.querySelector('#timeline svg').viewBox.baseVal.width"), 0.03)
}
