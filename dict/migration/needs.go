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
	seen := map[string]bool{}
	former := map[string]string{} // what renamed records are called, by UUID
	var failed error
	var visit func(v dict.Value)
	visit = func(v dict.Value) {
		e, ok := v.(dict.Existing)
		if !ok || adid.Official(e.ID) || len(e.Match) == 0 || failed != nil {
			return
		}
		for _, m := range e.Match {
			if refersToPlan(m.Value) {
				return // made by the script itself
			}
			visit(m.Value)
		}
		if failed = checkName(e.Table); failed != nil {
			return
		}
		condition, err := b.matches(e.Match, "")
		if err != nil {
			failed = err
			return
		}
		if seen[e.Table+" "+condition] {
			return
		}
		seen[e.Table+" "+condition] = true
		what := e.Table + " " + describe(e)
		if name := former[describe(e)]; name != "" {
			what = e.Table + " " + name + " with the UUID " + describe(e)
		}
		message := sqlquote.Text("this script needs " + what + ", which this database does not have")
		b.block("needs "+what,
			"BEGIN IF NOT EXISTS (SELECT 1 FROM "+e.Table+" WHERE "+condition+") THEN RAISE EXCEPTION USING MESSAGE="+message+"; END IF; END",
			"DECLARE n NUMBER; BEGIN SELECT COUNT(*) INTO n FROM "+e.Table+" WHERE "+condition+"; IF n=0 THEN RAISE_APPLICATION_ERROR(-20000,"+message+"); END IF; END;")
	}
	for _, step := range b.plan.Steps() {
		if p, ok := step.(*dict.RunStep); ok && p.Rename != nil {
			former[string(p.Rename.UUID)] = p.Rename.From
			visit(p.Record)
		}
		r, ok := step.(*dict.RecordStep)
		if !ok {
			continue
		}
		for _, m := range r.Match {
			if r.Action == dict.Update {
				visit(m.Value)
			}
		}
		for _, f := range r.Values {
			visit(f.Value)
		}
		if r.Action == dict.Update && r.Of == "" {
			visit(dict.Existing{Table: r.Table, Match: r.Match})
		}
	}
	return failed
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
