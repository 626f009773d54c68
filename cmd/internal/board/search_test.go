package board_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
)

// strike presses a printable key as a person does: what the page does with the
// key keeps it from being typed.
func (b *browser) strike(key string) {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		p := input.DispatchKeyEventParams{Type: kind, Key: key}
		if kind == input.DispatchKeyEventTypeKeyDown {
			p.Text = key
		}
		_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, p)
		require.NoError(b.t, err)
	}
}

// typeText types letter by letter into what has the focus.
func (b *browser) typeText(text string) {
	b.t.Helper()
	for _, r := range text {
		b.strike(string(r))
	}
}

const historyRows = "document.querySelectorAll('#history a.row').length"

// A search is reached by its key, finds what the whole log has by any of its
// texts, is in the address, and is told to those who do not see the list.
func TestBrowserSearch(t *testing.T) {
	w := start(t)
	record(t, w.log)
	b := newBrowser(t)
	b.open(w.url + "/deployments?period=24h")
	b.until(historyRows + " === 2")
	b.strike("/")
	b.until("document.activeElement.name === 'q' && document.activeElement.value === ''")
	b.typeText("hotfix")
	b.until("location.search === '?q=hotfix&period=24h'")
	b.until(historyRows + " === 1") // five days ago: the log is searched, not the period
	b.shows("#history", "12.0.3-hotfix")
	b.shows("#announce", "1 run found")
	b.shows("#shown", "found in the whole log")
	assert.Equal(t, "q", eval[string](b, "document.activeElement.name"), "the list took the focus away")
	b.shot("found")

	b.press(kb.Escape)
	b.until("location.search === '?period=24h'")
	b.until(historyRows + " === 2")
	b.script("history.back()")
	b.until("document.querySelector('[name=q]').value === 'hotfix'")
	b.until(historyRows + " === 1")

	for search, rows := range map[string]int{
		"SHIP-17 production": 4, "jörg 12.0.2": 1, "org.example.shipping failed": 2, "customs rolled": 1, "xx_shipment": 1, "nothing has this": 0,
	} {
		b.script("const q = document.querySelector('[name=q]'); q.value = %q; q.dispatchEvent(new Event('input', {bubbles: true}))", search)
		b.until("new URLSearchParams(location.search).get('q') === %q", search)
		b.until(historyRows+" === %d", rows)
		said := fmt.Sprintf("%d runs found", rows)
		switch rows {
		case 0:
			said = "No run found"
			b.shows("#history", "No run has all of "+search+".")
		case 1:
			said = "1 run found"
		}
		b.shows("#announce", said)
	}

	// A link with a search, an environment and a status; a run that comes and fits.
	b.open(w.url + "/deployments?q=12.0.4&env=STAGING&status=FAILED")
	b.until(historyRows + " === 1")
	assert.Equal(t, "12.0.4", eval[string](b, "document.querySelector('[name=q]').value"))
	b.open(w.url + "/deployments?q=carrier")
	b.shows("#history", "No run has all of carrier.")
	b.shows("#link", "live")
	for _, changes := range []string{"SHIP-30 something else", "SHIP-21 new Carrier"} {
		_, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Staging, Version: "12.0.5", Changes: changes})
		require.NoError(t, err)
	}
	b.shows("#history", "12.0.5")
	b.until(historyRows + " === 1")

	// The key is a letter where letters are typed, and in a dialog.
	b.script("document.querySelector('#history a').click()")
	b.until("document.querySelector('#detail').open")
	b.strike("/")
	assert.True(t, eval[bool](b, "document.activeElement.closest('#detail') !== null"))
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
	b := newBrowser(t)
	b.open(w.url + "/deployments")
	b.shows("#versions", "No version runs anywhere yet")
	deploy(deploylog.Staging, "12.0.3", "sales 1.0, stock 2.0", "first")
	deploy(deploylog.Production, "12.0.3", "sales 1.0, stock 2.0", "first")
	b.shows("#versions", "Production and Staging run the same version.")
	b.until("document.querySelectorAll('#versions .differs').length === 0")
	deploy(deploylog.Staging, "12.0.4", "sales 1.1", "SHIP-21 new carrier\nSHIP-22 <b>bold</b>")
	b.shows("#versions summary", "1 component the same")
	b.until("[...document.querySelectorAll('#versions .differs')].map((e) => e.querySelector('a').textContent).join() === '12.0.4,1.1'")
	b.shows("#versions .differs .quiet", "differs:")
	b.until("document.querySelectorAll('#versions details').length === 2")
	b.script("document.querySelectorAll('#versions summary')[1].click()")
	b.shows("#versions details[open] summary", "Promoting 12.0.4 from Staging to Production brings 1 run")
	b.shows("#versions details[open]", "SHIP-22 <b>bold</b>")
	b.shot("open")
	deploy(deploylog.Staging, "12.0.5", "stock 2.1", "SHIP-23")
	b.shows("#versions details[open] summary", "Promoting 12.0.5 from Staging to Production brings 2 runs")

	// The history tells versions and changes of a success, not its last step.
	b.shows("#history .why", "SHIP-23")
	assert.Equal(t, "Staging · 12.0.4 → 12.0.5", eval[string](b, "document.querySelector('#history .env').textContent"))
	assert.NotContains(t, eval[string](b, "document.querySelector('#history').textContent"), "copying plugins")
	assert.Contains(t, eval[string](b, "document.querySelector('#history').textContent"), "sales 1.1")

	// A log of a few minutes is not a line at the end of a month: the axis has minutes,
	// and the runs can be seen.
	b.until("document.querySelectorAll('#timeline .mark').length === 4")
	assert.Equal(t, "30d", eval[string](b, "document.querySelector('[name=period]').value"))
	ticks := eval[[]string](b, "[...document.querySelectorAll('#timeline .tick')].map((e) => e.textContent)")
	require.GreaterOrEqual(t, len(ticks), 3)
	for _, tick := range ticks[1:] {
		assert.Regexp(t, `\d\d:\d\d|[A-Z][a-z]+ \d+`, tick)
	}
	assert.GreaterOrEqual(t, eval[float64](b, "Math.min(...[...document.querySelectorAll('#timeline .mark rect')].map((e) => e.getBoundingClientRect().width))"), 7.5)
	b.shot("fresh")
}

// The axis begins with the first run of the period, and its ticks fit.
func TestBrowserAxis(t *testing.T) {
	w := start(t)
	b := newBrowser(t)
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
		b.open(w.url + "/deployments")
		b.until("document.querySelectorAll('#timeline .mark').length === %d", i+1)
		assert.Less(t, eval[float64](b, place), 0.08, "%s: the first run is where the axis begins", tt.name)
		ticks := eval[[]string](b, "[...document.querySelectorAll('#timeline .tick')].map((e) => e.textContent)")
		require.GreaterOrEqual(t, len(ticks), 3, tt.name)
		assert.LessOrEqual(t, len(ticks), 18, tt.name)
		for _, tick := range ticks {
			assert.Regexp(t, tt.tick, tick, tt.name)
		}
	}
	b.open(w.url + "/deployments?period=24h")
	b.until("document.querySelectorAll('#timeline .mark').length === 2")
	assert.Less(t, eval[float64](b, place), 0.08)
	// A run that began before the period and is under way takes all of it.
	_, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Staging, Version: "slow", At: now.Add(-48 * time.Hour)})
	require.NoError(t, err)
	b.until("document.querySelectorAll('#timeline .mark').length === 3")
	assert.InDelta(t, 19.0/24, eval[float64](b, "Math.min(...[...document.querySelectorAll('#timeline .mark.FAILED')].map((e) => Number(e.dataset.x))) / document.querySelector('#timeline svg').viewBox.baseVal.width"), 0.03)
}
