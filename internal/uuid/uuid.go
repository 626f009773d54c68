// Package uuid makes and reads UUIDs (RFC 9562) as text: 36 characters in small
// letters.
package uuid

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// V5 derives a UUID from a namespace and a name (version 5): the same two always
// give the same UUID. A namespace that is not a UUID is used by its bytes.
func V5(namespace, name string) string {
	h := sha1.New()
	if raw, ok := Parse(namespace); ok {
		h.Write(raw[:])
	} else {
		h.Write([]byte(namespace))
	}
	h.Write([]byte(name))
	var u [16]byte
	copy(u[:], h.Sum(nil))
	return format(u, 5)
}

// V7 makes a UUID of a time and random bits (version 7), the kind the ERP gives
// to records itself. UUIDs of later times sort later, to the millisecond.
func V7(at time.Time) string {
	var u [16]byte
	rand.Read(u[6:]) // never fails, by its contract
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(u[:6], ms[2:])
	return format(u, 7)
}

// Parse reads the form 8-4-4-4-12 of hexadecimal digits in any case.
func Parse(text string) (raw [16]byte, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return raw, false
	}
	digits := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	if _, err := hex.Decode(raw[:], []byte(digits)); err != nil {
		return raw, false
	}
	return raw, true
}

func format(u [16]byte, version byte) string {
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
