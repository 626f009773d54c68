// Package overlay makes the contract of release 13 from that of release 12.
//
// The differences are a list of replacements of whole pieces of text. Each piece
// must occur exactly once, so a change of the v12 contract that touches one of them
// is noticed instead of silently lost. Working on text keeps order, layout and
// comments of the file, which makes both contracts easy to compare.
package overlay

import (
	"bytes"
	"fmt"
)

type change struct {
	why      string
	from, to string
}

// changes are the differences known of release 13: its UUID columns have the uuid
// type of the database instead of being text of 36 characters.
var changes = []change{
	{"the header names the release and where the file comes from",
		"# OpenAPI contract of the ERP's REST API, release 12.\n#\n",
		"# OpenAPI contract of the ERP's REST API, release 13.\n#\n# Made from v12/openapi.yaml by `go generate`; do not edit.\n#\n"},
	{"release", "  version: 12.0.0\n", "  version: 13.0.0\n"},
	{"release and the known differences",
		"    The REST API of an iDempiere server of release 12, as the erphub SDK uses it.\n",
		"    The REST API of an iDempiere server of release 13, as the erphub SDK uses it.\n\n" +
			"    Known differences to release 12: UUID columns have the uuid type of the database (PostgreSQL).\n" +
			"    A uuid in a path, filter or body must therefore be well-formed, and its case does not matter.\n"},
	{"uuids are compared as uuids", "description: 'Record: integer key or uuid.'",
		"description: 'Record: integer key or well-formed uuid, in any case.'"},
	{"uuids are well-formed", "uid: {type: string, description: UUID of the record.}",
		"uid: {type: string, description: UUID of the record., format: uuid}"},
}

// V13 returns the contract of release 13 made from the one of release 12. It fails
// when a piece of text it replaces is missing or occurs more than once.
func V13(v12 []byte) ([]byte, error) {
	out := v12
	for _, c := range changes {
		if n := bytes.Count(out, []byte(c.from)); n != 1 {
			return nil, fmt.Errorf("contract of release 13, %s: %q occurs %d times in the contract of release 12, want once; adapt the list of changes", c.why, c.from, n)
		}
		out = bytes.Replace(out, []byte(c.from), []byte(c.to), 1)
	}
	return out, nil
}
