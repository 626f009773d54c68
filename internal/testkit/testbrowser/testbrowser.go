// Package testbrowser drives a headless browser in tests of pages.
package testbrowser

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
	"github.com/chromedp/cdproto/input"
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
	t.Skip("SKIPPED: the test of a page, because there is no browser; install the package chromium")
	return ""
}

// Browser is a page of a headless browser.
type Browser struct {
	t   testing.TB
	ctx context.Context
	dir string // for screenshots
}

// New starts a browser. What its page complains of on the console, what
// its policy had to stop and every script that fails, fails the test, except
// for what the test says is to be expected.
func New(t *testing.T, expected ...string) *Browser {
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
	b := &Browser{t, ctx, dir}
	b.Viewport(1280, 900)
	b.Scheme("light")
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

// Do carries out actions.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// Viewport sets the size of the window.
func (b *Browser) Viewport(width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Open goes to an address.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url))
}

// Eval is the value of a JavaScript expression.
func Eval[T any](b *Browser, format string, args ...any) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	return v
}

// Script runs JavaScript in the page.
func (b *Browser) Script(format string, args ...any) {
	b.t.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void]("{" + fmt.Sprintf(format, args...) + "}"))
}

// Until waits until a JavaScript expression is true of the page. The page's
// policy allows no making of functions from text, so the wait is a script of
// its own.
func (b *Browser) Until(format string, args ...any) {
	b.t.Helper()
	expr := fmt.Sprintf(format, args...)
	ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`(async () => {
		for (const end = Date.now() + 20000; Date.now() < end; await new Promise((r) => setTimeout(r, 15))) {
			if (`+expr+`) return true;
		}
		return false;
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || !ok {
		b.Shot("failed")
		b.t.Fatalf("the page never came to %s (%v); it shows:\n%s", expr, err, Eval[string](b, "document.body.innerText"))
	}
}

// Shows waits until an element shows the text.
func (b *Browser) Shows(selector, text string) {
	b.t.Helper()
	b.Until("document.querySelector(%q)?.textContent.includes(%q)", selector, text)
}

// Press presses a key.
func (b *Browser) Press(key string) {
	b.t.Helper()
	b.Do(chromedp.KeyEvent(key))
}

// Strike presses a printable key as a person does: what the page does with the
// key keeps it from being typed.
func (b *Browser) Strike(key string) {
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

// TypeText types letter by letter into what has the focus.
func (b *Browser) TypeText(text string) {
	b.t.Helper()
	for _, r := range text {
		b.Strike(string(r))
	}
}

// Shot keeps a picture of the whole page.
func (b *Browser) Shot(name string) {
	b.t.Helper()
	b.keep(name, b.picture(chromedp.FullScreenshot(100)))
}

// View keeps a picture of what the window shows.
func (b *Browser) View(name string) {
	b.t.Helper()
	b.keep(name, b.Picture())
}

// Picture is what the window shows, as PNG.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	return b.picture(chromedp.CaptureScreenshot())
}

func (b *Browser) picture(take chromedp.Action[[]byte]) []byte {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, take)
	require.NoError(b.t, err)
	require.Greater(b.t, len(png), 10_000, "a picture of nothing")
	return png
}

func (b *Browser) keep(name string, png []byte) {
	b.t.Helper()
	file := filepath.Join(b.dir, strings.ReplaceAll(b.t.Name(), "/", "_")+"-"+name+".png")
	require.NoError(b.t, os.WriteFile(file, png, 0o644))
	b.t.Logf("picture: %s", file)
}

// Scheme sets light or dark. Nothing moves on its own: pictures are of what
// comes to be, not of the way there.
func (b *Browser) Scheme(scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(b.t, err)
}
