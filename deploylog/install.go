package deploylog

import (
	"cmp"

	"github.com/erphub/erphub/dict"
)

// InstallOptions change what is installed. Nil and the zero value install
// everything.
type InstallOptions struct {
	// NoWindow leaves out the window in which people look at the log.
	NoWindow bool
	// Plan are options of the plan, nil for the defaults.
	Plan *dict.Options
}

// window is the window on the table.
func window() dict.Window {
	return dict.Window{
		Name:        "Deployment Log",
		Description: "What is built and deployed, where, since when, and how it went",
	}
}

// Plan makes the plan that brings the log into an ERP: the table with its
// columns, the lists of environments and statuses, the indexes and the window.
// Package dict/restdict runs it; it makes nothing twice.
func Plan(opts *InstallOptions) (*dict.Plan, error) {
	table := Table()
	opts = cmp.Or(opts, &InstallOptions{})
	if !opts.NoWindow {
		table = table.WithWindow(window())
	}
	return dict.NewPlan(opts.Plan, table)
}
