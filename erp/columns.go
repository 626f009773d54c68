package erp

import (
	"encoding/json"
	"strings"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// Columns takes the same columns out of many records. Records of one list have
// their members in the same order, so a member is compared with the one at that
// place in the record before, and not looked for. It is for one goroutine at a time.
type Columns struct {
	place map[string]int // of a column, by its name and by that in lower case
	last  []knownMember  // members of the record before
}

type knownMember struct {
	name  string // as it is written, with its escapes
	place int    // -1: no column that is wanted
}

// NewColumns makes Columns of names of members: columns, "id" for the key column and
// "uid" for the UUID column; an empty name is a place that stays empty. Like a [Record] it finds a name as it is written, else
// regardless of case.
func NewColumns(names ...string) *Columns {
	c := &Columns{place: make(map[string]int, 2*len(names))}
	for i, name := range names {
		c.place[strings.ToLower(name)] = i
	}
	for i, name := range names {
		c.place[name] = i
	}
	delete(c.place, "")
	return c
}

// Of puts the JSON text of each column's value at the place of its name, nil for
// those the record does not have. The text is the record's and must not be changed.
func (c *Columns) Of(r Record, into []json.RawMessage) {
	clear(into)
	for i, f := range r.fields {
		name := f.Name(r.raw)
		if i == len(c.last) {
			c.last = append(c.last, knownMember{place: -1})
		}
		if known := &c.last[i]; known.name != string(name) {
			*known = knownMember{string(name), c.placeOf(r.name(f))}
		}
		if place := c.last[i].place; place >= 0 {
			into[place] = json.RawMessage(f.Value(r.raw))
		}
	}
}

func (c *Columns) placeOf(name string) int {
	if i, ok := c.place[name]; ok {
		return i
	}
	if i, ok := c.place[strings.ToLower(name)]; ok {
		return i
	}
	return -1
}

// RefID is the ID of a foreign key's or list column's JSON text, as in the [Ref]
// that [Record.Ref] gives.
func RefID(raw json.RawMessage) (ID, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return idFromJSON(raw)
	}
	var buffer [24]jsonscan.Field
	s := jsonscan.Scanner{Data: raw}
	fields, ok := s.Fields(buffer[:0])
	if !ok {
		return ID{}, false
	}
	var id ID
	var uuid []byte
	for _, f := range fields {
		switch string(f.Name(raw)) {
		case "id":
			id, _ = idFromJSON(f.Value(raw))
		case "uuid", "uid":
			uuid = f.Value(raw)
		}
	}
	if id.IsZero() {
		text, _ := jsonscan.Text(uuid)
		id = UUID(text)
	}
	return id, !id.IsZero()
}
