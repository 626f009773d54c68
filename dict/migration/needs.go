package migration

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/text"
)

// needs writes a check for every record outside the plan that steps refer to by
// what it is found by. A sub-select that finds nothing gives no value, which an
// optional column takes without a word.
func (b *builder) needs() error {
	n := needing{builder: b, seen: map[string]bool{}, former: map[string]string{}}
	for _, step := range b.plan.Steps() {
		if p, ok := step.(*dict.RunStep); ok && p.Rename != nil {
			n.former[string(p.Rename.UUID)] = p.Rename.From
			n.visit(p.Record)
		}
		r, ok := step.(*dict.RecordStep)
		if !ok {
			continue
		}
		for _, m := range r.Match {
			if r.Action == dict.Update {
				n.visit(m.Value)
			}
		}
		for _, f := range r.Values {
			n.visit(f.Value)
		}
		if r.Action == dict.Update && r.Of == "" {
			n.visit(dict.Existing{Table: r.Table, Match: r.Match})
		}
	}
	return n.failed
}

type needing struct {
	*builder
	seen   map[string]bool
	former map[string]string // what renamed records are called, by UUID
	failed error
}

func (n *needing) visit(v dict.Value) {
	e, ok := v.(dict.Existing)
	if !ok || adid.Official(e.ID) || len(e.Match) == 0 || n.failed != nil {
		return
	}
	for _, m := range e.Match {
		if refersToPlan(m.Value) {
			return // made by the script itself
		}
		n.visit(m.Value)
	}
	if n.failed = checkName(e.Table); n.failed != nil {
		return
	}
	condition, err := n.matches(e.Match, "")
	if err != nil {
		n.failed = err
		return
	}
	if n.seen[e.Table+" "+condition] {
		return
	}
	n.seen[e.Table+" "+condition] = true
	what := e.Table + " " + describe(e)
	if name := n.former[describe(e)]; name != "" {
		what = e.Table + " " + name + " with the UUID " + describe(e)
	}
	message := sqlquote.Text("this script needs " + what + ", which this database does not have")
	n.block("needs "+what,
		"BEGIN IF NOT EXISTS (SELECT 1 FROM "+e.Table+" WHERE "+condition+") THEN RAISE EXCEPTION USING MESSAGE="+message+"; END IF; END",
		"DECLARE n NUMBER; BEGIN SELECT COUNT(*) INTO n FROM "+e.Table+" WHERE "+condition+"; IF n=0 THEN RAISE_APPLICATION_ERROR(-20000,"+message+"); END IF; END;")
}

func refersToPlan(v dict.Value) bool {
	switch v := v.(type) {
	case dict.Ref:
		return true
	case dict.Existing:
		for _, m := range v.Match {
			if refersToPlan(m.Value) {
				return true
			}
		}
	}
	return false
}

// describe names a record by what it is found by, for a message.
func describe(e dict.Existing) string {
	var parts []string
	for _, m := range e.Match {
		switch v := m.Value.(type) {
		case dict.Text:
			parts = append(parts, string(v))
		case dict.Existing:
			parts = append(parts, describe(v))
		}
	}
	return text.First(text.OneLine(strings.Join(parts, " ")), 200)
}
