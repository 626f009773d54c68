package deploylog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// InventoryQuery says whose environments to read. The zero value is all.
type InventoryQuery struct {
	Environments []Environment // empty: all
	Client       erp.ID        // tenant; zero: all that the role may see
	// Depth is the number of runs of each environment that are read, the newest first;
	// 0: 300. What was deployed before them is not found.
	Depth int
}

// Inventory lists the installations in the environments of one tenant, according to
// the log.
type Inventory struct {
	Client       erp.Ref
	Environments []Installation // those that have any, in the order of [Environments]
}

// MarshalJSON writes the inventory with its tenant as id and name.
func (inv Inventory) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Client       *refJSON       `json:"client,omitempty"`
		Environments []Installation `json:"environments"`
	}{refToJSON(inv.Client), inv.Environments})
}

// Installation is the version that runs in one environment, with its components.
type Installation struct {
	Environment Environment `json:"environment"`
	// Version is the version of the last SUCCESS, or the one the last ROLLED_BACK went
	// back to.
	Version string    `json:"version"`
	Since   time.Time `json:"since,omitzero"`
	RunID   erp.ID    `json:"runId,omitzero"` // the run that brought it
	// Components are the components that the runs in effect named, by name.
	Components []InstalledComponent `json:"components"`
	// Complete tells that all runs of the environment were looked at.
	Complete bool `json:"complete"`

	runs []Run // in effect, the newest first
}

// InstalledComponent is a component as the newest run that named it brought it;
// its version is that of the run where the text tells none.
type InstalledComponent struct {
	Component
	Since time.Time `json:"since,omitzero"`
	RunID erp.ID    `json:"runId,omitzero"`
}

const inventoryDepth = 300

// Inventory reads which versions and components run in each environment of each
// tenant, tenants by name.
func (l *Log) Inventory(ctx context.Context, q InventoryQuery) ([]Inventory, error) {
	var environments []Environment
	for _, name := range q.Environments {
		env, err := l.environment(ctx, name)
		if err != nil {
			return nil, err
		}
		environments = append(environments, env)
	}
	if len(environments) == 0 {
		var err error
		if environments, err = l.environmentsOf(ctx, ""); err != nil {
			return nil, err
		}
	}
	depth := cmp.Or(max(q.Depth, 0), inventoryDepth)
	runs := make([][]Run, len(environments))
	complete := make([]bool, len(environments))
	if err := each(environments, func(i int, env Environment) (err error) {
		runs[i], complete[i], err = l.deployed(ctx, env, q.Client, depth)
		return err
	}); err != nil {
		return nil, fmt.Errorf("reading what runs where: %w", err)
	}
	byClient := map[string]*Inventory{}
	for i, env := range environments {
		parts := map[string][]Run{}
		for _, run := range runs[i] {
			key := run.Client.ID.String()
			parts[key] = append(parts[key], run)
			if byClient[key] == nil {
				byClient[key] = &Inventory{Client: run.Client}
			}
		}
		for key, list := range parts {
			byClient[key].Environments = append(byClient[key].Environments, installation(env, list, complete[i]))
		}
	}
	all := []Inventory{}
	for _, inv := range byClient {
		slices.SortFunc(inv.Environments, func(a, b Installation) int { return a.Environment.Compare(b.Environment) })
		all = append(all, *inv)
	}
	slices.SortFunc(all, func(a, b Inventory) int {
		return cmp.Or(strings.Compare(a.Client.Identifier, b.Client.Identifier), strings.Compare(a.Client.ID.String(), b.Client.ID.String()))
	})
	return all, nil
}

// deployed are the newest runs of an environment that say what runs in it, by
// when they ended.
func (l *Log) deployed(ctx context.Context, env Environment, client erp.ID, depth int) (runs []Run, complete bool, err error) {
	for run, err := range l.newest(ctx, within(env, client).And(done()), "DateCompleted", time.Time{}, depth+1) {
		if err != nil {
			return nil, false, err
		}
		if len(runs) == depth {
			return runs, false, nil
		}
		runs = append(runs, run)
	}
	return runs, true, nil
}

// installation is what the runs of one environment, the newest first, left in
// it; there is at least one.
func installation(env Environment, runs []Run, complete bool) Installation {
	in := Installation{Environment: env, Version: runs[0].RunningAfter(), Since: runs[0].DateCompleted, RunID: runs[0].ID, Components: []InstalledComponent{}, Complete: complete, runs: inEffect(runs)}
	if runs[0].Status == RolledBack {
		in.Since = runs[0].RolledBackAt()
	}
	known := map[string]bool{}
	for _, run := range in.runs {
		for _, c := range ParseComponents(run.Components) {
			if !known[c.Name] && len(known) < maxComponents {
				known[c.Name] = true
				c.Version = cmp.Or(c.Version, run.Version)
				in.Components = append(in.Components, InstalledComponent{c, run.DateCompleted, run.ID})
			}
		}
	}
	slices.SortFunc(in.Components, func(a, b InstalledComponent) int { return strings.Compare(a.Name, b.Name) })
	return in
}

// inEffect are the runs whose outcome is still there: not those that were rolled
// back, nor those that a rollback to an older version took back with it.
func inEffect(runs []Run) []Run {
	var list []Run
	for i := 0; i < len(runs); i++ {
		if runs[i].Status == Success {
			list = append(list, runs[i])
			continue
		}
		back := runs[i].VersionPrevious
		older := slices.IndexFunc(runs[i+1:], func(r Run) bool { return r.Status == Success && r.Version == back })
		if back != "" && older > 0 {
			i += older // the loop goes on with the run of that version
		}
	}
	return list
}
