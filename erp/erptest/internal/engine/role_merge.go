package engine

// merge adds to r what the included role allows, with all that one includes
// itself. Where r has an entry for the same thing already, that one stays; of
// two included roles with the same number the later one may relax what the
// earlier one forbids.
func (l *roleLoader) merge(r *Role, included, seq int64) error {
	if l.seen[included] {
		return nil
	}
	inc, err := l.own(included)
	if err != nil {
		return err
	}
	if err := l.include(inc, included); err != nil {
		return err
	}
	for id, o := range inc.Orgs {
		old, there := r.Orgs[id]
		switch {
		case !there:
			o.Seq = seq
			r.Orgs[id] = o
		case old.Seq == seq:
			old.ReadOnly = old.ReadOnly && o.ReadOnly
			r.Orgs[id] = old
		}
	}
	// The key of table rules is the table alone: an entry of one type hides
	// included entries of the others.
	r.tables = mergeRules(r.tables, inc.tables, func(old *tableRule, n tableRule) bool {
		if old.tableID != n.tableID {
			return false
		}
		if old.seq == seq {
			old.exclude = old.exclude && n.exclude
		}
		return true
	}, func(n *tableRule) { n.seq = seq })
	r.columns = mergeRules(r.columns, inc.columns, func(old *columnRule, n columnRule) bool {
		if old.columnID != n.columnID {
			return false
		}
		if old.seq == seq {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
		}
		return true
	}, func(n *columnRule) { n.seq = seq })
	r.records = mergeRules(r.records, inc.records, func(old *recordRule, n recordRule) bool {
		if old.tableID != n.tableID || old.recordID != n.recordID {
			return false
		}
		if old.seq == seq {
			old.exclude, old.readOnly = old.exclude && n.exclude, old.readOnly && n.readOnly
			old.dependent = old.dependent && n.dependent
		}
		return true
	}, func(n *recordRule) { n.seq = seq })
	for kind, grants := range inc.Objects {
		for id, g := range grants {
			old, there := r.Objects[kind][id]
			switch {
			case !there:
				g.seq = seq
				r.Objects[kind][id] = g
			case old.seq == seq:
				old.Read, old.Write = old.Read || g.Read, old.Write || g.Write
				r.Objects[kind][id] = old
			}
		}
	}
	return nil
}

// mergeRules appends the included rules for which meet finds no entry that was
// there before; meet may relax the entry it meets.
func mergeRules[R any](own, included []R, meet func(old *R, n R) bool, mark func(*R)) []R {
	before := len(own)
	for _, n := range included {
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
