package migration

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
)

// folder is the folder that scripts of an installation are kept in.
const folder = "migration-local"

// DefaultRelease is the folder of scripts when none is requested.
const DefaultRelease = "iD12"

// defaultUser is the AD_User_ID that rows carry as their author: SuperUser.
const defaultUser = 100

// Lengths of columns of AD_MigrationScript.
const (
	maxName    = 60
	maxProject = 60
	maxRelease = 10
)

// stampLength is the length of the time in a name, 202608010900.
const stampLength = 12

// Options change what is written. Only Time is needed.
type Options struct {
	// Time is the time when the script was made, to the minute in its name and to the
	// second in its rows, in the zone it carries. With the same time and id the
	// same plan gives the same script.
	Time time.Time
	// Release is the folder of the script; empty: [DefaultRelease].
	Release string
	// ID is the second part of the name, normally a ticket (XX-1234): letters,
	// digits, - and _, at most 43; empty: made from the plan's name.
	ID string
	// Title is the text of the first line; empty: the plan's name.
	Title string
	// User is the AD_User_ID that rows carry as their author; 0: 100, SuperUser.
	User int
	// Resolve finds the table that a reference leads to, by the reference's
	// name, as in [ddl.Options]. Without it, foreign keys that only the ERP
	// knows the table of are made by a block that looks it up.
	Resolve func(reference string) (table, column string, ok bool)
}

// checked are the options with their defaults, or what is wrong with them.
func (o *Options) checked(plan *dict.Plan) (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Time.IsZero() {
		return out, errors.New("a migration script needs a time for its name; set Options.Time")
	}
	if y := out.Time.Year(); y < 1000 || y > 9999 {
		return out, fmt.Errorf("the year %d has no place in the name of a migration script", y)
	}
	out.Release = cmp.Or(out.Release, DefaultRelease)
	if !folderName(out.Release) {
		return out, fmt.Errorf("the release %q is not a folder name; use letters, digits, dots, - and _", out.Release)
	}
	if out.ID == "" {
		out.ID = idOf(plan)
	}
	const limit = maxName - stampLength - len("_") - len(".sql")
	if !plainName(out.ID) || len(out.ID) > limit {
		return out, fmt.Errorf("the id %q of a migration script has to be letters, digits, - and _, at most %d of them", out.ID, limit)
	}
	if out.Title == "" {
		out.Title = plan.Name()
	}
	out.User = cmp.Or(out.User, defaultUser)
	return out, nil
}

// idOf makes an id from the plan's name: its first table. A name that has to be
// shortened gets a mark of the plan, so that two of them differ.
func idOf(plan *dict.Plan) string {
	first, _, more := strings.Cut(plan.Name(), ", ")
	id := strings.Map(func(r rune) rune {
		if plainRune(r) {
			return r
		}
		return '_'
	}, first)
	id = cmp.Or(id, "plan")
	const limit = maxName - stampLength - len("_") - len(".sql")
	if more || len(id) > limit || id != first {
		sum := sha256.Sum256([]byte(plan.Name() + plan.Fingerprint()))
		mark := "_" + hex.EncodeToString(sum[:4])
		id = id[:min(len(id), limit-len(mark))] + mark
	}
	return id
}

func plainRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

func plainName(s string) bool {
	for _, r := range s {
		if !plainRune(r) {
			return false
		}
	}
	return s != ""
}

// folderName reports whether s is the name of one folder that every system takes.
func folderName(s string) bool {
	return s != "" && len(s) <= 40 && plainName(strings.ReplaceAll(s, ".", "_")) && strings.Trim(s, ".") != "" && s[0] != '.'
}
