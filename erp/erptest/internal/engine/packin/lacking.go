package packin

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/packxml"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// lacking decides about references to records that the ERP is delivered with, by
// their official ids, and that the embedded ERP does not have. In the ERP they are
// there, so an archive is not refused for them: the reference stays empty, and an
// element that cannot be without it is left out, as is what refers to that element.
type lacking struct {
	left     map[string]bool // records that are left out
	expected map[string]bool // records of the archive that still wait
	count    int             // elements that are left out, or in part
}

func newLacking() *lacking { return &lacking{left: map[string]bool{}} }

// expect notes the records that may still come.
func (l *lacking) expect(round []*waitingElement) {
	l.expected = map[string]bool{}
	for _, w := range round {
		for _, name := range recordNames(w.element) {
			l.expected[name] = true
		}
	}
}

// leave notes that an element's record is left out.
func (l *lacking) leave(e *packxml.Element) {
	l.count++
	for _, name := range recordNames(e) {
		l.left[name] = true
	}
}

// recordNames are the names by which others refer to an element's record.
func recordNames(e *packxml.Element) []string {
	var names []string
	for _, suffix := range []string{"_UU", "_ID"} {
		if key := strings.TrimSpace(e.Text(e.Name + suffix)); key != "" {
			names = append(names, recordName(e.Name, key))
		}
	}
	return names
}

// isLacking reports whether a reference that cannot be resolved is one to a record
// that only the embedded ERP lacks.
func (l *lacking) isLacking(missing *unresolvedReference) bool {
	if l == nil || l.expected[missing.target] {
		return false
	}
	if l.left[missing.target] {
		return true
	}
	_, key, _ := strings.Cut(missing.target, " ")
	id, err := strconv.ParseInt(key, 10, 64)
	return err == nil && id > 0 && id < store.FirstCustomID
}
