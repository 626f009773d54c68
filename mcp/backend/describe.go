package backend

import (
	"context"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
)

// Describer tells what a role may know about a table. A table the role must not
// know of is not found, in the same words as one that is not there.
type Describer interface {
	// Describe describes a table by its name in any case; a nil role is the
	// caller's.
	Describe(ctx context.Context, caller mcp.Caller, role *int, table string) (*api.TableMetadata, error)
}

// roleOf is the role to query under: the one named, else the caller's.
func roleOf(caller mcp.Caller, named *int) (int, bool) {
	switch {
	case named != nil:
		return *named, true
	case caller.Known:
		return caller.RoleID, true
	}
	return 0, false
}

// AllAbilities are the words that [Abilities] uses.
func AllAbilities() []string {
	words := make([]string, len(abilities))
	for i, a := range abilities {
		words[i] = a.name
	}
	return words
}
