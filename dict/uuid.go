package dict

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
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
	h := sha1.New()
	if raw, ok := namespace.bytes(); ok {
		h.Write(raw[:])
	} else {
		h.Write([]byte(namespace))
	}
	h.Write([]byte(name))
	var u [16]byte
	copy(u[:], h.Sum(nil))
	return format(u, 5)
}

// NewUUID makes a new UUID from the clock and random bits (RFC 9562, version
// 7), the kind the ERP gives to records itself. UUIDs made later sort later,
// to the millisecond.
func NewUUID() UUID { return uuidV7(time.Now()) }

func uuidV7(now time.Time) UUID {
	var u [16]byte
	rand.Read(u[6:]) // never fails, by its contract
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(u[:6], ms[2:])
	return format(u, 7)
}

// ParseUUID reads a UUID in any case. It reports false for everything that is
// not 8-4-4-4-12 hexadecimal digits.
func ParseUUID(s string) (UUID, bool) {
	u := UUID(strings.ToLower(s))
	if _, ok := u.bytes(); !ok {
		return "", false
	}
	return u, true
}

func (u UUID) bytes() (raw [16]byte, ok bool) {
	if len(u) != 36 || u[8] != '-' || u[13] != '-' || u[18] != '-' || u[23] != '-' {
		return raw, false
	}
	digits := string(u[:8] + u[9:13] + u[14:18] + u[19:23] + u[24:])
	if _, err := hex.Decode(raw[:], []byte(digits)); err != nil {
		return raw, false
	}
	return raw, true
}

func format(u [16]byte, version byte) UUID {
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
	return UUID(fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]))
}
