package dict

import (
	"strings"
	"time"

	"github.com/erphub/erphub/internal/uuid"
)

// UUID is a UUID in its canonical text: 36 characters, lower case. The empty
// UUID means none.
type UUID string

// Namespace is the namespace of the UUIDs that plans give to their records
// unless [Options] names another: version 5 of the module's address in the URL
// namespace. It never changes, because every plan would then create its records
// anew.
const Namespace UUID = "60f8218d-b98a-57a9-b626-e86a2306c327"

// UUIDv5 derives a UUID from a namespace and a name (RFC 9562, version 5): the
// same two always give the same UUID. A namespace that is not a UUID is used by
// its bytes.
func UUIDv5(namespace UUID, name string) UUID {
	return UUID(uuid.V5(string(namespace), name))
}

// NewUUID makes a new UUID from the clock and random bits (RFC 9562, version
// 7), the kind the ERP gives to records itself. UUIDs made later sort later,
// to the millisecond.
func NewUUID() UUID { return uuidV7(time.Now()) }

func uuidV7(now time.Time) UUID { return UUID(uuid.V7(now)) }

// ParseUUID reads a UUID in any case. It reports false for everything that is
// not 8-4-4-4-12 hexadecimal digits.
func ParseUUID(s string) (UUID, bool) {
	u := UUID(strings.ToLower(s))
	if _, ok := uuid.Parse(s); !ok {
		return "", false
	}
	return u, true
}
