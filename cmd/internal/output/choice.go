package output

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// Format is a way to write a result.
type Format string

// The formats.
const (
	FormatTable    Format = "table"    // rows under headings, as wide as the terminal
	FormatWide     Format = "wide"     // all columns, nothing shortened
	FormatJSON     Format = "json"     // one value
	FormatNDJSON   Format = "ndjson"   // an element of the list per line
	FormatYAML     Format = "yaml"     // one document
	FormatCSV      Format = "csv"      // names of the columns, then the rows
	FormatName     Format = "name"     // the first column, one per line
	FormatVertical Format = "vertical" // a line per column
)

// Formats are all formats, in the order in which they are listed.
var Formats = []Format{FormatTable, FormatWide, FormatJSON, FormatNDJSON, FormatYAML, FormatCSV, FormatName, FormatVertical}

// extensions say the format of a file.
var extensions = map[string]Format{
	".json": FormatJSON, ".ndjson": FormatNDJSON, ".jsonl": FormatNDJSON, ".yaml": FormatYAML, ".yml": FormatYAML,
	".csv": FormatCSV, ".txt": FormatTable,
}

// Flags are what a command line says about the output.
type Flags struct {
	Output   string // --output: a format, a file or -
	Columns  string // --columns, with commas between
	JQ       string // --jq
	Template string // --template
	JSON     bool   // --json
	// Rows reports whether the result has rows and columns. Without them there is no
	// CSV, and no other format that needs them.
	Rows bool
	// Usual is the format without flags; empty is [FormatTable].
	Usual Format
}

// Choice is how a result is written.
type Choice struct {
	Format Format
	// File is where to; empty is standard output.
	File string
	// Columns are those named, in order; none means all.
	Columns []string
	// NoFormulas has text.NoFormula change the cells of CSV.
	NoFormulas bool

	jq       *JQ
	template *Template
}

// Parse reads the flags. An error says what to type instead.
func Parse(f Flags) (*Choice, error) {
	c := &Choice{Format: f.Usual}
	c.Format = cmp.Or(c.Format, FormatTable)
	named := f.Output != "" && f.Output != "-" // a format was
	if named {
		if err := c.setOutput(f); err != nil {
			return nil, err
		}
	}
	if f.JSON {
		switch {
		case c.Format != FormatJSON && c.Format != FormatNDJSON && named:
			return nil, fmt.Errorf("--json and -o %s contradict each other", f.Output)
		case !named:
			c.Format = FormatJSON
		}
		named = true
	}
	if f.Columns != "" {
		for part := range strings.SplitSeq(f.Columns, ",") {
			if part = strings.TrimSpace(part); part != "" {
				c.Columns = append(c.Columns, part)
			}
		}
		if len(c.Columns) == 0 {
			return nil, fmt.Errorf("--columns takes names of columns with commas between, not %q", f.Columns)
		}
	}
	return c, c.setFilter(f, named)
}

// setOutput reads the value of --output.
func (c *Choice) setOutput(f Flags) error {
	if format := Format(strings.ToLower(f.Output)); slices.Contains(Formats, format) {
		c.Format = format
	} else if !strings.ContainsAny(f.Output, `./\`) {
		hint := ""
		if near := nearest.Name(f.Output, names(f.Rows)); near != "" {
			hint = fmt.Sprintf("did you mean -o %s? ", near)
		}
		return fmt.Errorf("there is no format %q; %suse %s, or name a file such as -o %s.json", f.Output, hint, orList(names(f.Rows)), f.Output)
	} else {
		c.File = f.Output
		format, known := extensions[strings.ToLower(filepath.Ext(f.Output))]
		switch {
		case known:
			c.Format = format
		case f.Template == "": // a template may write anything
			return fmt.Errorf("the name of the file %s does not say its format; end it in .json, .ndjson, .yaml, .csv or .txt", f.Output)
		}
	}
	if !f.Rows && !slices.Contains(names(false), string(c.Format)) {
		return fmt.Errorf("-o %s needs rows and columns, which this command does not print; use %s", f.Output, orList(names(false)))
	}
	return nil
}

// setFilter reads --jq and --template.
func (c *Choice) setFilter(f Flags, named bool) (err error) {
	flag := "--jq"
	switch {
	case f.JQ != "" && f.Template != "":
		return fmt.Errorf("--jq and --template contradict each other")
	case f.JQ != "":
		if c.jq, err = CompileJQ(f.JQ); err != nil {
			return err
		}
	case f.Template != "":
		flag = "--template"
		if c.template, err = ParseTemplate(f.Template); err != nil {
			return err
		}
	default:
		return nil
	}
	if len(c.Columns) > 0 {
		return fmt.Errorf("%s and --columns contradict each other: %[1]s chooses by itself", flag)
	}
	switch {
	case c.Format == FormatJSON, c.Format == FormatNDJSON:
	case !named, c.File != "" && (c.Format == FormatTable || c.template != nil):
		c.Format = FormatJSON
	default:
		return fmt.Errorf("%s and -o %s contradict each other: %[1]s decides what is printed", flag, f.Output)
	}
	return nil
}

// Filtered reports whether --jq or --template decides what is written.
func (c *Choice) Filtered() bool { return c.jq != nil || c.template != nil }

// ForPeople reports whether the format is one for people, so that remarks beside it
// make sense.
func (c *Choice) ForPeople() bool {
	return c.Format == FormatTable || c.Format == FormatWide || c.Format == FormatVertical
}

// names are the names of the formats that a result has.
func names(rows bool) []string {
	var all []string
	for _, f := range Formats {
		if rows || f == FormatTable || f == FormatWide || f == FormatJSON || f == FormatNDJSON || f == FormatYAML {
			all = append(all, string(f))
		}
	}
	return all
}

func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
