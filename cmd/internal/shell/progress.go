package shell

import (
	"sync/atomic"

	"github.com/schollz/progressbar/v3"
)

// ProgressBar shows steps on a terminal and is silent elsewhere.
type ProgressBar struct {
	bar   *progressbar.ProgressBar
	shown *atomic.Int64
}

// bar begins to show a bar, and counts it.
func (sh *Shell) bar(total, width int, name string, more ...progressbar.Option) ProgressBar {
	sh.bars.Add(1)
	return ProgressBar{progressbar.NewOptions(total, append(more,
		progressbar.OptionSetWriter(sh.Streams.Err),
		progressbar.OptionSetVisibility(Terminal(sh.Streams.Err)),
		progressbar.OptionSetDescription(name),
		progressbar.OptionEnableColorCodes(sh.coloured(sh.Streams.Err)),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(width),
		progressbar.OptionClearOnFinish(),
	)...), &sh.bars}
}

// Progress begins to show how many of total steps are done.
func (sh *Shell) Progress(total int, name string) ProgressBar { return sh.bar(total, 30, name) }

// RateOf begins to show how many things of a kind are done, how fast, and how long
// the rest takes. How many there are is said by the first Set.
func (sh *Shell) RateOf(name, things string) ProgressBar {
	return sh.bar(1, 20, name, progressbar.OptionShowIts(), progressbar.OptionSetItsString(things), progressbar.OptionSetPredictTime(true))
}

// A bar that cannot be drawn is no reason to stop, so its errors are dropped.

// Describe says what is being done.
func (p ProgressBar) Describe(text string) { p.bar.Describe(Printable(text)) }

// Set says how many steps are done, and of how many.
func (p ProgressBar) Set(done, total int) {
	p.bar.ChangeMax(max(total, 1))
	_ = p.bar.Set(done)
}

// Add says that one more is done.
func (p ProgressBar) Add() { _ = p.bar.Add(1) }

// Done takes the bar away.
func (p ProgressBar) Done() {
	p.shown.Add(-1)
	_ = p.bar.Finish()
}
