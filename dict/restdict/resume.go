package restdict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// verify takes over what the checkpoint says was done, as far as it is so in this
// ERP: another may respond at the same address, a backup may have been restored,
// records may have been deleted. A record counts as the one the earlier run made
// or found when it has the UUID, the id and the time of creation of then. What is
// not verified stays pending and is looked for as in a run without checkpoint.
// Updates are carried out again: they say what a record is to be.
func (r *runner) verify(ctx context.Context) error {
	var tables []string
	byTable := map[string][]*state{}
	claimed := 0
	for _, st := range r.states {
		rec, ok := st.step.(*dict.RecordStep)
		if !ok || st.claim == nil || rec.Action == dict.Update {
			continue
		}
		claimed++
		if _, ok := dict.ParseUUID(st.claim.UUID); !ok {
			continue
		}
		if byTable[rec.Table] == nil {
			tables = append(tables, rec.Table)
		}
		byTable[rec.Table] = append(byTable[rec.Table], st)
	}
	verified := 0
	for _, table := range tables {
		for chunk := range slices.Chunk(byTable[table], lookupChunk) {
			n, err := r.verifyChunk(ctx, table, chunk)
			if err != nil {
				return err
			}
			verified += n
		}
	}
	for _, st := range r.states {
		// Whether something is renamed is looked up when its turn comes.
		if p, ok := st.step.(*dict.RunStep); ok && p.Rename == nil && st.claim != nil && r.ranHere(p) {
			st.status, st.outcome, st.earlier = Done, st.claim.Outcome, true
		}
	}
	if lost := claimed - verified; lost > 0 {
		r.note(fmt.Sprintf("%d of the %d records in the checkpoint are not in this ERP as the earlier run left them: looking for them anew", lost, claimed))
	}
	return nil
}

// verifyChunk looks for records of one table and returns how many are those of
// the checkpoint.
func (r *runner) verifyChunk(ctx context.Context, table string, states []*state) (int, error) {
	uuids := make([]string, len(states))
	byUUID := map[string]*state{}
	for i, st := range states {
		uuids[i] = strings.ToLower(st.claim.UUID)
		byUUID[uuids[i]] = st
	}
	verified := 0
	q := &erp.Query{Filter: erp.ActiveOrNot(erp.In(erp.Column(table+"_UU"), uuids...)), Select: []string{"IsActive", "Created"}}
	for rec, err := range r.client.Records(ctx, table, q) {
		if err != nil {
			return verified, fmt.Errorf("looking for what the earlier run did: %w", err)
		}
		st := byUUID[strings.ToLower(rec.UUID())]
		if st == nil || st.status == Done {
			continue
		}
		id, _ := rec.ID().Int()
		created, _ := rec.Text("Created")
		active, told := rec.Bool("IsActive")
		if id != st.claim.ID || created != st.claim.Created || told && !active {
			continue
		}
		st.take(rec)
		st.status, st.outcome, st.earlier = Done, st.claim.Outcome, true
		verified++
	}
	return verified, nil
}

// ranHere reports whether a process that the earlier run ran needs no second run:
// all it needs are records, and they are still those it ran on.
func (r *runner) ranHere(p *dict.RunStep) bool {
	needs := p.Needs()
	for _, key := range needs {
		if !r.byKey[key].earlier {
			return false
		}
	}
	return len(needs) > 0
}
