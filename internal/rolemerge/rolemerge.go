// Package rolemerge merges the permissions of a role with those of roles that it
// includes, as the ERP does: the included roles first, one after the other by their
// sequence numbers, each with what it includes itself; then the role's own, which stay.
package rolemerge

import "slices"

// Relaxes reports whether an included role relaxes what those before it forbid: it has
// the sequence number of the last one. Users that are stood in for come with -1 and
// relax nothing.
func Relaxes(last, seq int64) bool { return last >= 0 && last == seq }

// Rules returns first with those of others for which it has none about the same thing.
// relax, unless it is nil, may relax the one that it has.
func Rules[R any](first, others []R, same func(a, b R) bool, relax func(old *R, other R)) []R {
	merged := slices.Clone(first)
	for _, other := range others {
		i := slices.IndexFunc(first, func(old R) bool { return same(old, other) })
		switch {
		case i < 0:
			merged = append(merged, other)
		case relax != nil:
			relax(&merged[i], other)
		}
	}
	return merged
}
