package erp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// Ref is the value of a foreign key or of a list column: the key of what is
// referred to, and how the server presents it. Label and Identifier depend on
// the session's language and are for people; branch on ID. The zero Ref is no
// reference.
type Ref struct {
	ID         ID     // number, UUID or text key; the code in list columns
	UUID       string // only if the server is configured to export it, or the reference was expanded
	Identifier string // display text, such as "Joe Block"; may be empty
	Model      string // table referred to, lower case, such as "c_bpartner"; "ad_ref_list" for lists
	Label      string // translated name of the column
}

// Code returns the key as text: the code of a list value such as "CO".
func (r Ref) Code() string { return r.ID.String() }

// IsZero reports whether nothing is referred to.
func (r Ref) IsZero() bool { return r == Ref{} }

// MarshalJSON writes {"id":…}, or {"uid":…} if only the UUID is known, which
// is what create and update accept. The zero Ref is null, which clears list
// columns only: foreign keys are cleared with -1 (see NoRef).
func (r Ref) MarshalJSON() ([]byte, error) {
	switch {
	case r.ID.IsZero() && r.UUID == "":
		return []byte("null"), nil
	case r.ID.IsZero():
		return json.Marshal(map[string]string{"uid": r.UUID})
	default:
		return json.Marshal(map[string]ID{"id": r.ID})
	}
}

// NoRef clears a foreign key when it is written: the ERP refuses null there.
const NoRef = -1

// UnmarshalJSON reads a lookup object, an expanded record, or a bare key.
func (r *Ref) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		*r = Ref{}
		return nil
	}
	parsed, ok := refFromJSON(data)
	if !ok {
		return fmt.Errorf("%s is not a reference to a record", quote(string(data)))
	}
	*r = parsed
	return nil
}

// refFromJSON reads a lookup object, an expanded record or a bare key.
func refFromJSON(raw []byte) (Ref, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		id, ok := idFromJSON(raw)
		return Ref{ID: id}, ok
	}
	var buffer [24]jsonscan.Field
	s := jsonscan.Scanner{Data: raw}
	fields, ok := s.Fields(buffer[:0])
	if !ok {
		return Ref{}, false
	}
	var r Ref
	for _, f := range fields {
		value := f.Value(raw)
		switch string(f.Name(raw)) {
		case "id":
			r.ID, _ = idFromJSON(value)
		case "uuid", "uid":
			r.UUID, _ = jsonscan.Text(value)
		case "identifier":
			r.Identifier, _ = jsonscan.Text(value)
		case "model-name":
			r.Model, _ = jsonscan.Text(value)
		case "propertyLabel":
			r.Label, _ = jsonscan.Text(value)
		}
	}
	if r.ID.IsZero() && r.UUID != "" {
		r.ID = UUID(r.UUID)
	}
	return r, !r.ID.IsZero()
}
