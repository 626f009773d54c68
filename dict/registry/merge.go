package registry

// merged is the outcome of putting changed rows among the rows of before.
type merged struct {
	rows int   // there are now
	sum  int64 // of their times
	// newest of their times.
	newest int64
	// changed is set when a row came, or is another than before.
	changed bool
	// gap is set when a row of before should be among the changed ones by its
	// time, and is not: it was deleted, its time was set back, or the source left
	// out too much.
	gap bool
}

// fits reports whether the merged rows can be those of a state of the ERP.
func (m merged) fits(s Stamp) bool {
	return !m.gap && m.rows == s.Rows && (s.Sum == 0 || s.Sum == m.sum) && (s.Newest == 0 || s.Newest == m.newest)
}

// newest is the newest of times, 0 of none.
func newest(times []int64) int64 {
	var at int64
	for _, t := range times {
		at = max(at, t)
	}
	return at
}

func (k *kind[T]) merge(to, before, changes *content, settled bool) merged {
	id := k.id()
	rows, times := *k.rows(before), k.times(before)
	now, nowTimes := *k.rows(changes), k.times(changes)
	latest := make(map[int]int32, len(now)) // place in now, by key
	for i := range now {
		latest[*id(&now[i])] = int32(i)
	}
	// A source that hands over rows of some time hands over all that are newer.
	from := newest(times)
	if settled {
		from++
	}
	for _, t := range nowTimes {
		from = min(from, t+1)
	}

	var m merged
	out := make([]T, 0, len(rows)+len(latest))
	outTimes := make([]int64, 0, len(rows)+len(latest))
	for i := range rows {
		at, ok := latest[*id(&rows[i])]
		if !ok {
			m.gap = m.gap || times[i] >= from
			out, outTimes = append(out, rows[i]), append(outTimes, times[i])
			continue
		}
		delete(latest, *id(&rows[i]))
		m.changed = m.changed || times[i] != nowTimes[at] || !k.equal(&rows[i], &now[at])
		out, outTimes = append(out, now[at]), append(outTimes, nowTimes[at])
	}
	m.changed = m.changed || len(latest) > 0
	for i := range now { // in the order they came
		if at, ok := latest[*id(&now[i])]; ok && at == int32(i) {
			out, outTimes = append(out, now[i]), append(outTimes, nowTimes[i])
		}
	}
	m.rows = len(out)
	m.newest = newest(outTimes)
	for _, t := range outTimes {
		m.sum += t
	}
	if m.changed {
		*k.rows(to), *k.updated(&to.updated) = out, outTimes
	} else {
		k.share(to, before)
	}
	return m
}

// id is the field of the key.
func (k *kind[T]) id() func(*T) *int {
	for i := range k.attributes {
		if a := &k.attributes[i]; a.column.Name == k.key && a.num != nil {
			return a.num
		}
	}
	panic("registry: the key of " + k.table + " is not among its numbers")
}

// equal compares what was read of two rows.
func (k *kind[T]) equal(a, b *T) bool {
	for i := range k.attributes {
		same := true
		switch at := &k.attributes[i]; at.column.Type {
		case SourceText:
			same = *at.text(a) == *at.text(b)
		case SourceInt:
			same = *at.num(a) == *at.num(b)
		case SourceFlag:
			same = *at.flag(a) == *at.flag(b)
		}
		if !same {
			return false
		}
	}
	return true
}
