package engine

import "slices"

// merge adds to what roles have that are merged what another one has. What is there
// about the same thing stays, unless the other relaxes it.
func (r *Role) merge(other *Role, relaxes bool) {
	mergeMap(r.Orgs, other.Orgs, relaxes, func(old, n OrgAccess) OrgAccess { return OrgAccess{n.ClientID, n.ReadOnly && old.ReadOnly} })
	// An entry about a table hides later ones of any type.
	r.tables = mergeRules(r.tables, other.tables, relaxes, func(old *tableRule, n tableRule) bool { return old.tableID == n.tableID },
		func(old *tableRule, n tableRule) { old.exclude = old.exclude && n.exclude })
	r.columns = mergeRules(r.columns, other.columns, relaxes, func(old *columnRule, n columnRule) bool { return old.columnID == n.columnID },
		func(old *columnRule, n columnRule) {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
		})
	// What is in one of the lists already may still be missing in the other.
	same := func(old **recordRule, n *recordRule) bool {
		return (*old).tableID == n.tableID && (*old).recordID == n.recordID
	}
	relax := func(old **recordRule, n *recordRule) {
		(*old).exclude, (*old).readOnly = (*old).exclude && n.exclude, (*old).readOnly && n.readOnly
	}
	r.records = mergeRules(r.records, other.records, relaxes, same, relax)
	r.dependents = mergeRules(r.dependents, other.dependents, relaxes, same, relax)
	for kind, grants := range other.Objects {
		if r.Objects[kind] == nil {
			r.Objects[kind] = map[int64]grant{}
		}
		mergeMap(r.Objects[kind], grants, relaxes, func(_, n grant) grant { return n })
	}
}

// mergeMap adds what another role has.
func mergeMap[V any](into, others map[int64]V, relaxes bool, relax func(old, n V) V) {
	for id, n := range others {
		switch old, there := into[id]; {
		case !there:
			into[id] = n
		case relaxes:
			into[id] = relax(old, n)
		}
	}
}

// mergeRules appends the rules of another role for which there is none; with relaxes,
// the first one that there is may be relaxed.
func mergeRules[R any](rules, others []R, relaxes bool, same func(old *R, n R) bool, relax func(old *R, n R)) []R {
	before := rules
	for _, n := range others {
		i := slices.IndexFunc(before, func(old R) bool { return same(&old, n) })
		switch {
		case i < 0:
			rules = append(rules, n)
		case relaxes:
			relax(&rules[i], n)
		}
	}
	return rules
}
