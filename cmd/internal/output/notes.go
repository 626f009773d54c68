package output

import (
	"fmt"
	"strings"
)

// ColumnNotes describe a column of the dictionary in a few words.
type ColumnNotes struct {
	Key, Mandatory, Masked bool
	PointsTo               string   // table
	Values                 []string // of a list
}

func (n ColumnNotes) String() string {
	var parts []string
	for _, note := range []struct {
		has  bool
		text string
	}{{n.Key, "key"}, {n.Mandatory, "mandatory"}, {n.Masked, "masked"}, {n.PointsTo != "", "→ " + n.PointsTo}, {len(n.Values) > 0, Listed(n.Values, 8)}} {
		if note.has {
			parts = append(parts, note.text)
		}
	}
	return strings.Join(parts, ", ")
}

// Listed is a list in a sentence, cut after some.
func Listed(list []string, most int) string {
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
