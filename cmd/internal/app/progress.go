package app

import (
	"github.com/schollz/progressbar/v3"
)

// progressBar shows steps on a terminal and is silent elsewhere.
type progressBar struct{ bar *progressbar.ProgressBar }

func (a *app) progress(total int, name string) progressBar {
	_, plain := a.env["NO_COLOR"]
	return progressBar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.streams.Err),
		progressbar.OptionSetVisibility(terminal(a.streams.Err)),
		progressbar.OptionSetDescription(name),
		progressbar.OptionEnableColorCodes(!plain),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)}
}

// A bar that cannot be drawn is no reason to stop, so its errors are dropped.

func (p progressBar) describe(text string) { p.bar.Describe(printable(text)) }

func (p progressBar) add() { _ = p.bar.Add(1) }

func (p progressBar) done() { _ = p.bar.Finish() }
