package help

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// OutputCategory is the category of flags about how a result is printed. They are
// the same for every command that has them, so that pages list them apart.
const OutputCategory = "Output"

func categoryOf(f cli.Flag) string {
	if c, ok := f.(cli.CategorizableFlag); ok {
		return c.GetCategory()
	}
	return ""
}

// outputEntries are the visible flags of OutputCategory.
func outputEntries(flags []cli.Flag) []Entry {
	var all []Entry
	for _, f := range flags {
		if visible(f) && categoryOf(f) == OutputCategory {
			all = append(all, flagEntry(f))
		}
	}
	return all
}

// outputOf are the flags of OutputCategory that commands have, each once.
func outputOf(commands []*cli.Command) []Entry {
	var all []Entry
	for _, c := range commands {
		for _, e := range append(outputEntries(c.Flags), outputOf(c.Subcommands)...) {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// flagGroups are the other visible flags by category. Those without one come first.
func flagGroups(flags []cli.Flag) []Group {
	var groups []Group
	for _, f := range flags {
		category := categoryOf(f)
		if !visible(f) || category == OutputCategory {
			continue
		}
		groups = addTo(groups, category, flagEntry(f))
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		switch {
		case a.Title == "" && b.Title != "":
			return -1
		case a.Title != "" && b.Title == "":
			return 1
		}
		return 0
	})
	return themed(groups)
}

// flagEntries are the visible flags.
func flagEntries(flags []cli.Flag) []Entry {
	var all []Entry
	for _, f := range flags {
		if visible(f) {
			all = append(all, flagEntry(f))
		}
	}
	return all
}

func visible(f cli.Flag) bool {
	v, ok := f.(cli.VisibleFlag)
	return !ok || v.IsVisible()
}

// named finds what a usage calls the value: a word in capitals in backquotes.
var named = lazyregexp.New("`([A-Z][A-Z0-9_=:.|,-]*)`")

// flagEntry is a flag as help shows it: -o, --output FILE, and what it is for,
// with the default where that says something.
func flagEntry(f cli.Flag) Entry {
	usage, value := "", ""
	if d, ok := f.(cli.DocGenerationFlag); ok {
		usage = d.GetUsage()
		if d.TakesValue() {
			value = " " + valueName(f, usage)
			usage = named().ReplaceAllString(usage, "$1")
			if d := defaultOf(d); d != "" && !strings.Contains(usage, "default") {
				usage += " (default: " + d + ")"
			}
		}
	}
	var short, long []string
	for _, name := range f.Names() {
		if len(name) == 1 {
			short = append(short, "-"+name)
		} else {
			long = append(long, "--"+name)
		}
	}
	return Entry{strings.Join(append(short, long...), ", ") + value, usage}
}

// valueNames are what the values of flags are called where their own name does
// not say it.
var valueNames = map[string]string{
	"select": "COLUMNS", "orderby": "COLUMNS", "filter": "CONDITION", "expand": "TABLES", "top": "N", "skip": "N", "limit": "N", "depth": "N",
	"since": "TIME", "until": "TIME", "listen": "ADDRESS", "metrics-listen": "ADDRESS", "database": "URL", "audit-database": "URL", "postgres": "URL",
	"postgres-reader": "URL", "redis": "URL", "to": "USER", "by": "NAME", "data": "JSON", "args": "JSON", "jq": "EXPRESSION", "q": "EXPRESSION",
	"class": "NAME", "label": "TEXT", "value": "KEY", "env": "ENVIRONMENT", "dir": "FOLDER", "spool": "FOLDER", "param": "NAME=VALUE",
	"deliver": "MODE", "contains": "TEXT", "search": "TEXT", "rehearse": "FOLDER", "plugin": "FOLDER",
}

// valueName is what the value of a flag is called.
func valueName(f cli.Flag, usage string) string {
	if m := named().FindStringSubmatch(usage); m != nil {
		return m[1]
	}
	name := f.Names()[0]
	if v, ok := valueNames[name]; ok {
		return v
	}
	switch f.(type) {
	case *cli.IntFlag, *cli.Int64Flag, *cli.UintFlag, *cli.Float64Flag:
		return "N"
	case *cli.DurationFlag:
		return "DURATION"
	}
	if TakesFile(f) && !strings.HasSuffix(name, "-file") {
		return "FILE"
	}
	return strings.ToUpper(name[strings.LastIndex(name, "-")+1:])
}

// TakesFile reports whether the value of a flag is a file or a folder.
func TakesFile(f cli.Flag) bool {
	switch f := f.(type) {
	case *cli.StringFlag:
		return f.TakesFile
	case *cli.StringSliceFlag:
		return f.TakesFile
	case *cli.GenericFlag:
		return f.TakesFile
	case *cli.PathFlag:
		return true
	}
	return false
}

// defaultOf is the default of a flag as it would be written, "" for none and for
// what goes without saying.
func defaultOf(f cli.DocGenerationFlag) string {
	text := f.GetDefaultText()
	if unquoted := strings.Trim(text, `"`); !strings.Contains(unquoted, `"`) {
		text = unquoted
	}
	switch text {
	case "0", "0s", "false":
		return ""
	}
	if _, ok := f.(*cli.DurationFlag); ok { // 1m0s
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
	}
	return text
}
