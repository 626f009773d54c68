// Package changes tells by the time of a row's change whether another one can follow
// with the same time.
package changes

import "time"

// Two zones differ by a multiple of zone, and by farthest at most: UTC+14 and UTC-12.
const zone, farthest = 15 * time.Minute, 26 * time.Hour

// MayBeNew reports whether a change of that age is one of the last unsettled, so that
// another may follow with the same time. Clocks may differ by skew, and the age may be
// off by the difference of two zones: servers write local times that are read as UTC.
func MayBeNew(age, unsettled, skew time.Duration) bool {
	since := ((age+skew)%zone + zone) % zone
	return since < unsettled+2*skew && age.Abs() <= farthest+unsettled+skew
}
