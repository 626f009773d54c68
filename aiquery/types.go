package aiquery

import (
	"encoding/json"
	"time"
)

// Caller is the user who sends the request, as the token says. The role is not part of it: each
// request names one of the user's roles.
type Caller struct {
	UserID     int    // AD_User_ID of the logged-in user, whose permissions count
	Name       string // for the service's own log; may be empty
	RequestID  string // appears in response, log and audit; empty: one is made
	ProviderID int    // AIG_Provider_ID for the audit, 0 none
	// AIUserID is the AD_User_ID that the audit names as the AI user; 0: UserID.
	AIUserID int
	// ClientID is the tenant that the token names. It only says whose a record of
	// the audit is as long as the permissions are not known.
	ClientID int
}

// Request is one statement to run.
type Request struct {
	SQL    string            `json:"sql"`
	Params []json.RawMessage `json:"params,omitempty"` // scalars or arrays of scalars, for $1, $2 …
	RoleID int               `json:"roleId"`
	// MaxRows is the number of rows wanted; a number that is not positive means the
	// default, one above the limit means the limit.
	MaxRows int `json:"maxRows,omitempty"`
}

// Health is the state of the service.
type Health struct {
	OK       bool     `json:"ok"`       // queries can be run
	Database string   `json:"database"` // "up" or what is wrong, without addresses
	Audit    string   `json:"audit"`    // likewise
	Warnings []string `json:"warnings,omitempty"`
	// Limits are the bounds of a statement in PostgreSQL, by the names of its settings:
	// work_mem (of each sort and join), hash_mem_multiplier (the factor for hashing)
	// and temp_file_limit. None bounds the memory of a process: [Options.Collecting]
	// says how much a statement may need.
	Limits  map[string]string `json:"limits,omitempty"`
	Checked time.Time         `json:"checked"`
}
