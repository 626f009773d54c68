package erp

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// ID identifies a record: a whole number, a UUID, or the text key of the few
// tables that are keyed by text (AD_EntityType, list values). The zero ID is
// none at all; it differs from IntID(0), which is a real record in AD_Client,
// AD_Org and some more tables. IDs can be compared with == and used as map
// keys.
type ID struct {
	number int64
	text   string
	isInt  bool
}

// IntID returns the ID with that number.
func IntID(number int64) ID { return ID{number: number, isInt: true} }

// UUID returns the ID with that UUID. The text is not checked here: using
// something else than a UUID as the address of a record is an error of the
// call that does it. The ERP compares UUIDs with regard to case.
func UUID(text string) ID { return ID{text: text} }

// ParseID reads an ID as people write it: a whole number or a UUID.
func ParseID(text string) (ID, error) {
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return IntID(number), nil
	}
	if isUUID(text) {
		return UUID(text), nil
	}
	return ID{}, invalid("id %s is neither a whole number nor a UUID", quote(text))
}

// Int returns the number of a numeric ID.
func (id ID) Int() (int64, bool) { return id.number, id.isInt }

// UUID returns the text of an ID that is a UUID.
func (id ID) UUID() (string, bool) {
	if id.isInt || !isUUID(id.text) {
		return "", false
	}
	return id.text, true
}

// IsZero reports whether there is no ID at all.
func (id ID) IsZero() bool { return !id.isInt && id.text == "" }

// String returns the ID as it stands in a path: the digits, the UUID or the
// text key. The zero ID gives the empty string.
func (id ID) String() string {
	if id.isInt {
		return strconv.FormatInt(id.number, 10)
	}
	return id.text
}

// MarshalJSON writes a number, a string, or null for the zero ID.
func (id ID) MarshalJSON() ([]byte, error) {
	switch {
	case id.isInt:
		return strconv.AppendInt(nil, id.number, 10), nil
	case id.text == "":
		return []byte("null"), nil
	default:
		return json.Marshal(id.text)
	}
}

// UnmarshalJSON reads a number, a string or null. Numbers may be written in
// exponent form, as batch results do, as long as they are whole.
func (id *ID) UnmarshalJSON(data []byte) error {
	parsed, ok := idFromJSON(data)
	if !ok && string(data) != "null" {
		return fmt.Errorf("%s is not a record id", quote(string(data)))
	}
	*id = parsed
	return nil
}

// idFromJSON reads an ID from a JSON number or string.
func idFromJSON(raw []byte) (ID, bool) {
	if jsonscan.Number(raw) {
		number, ok := Decimal(raw).Int64()
		return IntID(number), ok
	}
	text, ok := jsonscan.Text(raw)
	return ID{text: text}, ok && text != ""
}

// segment returns the ID as part of a path. The REST plugin takes whole
// numbers and UUIDs; anything else is a 400 or, when writing, a bare 500.
func (id ID) segment() (string, error) {
	switch {
	case id.IsZero():
		return "", invalid("no record id given; use erp.IntID, erp.UUID or erp.ParseID")
	case id.isInt && id.number < 0:
		return "", invalid("record id %d is negative", id.number)
	case !id.isInt && !isUUID(id.text):
		return "", invalid("record id %s is neither a whole number nor a UUID", quote(id.text))
	}
	return id.String(), nil
}

// isUUID accepts the form 8-4-4-4-12 in hexadecimal digits of any case, the
// only one the REST plugin recognises.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
			continue
		}
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}
