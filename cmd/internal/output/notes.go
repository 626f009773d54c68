package output

import (
	"fmt"
	"strings"
)

// ColumnNotes are what there is to say of a column of the dictionary in a few words.
type ColumnNotes struct {
	Key, Mandatory, Masked bool
	PointsTo               string   // table
	Values                 []string // of a list
}

func (n ColumnNotes) String() string {
	var parts []string
	if n.Key {
		parts = append(parts, "key")
	}
	if n.Mandatory {
		parts = append(parts, "mandatory")
	}
	if n.Masked {
		parts = append(parts, "masked")
	}
	if n.PointsTo != "" {
		parts = append(parts, "→ "+n.PointsTo)
	}
	if len(n.Values) > 0 {
		parts = append(parts, Listed(n.Values, 8))
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
