package aiquery

import "github.com/erphub/erphub/internal/rolemerge"

// merge adds to what roles have that are merged what another one allows and forbids.
// What is there about the same thing stays, unless the other relaxes it.
func (r *permissions) merge(other *permissions, relaxes bool) {
	// Nothing of another tenant comes in this way.
	if other.clientID == r.clientID {
		for org := range other.orgs {
			r.orgs[org] = true
		}
	}
	// A rule about a table hides later ones of any type.
	r.tables = mergeRules(r.tables, other.tables, relaxes, func(a, b tableRule) bool { return a.table == b.table },
		func(old *tableRule, n tableRule) { old.exclude = old.exclude && n.exclude })
	r.columns = mergeRules(r.columns, other.columns, relaxes, func(a, b columnRule) bool { return a.column == b.column },
		func(old *columnRule, n columnRule) {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
		})
	// What is in one of the lists already may still be missing in the other.
	for _, lists := range [][2]*[]*recordRule{{&r.records, &other.records}, {&r.dependents, &other.dependents}} {
		*lists[0] = mergeRules(*lists[0], *lists[1], relaxes, func(a, b *recordRule) bool { return a.table == b.table && a.record == b.record },
			func(old **recordRule, n *recordRule) { (*old).exclude = (*old).exclude && n.exclude })
	}
	if other.clientID == r.clientID || other.clientID == 0 { // another tenant's role opens nothing here; what it closes stays closed
		mergeGrants(r.windows, other.windows, relaxes)
		mergeGrants(r.processes, other.processes, relaxes)
	}
}

func mergeRules[R any](rules, others []R, relaxes bool, same func(a, b R) bool, relax func(old *R, n R)) []R {
	if !relaxes {
		relax = nil
	}
	return rolemerge.Rules(rules, others, same, relax)
}

// mergeGrants adds what another role may open. A row of it that is not active takes
// away what it includes itself, and no more.
func mergeGrants(grants, others map[int64]windowGrant, relaxes bool) {
	for id, grant := range others {
		if _, there := grants[id]; grant.read && (!there || relaxes) {
			grants[id] = grant
		}
	}
}
