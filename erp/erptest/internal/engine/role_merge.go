package engine

// merge adds to what roles have that are merged what another one has. What is there
// about the same thing stays, unless the other relaxes it.
func (r *Role) merge(other *Role, relaxes bool) {
	for id, o := range other.Orgs {
		old, there := r.Orgs[id]
		if there && relaxes {
			o.ReadOnly = o.ReadOnly && old.ReadOnly
		}
		if !there || relaxes {
			r.Orgs[id] = o
		}
	}
	// The key of table rules is the table alone: an entry of one type hides others of
	// roles that come later.
	r.tables = mergeRules(r.tables, other.tables, relaxes, func(old *tableRule, n tableRule) bool { return old.tableID == n.tableID },
		func(old *tableRule, n tableRule) { old.exclude = old.exclude && n.exclude })
	r.columns = mergeRules(r.columns, other.columns, relaxes, func(old *columnRule, n columnRule) bool { return old.columnID == n.columnID },
		func(old *columnRule, n columnRule) {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
		})
	r.records = mergeRules(r.records, other.records, relaxes, func(old *recordRule, n recordRule) bool {
		return old.tableID == n.tableID && old.recordID == n.recordID
	}, func(old *recordRule, n recordRule) {
		old.exclude, old.readOnly, old.dependent = old.exclude && n.exclude, old.readOnly && n.readOnly, old.dependent && n.dependent
	})
	for kind, grants := range other.Objects {
		if r.Objects[kind] == nil {
			r.Objects[kind] = map[int64]grant{}
		}
		for id, g := range grants {
			// A row that is not active takes away what its own role includes, and no more.
			if _, there := r.Objects[kind][id]; g.Read && (!there || relaxes) {
				r.Objects[kind][id] = g
			}
		}
	}
}

// mergeRules appends the rules of another role for which there is none; with relaxes,
// the first one that there is may be relaxed.
func mergeRules[R any](rules, others []R, relaxes bool, same func(old *R, n R) bool, relax func(old *R, n R)) []R {
	before := len(rules)
next:
	for _, n := range others {
		for i := range before {
			if same(&rules[i], n) {
				if relaxes {
					relax(&rules[i], n)
				}
				continue next
			}
		}
		rules = append(rules, n)
	}
	return rules
}
