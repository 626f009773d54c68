package generator

import (
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

// DictionaryUse is the use that a generator has for the dictionary.
type DictionaryUse int

// The uses, each more than the one before. Where the dictionary is optional,
// names are checked and spelled as it has them, and taken as they are without
// one.
const (
	DictionaryUnused DictionaryUse = iota
	DictionaryOptional
	DictionaryRequired
)

// Dictionary reports whether generating with these options looks things up in the
// dictionary, so that callers connect to an ERP only when it is needed. Options
// that cannot be used count as if they were not given.
func (g *Generator) Dictionary(options map[string]any) DictionaryUse {
	use := DictionaryUnused
	for _, o := range g.Options {
		given, _ := convert(TypeStrings, options[o.Name])
		entries, _ := given.([]string)
		for _, entry := range entries {
			use = max(use, lookup(o.Name, entry))
		}
		if g.Name == "report" && o.Name == "columns" && len(entries) == 0 {
			use = DictionaryRequired // they are the table's identifiers
		}
	}
	return use
}

// lookup is what one value of an option is looked up for.
func lookup(option, value string) DictionaryUse {
	switch option {
	case "tables", "archiveTables":
		return DictionaryRequired
	case "table", "columns", "parameters":
		if table, _, _ := strings.Cut(value, "."); table == "*" {
			return DictionaryUnused
		}
		return DictionaryOptional
	case "windows":
		if _, ok := dict.ParseUUID(value); ok || value == "*" {
			return DictionaryUnused
		}
		return DictionaryRequired
	case "components":
		c, why := parseComponent(value)
		target, _ := targetOption(c.kind)
		switch {
		case why != "" || target == "" || c.target == "":
			return DictionaryUnused
		case c.kind == "report":
			return DictionaryRequired
		}
		return lookup(target, c.target)
	}
	return DictionaryUnused
}

// Missing lists the options that have to be given and are not, for adding to a
// plugin that is there or for making a new one.
func (g *Generator) Missing(options map[string]any, adding bool) []Option {
	return slices.DeleteFunc(slices.Clone(g.Options), func(o Option) bool {
		given := options[o.Name]
		return !o.Required || adding && o.NewOnly || given != nil && !empty(given)
	})
}
