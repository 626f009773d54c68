package aiquery

// merge adds to r what another role allows and forbids, with all that one
// includes. What r has for the same thing stays; of two included roles with the
// same number the later may relax the earlier.
func (l *permissionsLoader) merge(r *permissions, roleID int64, seq int) error {
	if l.seen[roleID] {
		return nil
	}
	other, err := l.role(roleID)
	if err != nil || other == nil {
		return err
	}
	if err := l.include(other); err != nil {
		return err
	}
	// Nothing of another tenant comes in this way.
	if other.clientID == r.clientID {
		for org := range other.orgs {
			if _, there := r.orgs[org]; !there {
				r.orgs[org] = seq
			}
		}
	}
	// The key of table rules is the table alone: a rule of one type hides
	// included rules of the others.
	r.tables = mergeRules(r.tables, other.tables, func(old *tableRule, n tableRule) bool {
		if old.table != n.table {
			return false
		}
		if old.seq == seq {
			old.exclude = old.exclude && n.exclude
		}
		return true
	}, func(n *tableRule) { n.seq = seq })
	r.columns = mergeRules(r.columns, other.columns, func(old *columnRule, n columnRule) bool {
		if old.column != n.column {
			return false
		}
		if old.seq == seq {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
		}
		return true
	}, func(n *columnRule) { n.seq = seq })
	r.records = mergeRules(r.records, other.records, func(old *recordRule, n recordRule) bool {
		if old.table != n.table || old.record != n.record {
			return false
		}
		if old.seq == seq {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
			old.dependent = old.dependent && n.dependent
		}
		return true
	}, func(n *recordRule) { n.seq = seq })
	if other.clientID == r.clientID || other.clientID == 0 { // another tenant's role opens nothing here; what it closes stays closed
		mergeGrants(r.windows, other.windows, seq)
		mergeGrants(r.processes, other.processes, seq)
	}
	return nil
}

// mergeRules appends the rules for which meet finds none that was there before;
// meet may relax the one it finds.
func mergeRules[R any](own, others []R, meet func(old *R, n R) bool, mark func(*R)) []R {
	before := len(own)
	for _, n := range others {
		met := false
		for i := range before {
			met = meet(&own[i], n) || met
		}
		if !met {
			mark(&n)
			own = append(own, n)
		}
	}
	return own
}

// mergeGrants adds what another role may open.
func mergeGrants(own, others map[int64]windowGrant, seq int) {
	for id, grant := range others {
		old, there := own[id]
		switch {
		case !there:
			grant.seq = seq
		case old.seq == seq:
			grant = windowGrant{old.read || grant.read, old.write || grant.write, seq}
		default:
			grant = old
		}
		own[id] = grant
	}
}
