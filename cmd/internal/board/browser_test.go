package board_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chromium is the path of the browser, Debian's package chromium. Without it
// the test is skipped, except on a build server.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no chromium, and a build server must not skip tests: install the package chromium")
	}
	t.Skip("SKIPPED: the board in a browser, because there is no chromium; install the package chromium")
	return ""
}

// browser is a page of a headless browser.
type browser struct {
	t   testing.TB
	ctx context.Context
	dir string // for screenshots
}

// newBrowser starts a browser. What its page complains of on the console, what
// its policy had to stop and every script that fails, fails the test, except
// for what the test says is to be expected.
func newBrowser(t *testing.T, expected ...string) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("what runs in the browser is not ours to watch")
	}
	dir := os.Getenv("ERPHUB_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	alloc, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(chromium(t)), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("lang", "en-US"), chromedp.Env("TZ=UTC"))
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	b := &browser{t, ctx, dir}
	b.viewport(1280, 900)
	b.scheme("light")
	messages := chromedp.Console(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		for m, err := range messages {
			if err != nil {
				return // the browser ended
			}
			bad := m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning
			if bad && !slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(m.Text, e) }) {
				t.Errorf("the page complains: %s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line)
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		listening.Wait()
	})
	return b
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

func (b *browser) viewport(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// eval is the value of a JavaScript expression.
func eval[T any](b *browser, format string, args ...any) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	return v
}

// script runs JavaScript in the page.
func (b *browser) script(format string, args ...any) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void]("{" + fmt.Sprintf(format, args...) + "}"))
}

// until waits until a JavaScript expression is true of the page. The page's
// policy allows no making of functions from text, so the wait is a script of
// its own.
func (b *browser) until(format string, args ...any) {
	b.t.Helper()
	expr := fmt.Sprintf(format, args...)
	ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`(async () => {
		for (const end = Date.now() + 20000; Date.now() < end; await new Promise((r) => setTimeout(r, 15))) {
			if (`+expr+`) return true;
		}
		return false;
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || !ok {
		b.shot("failed")
		b.t.Fatalf("the page never came to %s (%v); it shows:\n%s", expr, err, eval[string](b, "document.body.innerText"))
	}
}

// shows waits until an element shows the text.
func (b *browser) shows(selector, text string) {
	b.t.Helper()
	b.until("document.querySelector(%q)?.textContent.includes(%q)", selector, text)
}

// press presses a key.
func (b *browser) press(key string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
}

// shot keeps a picture of the whole page.
func (b *browser) shot(name string) {
	b.t.Helper()
	b.keep(name, chromedp.FullScreenshot(100))
}

// view keeps a picture of what the window shows.
func (b *browser) view(name string) {
	b.t.Helper()
	b.keep(name, chromedp.CaptureScreenshot())
}

func (b *browser) keep(name string, picture chromedp.Action[[]byte]) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, picture)
	require.NoError(b.t, err)
	file := filepath.Join(b.dir, strings.ReplaceAll(b.t.Name(), "/", "_")+"-"+name+".png")
	require.NoError(b.t, os.WriteFile(file, png, 0o644))
	require.Greater(b.t, len(png), 10_000, "a picture of nothing")
	b.t.Logf("picture: %s", file)
}

// scheme sets light or dark. Nothing moves on its own: pictures are of what
// comes to be, not of the way there.
func (b *browser) scheme(scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(b.t, err)
}
