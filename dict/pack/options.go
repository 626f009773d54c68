package pack

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Options change what is written. Nil and the zero value are the defaults.
type Options struct {
	// Name of the package; a plugin's symbolic name when the archive is for a
	// plugin. Empty: the first table of the plan in small letters. Letters,
	// digits, dots, dashes and underscores.
	Name string
	// Version of the archive; zero: 1.0.0.
	Version Version
	// Description of the package; empty: the plan's name.
	Description string
	Author      string
	AuthorEmail string
	// Date stands in the header; zero: 2000-01-01. It is never taken from a
	// clock, so that the same plan gives the same archive.
	Date time.Time
	// EntityTypes are put first, for plans whose entity type the ERP does not
	// have yet.
	EntityTypes []EntityType
	// UpdateDictionary allows records of the ERP's own entity types, which are
	// skipped on import otherwise and refused here.
	UpdateDictionary bool
	// Resolve tells how a record outside the plan is known in every ERP the
	// archive is for: by official id (1 to 999999) or by UUID. Neither means that
	// it is not known. nil: only the ERP's own records are known.
	Resolve func(dict.Existing) (id int, uuid dict.UUID, err error)
}

// EntityType is an owner of dictionary records.
type EntityType struct {
	Code         string // XX, at least two capitals or digits
	Name         string // empty: Code
	ModelPackage string
}

// core are the entity types whose records an import skips.
var core = map[string]bool{"D": true, "EE01": true, "EE02": true, "EE04": true, "EE05": true}

var safeName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (o *Options) withDefaults(plan *dict.Plan) (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Name == "" {
		out.Name = "dictionary"
		if tables := plan.Summary().Tables; len(tables) > 0 {
			out.Name = strings.ToLower(tables[0])
		}
	}
	if !safeName().MatchString(out.Name) || len(out.Name) > 100 || strings.Contains(out.Name, "..") {
		return out, fmt.Errorf("the package name %q cannot be part of a file name; use letters, digits, dots, dashes and underscores", out.Name)
	}
	if out.Version.IsZero() {
		out.Version = Version{1, 0, 0}
	}
	if _, err := ParseVersion(out.Version.String()); err != nil {
		return out, err
	}
	if out.Description == "" {
		out.Description = plan.Name()
	}
	if out.Date.IsZero() {
		out.Date = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	out.EntityTypes = slices.Clone(out.EntityTypes)
	for i, e := range out.EntityTypes {
		if e.Name == "" {
			out.EntityTypes[i].Name = e.Code
		}
	}
	return out, nil
}

// top is the archive's only folder: the file name without .zip.
func (o *Options) top() string { return filePrefix + o.Version.String() }
