package deploylog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// Relation is the relation of the version of one environment to that of another.
type Relation string

// The relations of a [Promotion].
const (
	Same    Relation = "same"    // both run the same version
	Ahead   Relation = "ahead"   // From runs a version that comes after that of To
	Behind  Relation = "behind"  // From runs a version that To has had before
	Unclear Relation = "unclear" // neither had the version of the other
)

// CompareQuery says which environments to compare.
type CompareQuery struct {
	To, From Environment // what From runs would be brought to To
	Client   erp.ID      // tenant; zero: all that the role may see
	Depth    int         // see InventoryQuery
}

// Comparison compares the installations in two environments of a tenant.
type Comparison struct {
	Client    erp.Ref
	To, From  Installation // without a version where nothing runs that the log knows
	Rows      []Difference // by name of the component
	Promotion Promotion
}

// Difference is one component in two environments; nil where it does not run.
type Difference struct {
	Name    string              `json:"name"`
	To      *InstalledComponent `json:"to"`
	From    *InstalledComponent `json:"from"`
	Differs bool                `json:"differs"`
}

// Promotion is the effect that bringing the version of one environment to another
// would have.
type Promotion struct {
	From     Environment `json:"from"`
	To       Environment `json:"to"`
	Relation Relation    `json:"relation"`
	// Runs are the runs in From that brought what To does not have, the newest
	// first. Where the relation is Unclear they are the runs that ended after To got
	// its version; they are empty for Same and Behind.
	Runs []Run `json:"runs"`
	// Complete tells that there are no further runs beyond those that were looked
	// at.
	Complete bool `json:"complete"`
}

// Compare reads what runs in two environments of each tenant, how they differ and
// what a promotion would bring.
func (l *Log) Compare(ctx context.Context, q CompareQuery) ([]Comparison, error) {
	for _, name := range []*Environment{&q.To, &q.From} {
		env, err := l.environment(ctx, *name)
		if err != nil {
			return nil, err
		}
		*name = env
	}
	if q.To == q.From {
		return nil, fmt.Errorf("%w: compare two different environments, not %s with itself", ErrInvalid, q.To)
	}
	list, err := l.Inventory(ctx, InventoryQuery{Environments: []Environment{q.To, q.From}, Client: q.Client, Depth: q.Depth})
	if err != nil {
		return nil, err
	}
	all := make([]Comparison, len(list))
	for i := range list {
		all[i] = list[i].Compare(q.To, q.From)
	}
	return all, nil
}

// MarshalJSON writes the comparison with its tenant as id and name.
func (c Comparison) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Client    *refJSON     `json:"client,omitempty"`
		To        Installation `json:"to"`
		From      Installation `json:"from"`
		Rows      []Difference `json:"components"`
		Promotion Promotion    `json:"promotion"`
	}{refToJSON(c.Client), c.To, c.From, c.Rows, c.Promotion})
}

// Installation returns what runs in an environment; without a version where the log
// knows nothing.
func (inv *Inventory) Installation(env Environment) Installation {
	for _, in := range inv.Environments {
		if in.Environment == env {
			return in
		}
	}
	return Installation{Environment: env, Components: []InstalledComponent{}, Complete: true}
}

// Compare compares two environments of the tenant; from is the one whose version
// would be brought to the other.
func (inv *Inventory) Compare(to, from Environment) Comparison {
	c := Comparison{Client: inv.Client, To: inv.Installation(to), From: inv.Installation(from), Rows: []Difference{}}
	rows := map[string]*Difference{}
	row := func(name string) *Difference {
		if rows[name] == nil {
			rows[name] = &Difference{Name: name}
		}
		return rows[name]
	}
	for i := range c.To.Components {
		row(c.To.Components[i].Name).To = &c.To.Components[i]
	}
	for i := range c.From.Components {
		row(c.From.Components[i].Name).From = &c.From.Components[i]
	}
	for _, d := range rows {
		d.Differs = d.To == nil || d.From == nil || d.To.Version != d.From.Version
		c.Rows = append(c.Rows, *d)
	}
	slices.SortFunc(c.Rows, func(a, b Difference) int { return strings.Compare(a.Name, b.Name) })
	c.Promotion = promotion(&c.To, &c.From)
	return c
}

// promotion finds the runs between the versions of two environments.
func promotion(to, from *Installation) Promotion {
	p := Promotion{From: from.Environment, To: to.Environment, Relation: Unclear, Runs: []Run{}, Complete: true}
	// Where a version was deployed again, its first run tells what came after what.
	theirs, ours := first(from.runs, to.Version), first(from.runs, from.Version)
	switch {
	case from.Version == to.Version:
		p.Relation = Same
		return p
	case from.Version == "":
		return p
	case theirs >= 0 && ours >= 0 && ours < theirs:
		p.Relation = Ahead
	case theirs >= 0, first(to.runs, from.Version) >= 0:
		p.Relation = Behind
		return p
	case to.Version == "":
		p.Relation = Ahead
	}
	for i, run := range from.runs {
		if p.Relation == Ahead && to.Version != "" && i >= theirs {
			return p
		}
		if p.Relation == Unclear && run.DateCompleted.Before(to.Since.Truncate(time.Second)) {
			return p
		}
		p.Runs = append(p.Runs, run)
	}
	p.Complete = from.Complete
	return p
}

// first is the place of the oldest run of a version among runs that stand newest
// first, -1 if there is none.
func first(runs []Run, version string) int {
	for i, run := range slices.Backward(runs) {
		if version != "" && run.Version == version {
			return i
		}
	}
	return -1
}
