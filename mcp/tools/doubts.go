package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/mcp"
)

// doubtTime is how long the same call is taken for a repetition.
const doubtTime = time.Hour

// doubts remembers the UUIDs of creations whose outcome is not known. The same call
// by the same caller uses the same UUID, so that it creates nothing twice.
type doubts struct {
	memory[[sha256.Size]byte, dict.UUID]
}

// of is the UUID of a creation: that of an earlier call which may have created it,
// or a new one.
func (d *doubts) of(c *mcp.Call, now time.Time) (uuid dict.UUID, again bool) {
	if uuid, again = d.get(sameCall(c), now); !again {
		uuid = dict.NewUUID()
	}
	return uuid, again
}

// sameCall tells calls apart by who calls, in which session, what, with which
// arguments, in whatever order they are.
func sameCall(c *mcp.Call) [sha256.Size]byte {
	var arguments any
	d := json.NewDecoder(bytes.NewReader(c.Arguments))
	d.UseNumber()
	raw := []byte(c.Arguments)
	if d.Decode(&arguments) == nil {
		raw, _ = json.Marshal(arguments) // what was decoded can be encoded
	}
	who := c.Caller
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %d %d %q %s", who.ID, who.Session, who.RoleID, who.OrgID, c.Tool, raw))
}

// createdOnce is the error of a creation that may have been made.
func createdOnce(err error, uuid dict.UUID) error {
	e := mcp.OutcomeUnknown(mcp.ErrorOf(err).Message, err)
	e.Hint = fmt.Sprintf("call again with the same arguments and the uuid %s beside them: it is created once at most, and the result says whether it was there", uuid)
	return e
}

// uuidOf reads the UUID that a caller gives.
func uuidOf(given, without string) (dict.UUID, error) {
	uuid, ok := dict.ParseUUID(given)
	if !ok {
		return "", &mcp.Error{Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("%q is no UUID", clip(given, 40)), Hint: "a UUID looks like 01a1fecd-af10-725c-a198-5e1e960e4d29; leave it out " + without}
	}
	return uuid, nil
}
