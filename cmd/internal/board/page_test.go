package board_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/board"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
	"github.com/erphub/erphub/internal/testkit/testproc"
)

const prod = `[data-key="PROD"]`

// record makes runs of the past, so that there is something to see.
func record(t testing.TB, log *deploylog.Log) {
	t.Helper()
	now := time.Now().UTC()
	type past struct {
		env             deploylog.Environment
		version         string
		ago, build, run time.Duration
		end             deploylog.State
		why             string
	}
	runs := []past{
		{deploylog.Development, "12.0.4-rc.1", 50 * time.Hour, 6 * time.Minute, 9 * time.Minute, deploylog.Success, ""},
		{deploylog.Development, "12.0.4-rc.2", 26 * time.Hour, 5 * time.Minute, 0, deploylog.Failed, "compile: 3 errors in org.example.shipping"},
		{deploylog.Development, "12.0.4-rc.3", 20 * time.Hour, 6 * time.Minute, 8 * time.Minute, deploylog.Success, ""},
		{deploylog.Development, "12.0.5-dev.7", 3 * time.Hour, 7 * time.Minute, 7 * time.Minute, deploylog.Success, ""},
		{deploylog.Staging, "12.0.2", 16 * 24 * time.Hour, 12 * time.Minute, 20 * time.Minute, deploylog.Success, ""},
		{deploylog.Staging, "12.0.3", 9 * 24 * time.Hour, 11 * time.Minute, 25 * time.Minute, deploylog.Success, ""},
		{deploylog.Staging, "12.0.4", 30 * time.Hour, 11 * time.Minute, 18 * time.Minute, deploylog.Failed, "migration 202603141200_shipping.sql: relation \"xx_shipment\" already exists\nat line 14\nthe database was left as it was"},
		{deploylog.Production, "12.0.1", 24 * 24 * time.Hour, 12 * time.Minute, 40 * time.Minute, deploylog.Success, ""},
		{deploylog.Production, "12.0.2", 15 * 24 * time.Hour, 12 * time.Minute, 38 * time.Minute, deploylog.Success, ""},
		{deploylog.Production, "12.0.3", 6 * 24 * time.Hour, 13 * time.Minute, 41 * time.Minute, deploylog.RolledBack, "orders could not be completed"},
		{deploylog.Production, "12.0.3-hotfix", 5 * 24 * time.Hour, 12 * time.Minute, 35 * time.Minute, deploylog.Success, ""},
	}
	for i, p := range runs {
		began := now.Add(-p.ago)
		run, err := log.Start(t.Context(), deploylog.NewRun{
			Environment: p.env, Version: p.version, BuildNo: fmt.Sprint(100 + i), BuildURL: fmt.Sprintf("https://ci.example.com/erp/%d", 100+i),
			DeployedBy: []string{"anna", "build server", "Jörg Müller"}[i%3], At: began,
			Components: "org.example.shipping at " + began.Add(-7*time.Hour).Format(time.RFC3339),
			Changes:    "SHIP-12 labels in three languages\nSHIP-17 customs form",
		})
		require.NoError(t, err)
		if p.run > 0 {
			_, err = log.Update(t.Context(), run.ID, deploylog.Update{Status: deploylog.Deploying, At: began.Add(p.build)})
			require.NoError(t, err)
		}
		done := began.Add(p.build + p.run)
		end := deploylog.Completion{Status: p.end, ErrorMessage: p.why, At: done}
		if p.end == deploylog.RolledBack {
			end.Status, end.ErrorMessage = deploylog.Success, ""
		}
		_, err = log.Complete(t.Context(), run.ID, end)
		require.NoError(t, err)
		if p.end == deploylog.RolledBack {
			_, err = log.Rollback(t.Context(), run.ID, deploylog.Rollback{Reason: p.why, At: done.Add(90 * time.Minute)})
			require.NoError(t, err)
		}
	}
}

// program builds erphub; what it returns runs `erphub env deploy` as a build
// server would and gives what it prints.
func program(t *testing.T, w *world) func(args ...string) string {
	t.Helper()
	path := testproc.Program(t, "erphub")
	token, err := w.erp.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	folder := t.TempDir()
	return func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, append([]string{"env", "deploy"}, args...)...)
		cmd.Dir = folder
		cmd.Env = []string{"ERPHUB_CONFIG=" + filepath.Join(folder, "config.yaml"), "ERP_URL=" + w.erp.URL(), "ERP_TOKEN=" + token}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, "%v: %s", args, &stderr)
		return strings.TrimSpace(string(out))
	}
}

// A run that the command line records is followed from its start to its
// rollback in a page that is never loaded again.
func TestBrowserFollowsARun(t *testing.T) {
	w := start(t)
	record(t, w.log)
	erphub := program(t, w)
	b := testbrowser.New(t)
	b.Open(w.url + "/deployments")
	b.Shows("#link", "live")
	b.Shows(prod, "12.0.3-hotfix")
	b.Shows("#measures", "4 per month")
	b.Until("document.querySelectorAll('#timeline .mark').length === 11")
	b.Until("document.querySelectorAll('#history li').length === 11")
	b.Shot("light")
	b.Scheme("dark")
	b.Shot("dark")
	b.Scheme("light")
	b.Script("globalThis.unchanged = true")

	id := erphub("start", "--env", "PROD", "--version", "12.0.4", "--deployed-by", "anna", "--ci-build", "118", "--ci-url", "https://ci.example.com/erp/118",
		"--step", "compiling", "--changes", "SHIP-21 new carrier")
	b.Shows(prod+" .now .chip", "Building")
	b.Shows(prod+" .now .version", "12.0.4")
	b.Shows("#announce", "Production: 12.0.4 Building")
	b.Until("document.title === '(1) Deployments'")

	erphub("update", "--id", id, "--status", "DEPLOYING", "--step", "copying plugins")
	b.Shows(prod+" .now .chip", "Deploying")
	for _, progress := range []int{20, 65} {
		step := fmt.Sprintf("plugin %d of 100", progress)
		erphub("update", "--id", id, "--progress", strconv.Itoa(progress), "--step", step)
		b.Until("document.querySelector('%s progress')?.value === %d", prod, progress)
		b.Shows(prod+" .step", step)
	}
	b.Until("document.querySelector('#history li .chip').textContent === 'Deploying'")
	b.Until("document.querySelectorAll('#timeline .mark.DEPLOYING').length === 1")
	b.Shot("deploying")

	// While the run is open in detail, it fails.
	b.Script("document.querySelector('%s .now a').click()", prod)
	b.Shows("#detail[open] h2", "12.0.4")
	b.Shows("#detail", "SHIP-21 new carrier")
	erphub("complete", "--id", id, "--status", "FAILED", "--error", "health check: 503 after 120 s\nthe last response was:\n  no plugin org.example.shipping")
	b.Shows("#detail .chip", "Failed")
	b.Shows("#detail .block.bad pre", "no plugin org.example.shipping")
	b.View("detail")
	b.Press(kb.Escape)
	b.Until("!document.querySelector('#detail').open && location.hash === ''")
	b.Shows(prod+" .now .chip", "Failed")
	b.Shows(prod+" .excerpt", "health check: 503")
	b.Shows(prod+" .runs", "12.0.3-hotfix")
	b.Shot("failed-run")

	erphub("rollback", "--id", id, "--reason", "health check failed")
	b.Shows(prod+" .now .chip", "Rolled back")
	b.Shows("#history li .chip", "Rolled back")
	b.Shows("#announce", "Production: 12.0.4 Rolled back")
	b.Shot("rolled-back")
	assert.True(t, testbrowser.Eval[bool](b, "globalThis.unchanged === true"), "the page was loaded again")
}

// What is shown is in the address: filters, and the run in detail.
func TestBrowserFiltersAndLinks(t *testing.T) {
	w := start(t)
	record(t, w.log)
	b := testbrowser.New(t, "404 (Not Found)") // of the run that is not there
	b.Open(w.url + "/deployments?env=STAGING&status=FAILED&period=7d")
	b.Until("document.querySelectorAll('#history a.row').length === 1")
	b.Shows("#history", "12.0.4")
	b.Until("document.querySelectorAll('#cards article').length === 1 && document.querySelector('#cards').textContent.includes('Staging')")
	href := testbrowser.Eval[string](b, "document.querySelector('#history a').hash")
	require.True(t, strings.HasPrefix(href, "#run/"), href)

	choose := func(name, value string) {
		t.Helper()
		b.Script("const s = document.querySelector('[name=%s]'); s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true}))", name, value)
	}
	choose("env", "DEV")
	b.Until("location.search === '?env=DEV&status=FAILED&period=7d'")
	b.Shows("#history", "12.0.4-rc.2")
	choose("status", "BUILDING")
	b.Shows("#history", "No run of the period matches.")
	b.Script("history.back()")
	b.Shows("#history", "12.0.4-rc.2")
	b.Until("document.querySelector('[name=status]').value === 'FAILED'")

	// A run in the address is opened at once; its end is the page below.
	b.Open(w.url + "/deployments?env=DEV" + href)
	b.Shows("#detail[open] pre", `relation "xx_shipment" already exists`)
	b.Until("document.activeElement.closest('#detail')")
	b.Press(kb.Escape)
	b.Until("location.hash === '' && location.search === '?env=DEV'")
	b.Open(w.url + "/deployments#run/999999999")
	b.Shows("#detail[open]", "there is no run 999999999")
	b.Open(w.url + "/deployments?env=%3Cscript%3E&client=x&period=zz#run/../../healthz")
	b.Shows(prod, "12.0.3-hotfix")
	assert.False(t, testbrowser.Eval[bool](b, "document.querySelector('#detail').open"))
}

// Everything can be done without a mouse.
func TestBrowserKeyboard(t *testing.T) {
	w := start(t)
	record(t, w.log)
	b := testbrowser.New(t)
	b.Open(w.url + "/deployments")
	b.Until("document.querySelectorAll('#timeline .mark').length === 11")
	b.Press(kb.Tab)
	assert.Equal(t, "skip", testbrowser.Eval[string](b, "document.activeElement.className"))
	assert.Equal(t, 1, testbrowser.Eval[int](b, "document.querySelectorAll('#timeline .mark[tabindex=\"0\"]').length"), "one stop for the whole picture")
	for range 60 {
		if testbrowser.Eval[bool](b, "document.activeElement.matches('.mark')") {
			break
		}
		b.Press(kb.Tab)
	}
	require.True(t, testbrowser.Eval[bool](b, "document.activeElement.matches('.mark')"), "the timeline cannot be reached")
	last := testbrowser.Eval[string](b, "document.activeElement.getAttribute('aria-label')")
	assert.Contains(t, last, "Development, Success")
	b.Press(kb.ArrowLeft)
	assert.NotEqual(t, last, testbrowser.Eval[string](b, "document.activeElement.getAttribute('aria-label')"))
	b.Press(kb.Home)
	b.View("focus")
	focused := testbrowser.Eval[string](b, "document.activeElement.getAttribute('href')")
	b.Press(kb.Enter)
	b.Until("document.querySelector('#detail').open && location.hash === %q", focused)
	b.Until("document.activeElement.closest('#detail')")
	for range 20 {
		b.Press(kb.Tab)
		inside := testbrowser.Eval[bool](b, "document.activeElement === document.body || document.activeElement.closest('#detail') !== null")
		require.True(t, inside, "the focus left the dialog")
	}
	b.Press(kb.Escape)
	b.Until("!document.querySelector('#detail').open")
	assert.Equal(t, focused, testbrowser.Eval[string](b, "document.activeElement.getAttribute('href')"), "the focus is back where it was")

	// A change elsewhere does not take the focus away.
	_, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Production, Version: "13.0.0"})
	require.NoError(t, err)
	b.Shows("#history", "13.0.0")
	assert.Equal(t, focused, testbrowser.Eval[string](b, "document.activeElement.getAttribute('href')"))

	// Controls and pictures have names, headings are in order, ids are unique.
	assert.Empty(t, testbrowser.Eval[[]string](b, `[...document.querySelectorAll('a,button,select,progress,dialog[open],svg[role]')]
		.filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label') || e.getAttribute('aria-labelledby')))
		.map((e) => e.outerHTML.slice(0, 100))`))
	assert.Equal(t, 1, testbrowser.Eval[int](b, "document.querySelectorAll('h1').length"))
	assert.Empty(t, testbrowser.Eval[[]string](b, `[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)`))
}

// hostile are texts as runs may bring them.
var hostile = struct{ version, step, by, components, changes, failure, url string }{
	version:    `<img src=x onerror=alert(1)>`,
	step:       `"><script>globalThis.hacked = true</script>`,
	by:         "\u202Eevil\u202D' onmouseover='globalThis.hacked=1",
	components: "{{constructor.constructor('globalThis.hacked=1')()}}",
	changes:    "إصدار جديد: تحسينات في الشحن\nשורה בעברית\n" + strings.Repeat("W", 3000),
	failure:    "</pre></dialog><style>*{display:none}</style>\n" + strings.Repeat("very long line without an end ", 300),
	url:        "javascript:globalThis.hacked=true",
}

// Text of runs is text: nothing of it becomes markup or runs, and none breaks
// the page, however long or whatever direction it has.
func TestBrowserShowsHostileTextAsText(t *testing.T) {
	w := start(t)
	b := testbrowser.New(t)
	b.Open(w.url + "/deployments")
	b.Shows("#link", "live")
	ctx := context.Background()
	elements := testbrowser.Eval[string](b, "[...new Set([...document.querySelectorAll('*')].map((e) => e.localName))].sort().join()")
	require.NotContains(t, elements, "style")

	bad, err := w.log.Start(ctx, deploylog.NewRun{
		Environment: deploylog.Production, Version: hostile.version, CurrentStep: hostile.step, DeployedBy: hostile.by,
		Components: hostile.components, Changes: hostile.changes, BuildNo: "<b>7</b>", AutomationURL: "https://ci.example.com/\u202E?a=\"><script>",
	})
	require.NoError(t, err)
	// What this module would not write, others may.
	_, err = login(t, w.erp.URL()).Update(ctx, deploylog.TableName, bad.ID, map[string]any{"Ci_URL": hostile.url})
	require.NoError(t, err)
	b.Shows(prod+" .now .version", hostile.version)
	b.Shows(prod+" .now .step", hostile.step)
	b.Shows(prod+" .now", "\uFFFDevil\uFFFD' onmouseover") // nothing may turn the letters of others around
	_, err = w.log.Complete(ctx, bad.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: hostile.failure})
	require.NoError(t, err)
	other, err := w.log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, Version: hostile.version, Components: hostile.version + " 1, " + strings.Repeat("W", 180) + "\n" + hostile.components})
	require.NoError(t, err)
	wide, err := w.log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, Version: strings.Repeat("W", 40), CurrentStep: strings.Repeat("MM", 120), DeployedBy: strings.Repeat("@", 100)})
	require.NoError(t, err)
	for _, run := range []deploylog.Run{other, wide} { // they are shown side by side, too; of one second, the later one runs
		_, err = w.log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying})
		require.NoError(t, err)
		_, err = w.log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success, Changes: hostile.changes})
		require.NoError(t, err)
	}
	b.Shows("#versions", hostile.version)
	_, err = w.log.Start(ctx, deploylog.NewRun{Environment: deploylog.Development, Version: "إصدار ١٢٫٠٫٤", CurrentStep: "نسخ الملحقات إلى الخادم", DeployedBy: "שרה"})
	require.NoError(t, err)
	b.Shows(`[data-key="STAGING"]`, strings.Repeat("W", 40))
	b.Shows(`[data-key="DEV"]`, "إصدار ١٢٫٠٫٤")
	b.Shot("hostile")

	for _, size := range [][2]int64{{1280, 900}, {768, 1024}, {360, 740}} {
		b.Viewport(size[0], size[1])
		b.Until("document.documentElement.clientWidth === %d", size[0])
		assert.LessOrEqual(t, testbrowser.Eval[int64](b, "document.documentElement.scrollWidth"), size[0], "the page is wider than the window of %d", size[0])
	}
	b.Shot("hostile-phone")
	for _, run := range []string{bad.ID.String(), wide.ID.String()} {
		b.Script("location.hash = '#run/%s'", run)
		b.Shows("#detail[open]", "run "+run)
		assert.LessOrEqual(t, testbrowser.Eval[int64](b, "document.querySelector('#detail').scrollWidth"), int64(360), "the detail is wider than the window")
	}
	b.Script("location.hash = '#run/%s'", bad.ID)
	b.Shows("#detail .bad pre", "</pre></dialog><style>")
	b.Shows("#detail .facts", "<b>7</b> (javascript:")
	b.Viewport(1280, 900)
	b.View("hostile-detail")
	assert.Equal(t, []string{"https:"}, testbrowser.Eval[[]string](b, "[...document.querySelectorAll('#detail .facts a')].map((a) => a.protocol)"), "only web addresses are links")
	assert.Equal(t, "undefined", testbrowser.Eval[string](b, "typeof globalThis.hacked"))
	assert.Equal(t, 0, testbrowser.Eval[int](b, "document.querySelectorAll('style, main img, main script, dialog img, dialog script').length"))
	assert.Equal(t, "rtl", testbrowser.Eval[string](b, `getComputedStyle(document.querySelector('[data-key="DEV"] .now bdi')).direction`))
}

// On a phone everything is there, and large enough for a thumb.
func TestBrowserPhone(t *testing.T) {
	w := start(t)
	record(t, w.log)
	b := testbrowser.New(t)
	b.Viewport(390, 844)
	b.Open(w.url + "/deployments")
	b.Shows(prod, "12.0.3-hotfix")
	run, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Staging, Version: "12.0.5", DeployedBy: "anna", CurrentStep: "compiling"})
	require.NoError(t, err)
	_, err = w.log.Update(context.Background(), run.ID, deploylog.Update{Progress: ptr(42)})
	require.NoError(t, err)
	b.Shows("#history", "12.0.5")
	assert.LessOrEqual(t, testbrowser.Eval[int](b, "document.documentElement.scrollWidth"), 390)
	assert.GreaterOrEqual(t, testbrowser.Eval[float64](b, "Math.min(...[...document.querySelectorAll('select')].filter((s) => s.offsetParent).map((s) => s.getBoundingClientRect().height))"), 44.0)
	b.Scheme("dark")
	b.Shot("dark")
	b.Scheme("light")
	b.Shot("light")
	b.Script("location.hash = '#run/%s'", run.ID)
	b.Shows("#detail[open]", "12.0.5")
	assert.InDelta(t, 390, testbrowser.Eval[float64](b, "document.querySelector('#detail').getBoundingClientRect().width"), 1)
	b.View("detail")
}

// Text and signs stand out from what is behind them, in light and in dark:
// 4.5 to 1 at least, as WCAG 2.2 AA wants.
func TestBrowserContrast(t *testing.T) {
	w := start(t)
	record(t, w.log)
	_, err := w.log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Staging, Version: "12.0.5", CurrentStep: "compiling"})
	require.NoError(t, err)
	b := testbrowser.New(t)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Open(w.url + "/deployments")
		b.Until("document.querySelectorAll('#history li').length === 12 && document.querySelector('#measures dd') && document.querySelector('.now.BUILDING')")
		assert.Empty(t, testbrowser.Eval[[]string](b, contrastScript), scheme)
	}
}

// contrastScript lists the texts whose contrast is too low.
const contrastScript = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
	const over = (stack) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const colour of stack) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255);
	};
	const light = (rgb) => rgb.map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const bad = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let seen = 0;
	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		const e = node.parentElement;
		if (!node.data.trim() || !e.checkVisibility() || e.closest('.quiet, .skip, svg, progress, option, noscript')) continue;
		const stack = [];
		for (let up = e; up; up = up.parentElement) stack.unshift(getComputedStyle(up).backgroundColor);
		const [a, b] = [light(over(stack)), light(over([...stack, getComputedStyle(e).color]))];
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		seen++;
		if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + e.className + ': ' + node.data.slice(0, 40));
	}
	return seen > 100 ? bad : ['only ' + seen + ' texts were looked at'];
})()`

// The page says when the ERP is away, and goes on by itself when it is back,
// with what happened meanwhile.
func TestBrowserSurvivesOutages(t *testing.T) {
	w := start(t)
	record(t, w.log)
	b := testbrowser.New(t, "Failed to load resource") // it is what the test is about
	b.Open(w.url + "/deployments")
	b.Shows("#link", "live")
	b.Shows(prod, "12.0.3-hotfix")
	b.Until("document.querySelector('#problem').hidden")
	away := w.erp.Faults().On(erptest.Match{Path: "/models/..."}, erptest.CutBefore())
	b.Shows("#problem", "The ERP does not respond.")
	b.Shows("#link", "ERP away")
	b.Shows(prod, "12.0.3-hotfix") // what was known stays
	b.Shot("away")
	away.Remove()
	b.Shows("#link", "live")
	b.Until("document.querySelector('#problem').hidden")
	_, err := w.log.Start(context.Background(), deploylog.NewRun{Environment: deploylog.Production, Version: "12.1.0"})
	require.NoError(t, err)
	b.Shows(prod, "12.1.0")
}

// An ERP that responds is not called away when it is the log that is missing,
// and once that is installed nothing says that it is missing any more, however
// long the server itself was not to look again.
func TestBrowserNoticesTheInstallation(t *testing.T) {
	srv := erptest.New(t)
	w := serve(t, srv, &board.Options{Every: time.Hour, Timeout: time.Minute})
	b := testbrowser.New(t, "Failed to load resource") // it is what the test is about
	b.Open(w.url + "/deployments")
	b.Shows("#link", "not installed")
	b.Shows("#problem", "env deploy install")
	install(t, srv)
	b.Shows("#link", "live")
	b.Until("document.querySelector('#problem').hidden")
	b.Shows(prod, "no run is recorded here yet")
}
