package complete

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/mcp/tools"
)

// kind is what a word can be. Which of it fits is sorted out behind it.
type kind func(*request) result

// words are a kind that is known beforehand.
func words(all ...string) kind {
	return func(*request) result { return result{candidates: plain(all)} }
}

func plain(all []string) []Candidate {
	found := make([]Candidate, len(all))
	for i, w := range all {
		found[i].Value = w
	}
	return found
}

func files(*request) result   { return result{mode: modeFiles} }
func folders(*request) result { return result{mode: modeFolders} }

// list is several of a kind with commas between them.
func list(of kind) kind {
	return func(r *request) result {
		typed := r.word
		head := typed[:strings.LastIndex(typed, ",")+1]
		r.word = typed[len(head):]
		found := of(r)
		r.word = typed
		given := strings.Split(strings.ToLower(head), ",")
		var more []Candidate
		for _, c := range found.candidates {
			if !slices.Contains(given, strings.ToLower(c.Value)) {
				more = append(more, Candidate{head + c.Value, c.About})
			}
		}
		return result{candidates: more, nospace: true}
	}
}

func tables(r *request) result    { return result{candidates: r.names.tables()} }
func processes(r *request) result { return result{candidates: r.names.processes()} }
func windows(r *request) result   { return result{candidates: r.names.windows()} }

// columns are those of the table that the line names: with --table, or as the
// first argument.
func columns(r *request) result {
	table := r.line.Value("table")
	if table == "" && len(r.line.Words) > 0 {
		table = r.line.Words[0]
	}
	if table == "" {
		return result{}
	}
	return result{candidates: r.names.columns(table)}
}

// assignments are the columns of the table with = behind.
func assignments(r *request) result {
	found := columns(r)
	for i := range found.candidates {
		found.candidates[i].Value += "="
	}
	found.nospace = true
	return found
}

// tableColumns are columns as Table.Column: first the table, then the column.
func tableColumns(r *request) result {
	table, _, dotted := strings.Cut(r.word, ".")
	found := result{nospace: !dotted}
	if !dotted {
		for _, t := range r.names.tables() {
			found.candidates = append(found.candidates, Candidate{t.Value + ".", t.About})
		}
		return found
	}
	for _, c := range r.names.columns(table) {
		found.candidates = append(found.candidates, Candidate{table + "." + c.Value, c.About})
	}
	return found
}

func profiles(r *request) result { return result{candidates: r.names.profiles()} }

func settings(*request) result {
	var found []Candidate
	for _, k := range config.Keys() {
		found = append(found, Candidate{k.Name, k.About})
	}
	return result{candidates: found}
}

func metricNames(*request) result {
	set, err := metrics.Builtin()
	if err != nil {
		return result{}
	}
	var found []Candidate
	for _, d := range set.Definitions() {
		found = append(found, Candidate{d.Name, d.Title})
	}
	return result{candidates: found}
}

func deliveries(*request) result {
	var found []Candidate
	for _, m := range generator.Modes() {
		found = append(found, Candidate{Value: string(m)})
	}
	return result{candidates: found}
}

func environments(*request) result {
	var found []Candidate
	for _, e := range deploylog.Environments() {
		found = append(found, Candidate{Value: string(e)})
	}
	return result{candidates: found}
}

func toolsets(*request) result {
	return result{candidates: []Candidate{
		{tools.SetRegistry, "the dictionary"}, {tools.SetQuery, "read data"}, {tools.SetTable, "create and change tables"},
		{tools.SetGenerator, "plugin sources"}, {tools.SetDoctor, "is everything set up"}, {tools.SetRecords, "create and change records"},
		{tools.SetDeploy, "the deployment log"}, {tools.SetChat, "what a chat agent needs"}, {tools.SetOwn, "queries of your own"},
		{tools.SetAccess, "who may do what"}, {tools.SetMetrics, "numbers with a definition"}, {"all", "all of them"},
	}}
}

// path is a path of the REST API, as far as that is a table.
func path(r *request) result {
	var found []Candidate
	if len(r.line.Words) == 0 {
		found = plain([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "models/", "processes/", "windows/", "charts/"})
	}
	if head, _, below := strings.Cut(r.word, "/"); below && strings.EqualFold(head, "models") {
		for _, t := range r.names.tables() {
			found = append(found, Candidate{"models/" + t.Value, t.About})
		}
	}
	return result{candidates: found, nospace: strings.Contains(r.word, "/")}
}

// formats are those of commands that print data. A file says the format, too.
func formats(r *request) result {
	found := result{candidates: plain([]string{"table", "json", "ndjson", "yaml"}), otherwise: modeFiles}
	if r.line.Flag(r.app, "columns") != nil {
		found.candidates = append(found.candidates, plain([]string{"wide", "csv", "name", "vertical"})...)
	}
	return found
}

// ways are how changes come into the ERP.
var ways = words("rest", "pack", "migration", "sql")

// arguments are the kinds of the arguments of commands, the last of them for all
// that follow. nil stands for what nobody can complete.
var arguments = map[string][]kind{
	"help": {helpWords}, "completion": {words("bash", "zsh", "fish", "powershell"), nil}, "api": {path}, "open": {tables, nil},
	"record get": {tables, nil}, "record list": {tables, nil}, "record create": {tables, assignments}, "record update": {tables, nil, assignments},
	"record delete": {tables, nil}, "record count": {tables, nil}, "record print": {tables, nil},
	"record attachments": {tables, nil}, "record attach": {tables, nil, files}, "record download": {tables, nil}, "record detach": {tables, nil},
	"record import": {tables, files, nil}, "record export": {tables, nil},
	"dict inspect": {tables}, "dict diagram": {tables}, "dict describe": {tables}, "sync table": {tables, nil}, "sync column": {tableColumns, nil},
	"generate model": {tables},
	"process info":   {processes, nil}, "process run": {processes, nil},
	"metrics show": {metricNames, nil}, "metrics query": {metricNames, nil}, "metrics check": {folders},
	"config get": {settings, nil}, "config set": {settings, nil}, "config unset": {settings, nil},
	"profile use": {profiles, nil}, "profile rename": {profiles, nil}, "profile remove": {profiles, nil},
	"env deploy status": {environments, nil}, "env deploy watch": {environments, nil}, "cache reset": {tables, nil},
}

// flagValues are the kinds of the values of flags: by command and flag where that
// matters, else by the flag alone. A flag that takes a file is completed as such
// without being here.
var flagValues = map[string]kind{
	"profile": profiles, "env": environments, "color": words("auto", "always", "never"), "store": words("auto", "keyring", "file"),
	"table": tables, "target-table": tables, "tables": list(tables), "archive-tables": list(tables), "deny-table": tables, "open-table": tables,
	"column": columns, "select": list(columns), "orderby": list(columns), "process": processes, "window": windows, "windows": list(windows),
	"generate callout --columns": list(tableColumns), "columns": list(columns),
	"deliver": deliveries, "toolsets": list(toolsets), "default-toolsets": list(toolsets), "dialect": words("postgresql", "oracle", "both"),
	"backend": words("rest", "ai", "db", "cli"), "confirm": words("user", "client"), "transport": words("stdio", "http"),
	"report-type": words("PDF", "HTML", "CSV", "XLS", "XLSX"), "mask": words("standard", "none"), "replication": words("L", "M", "R"),
	"access-level": words("1", "2", "3", "4", "6", "7"), "locale": words("en_US", "de_DE", "es_CO", "fr_FR", "pt_BR"),
	"add table --format": ways, "dict apply --format": ways, "env deploy install --format": ways, "sync table --format": words("rest", "migration", "sql"),
	"sync column --format": words("rest", "migration", "sql"),
	"schemas":              words("mcp", "openai", "anthropic"), "format": words("table", "json", "ndjson", "csv"),
	"env deploy update --status": words("DEPLOYING"), "env deploy start --status": words("SUCCESS", "FAILED"), "env deploy complete --status": words("SUCCESS", "FAILED"),
	"env deploy history --status": words("BUILDING", "DEPLOYING", "SUCCESS", "FAILED", "ROLLED_BACK"),
	"query --status":              words("succeeded", "error", "refused"),
	"doctor --only":               list(words("environment", "configuration", "api", "database", "compatibility")),
	"mcp config --client":         words("claude-desktop", "claude-code", "vscode", "cursor", "windsurf", "gemini", "zed", "codex"),
	"sandbox --data":              folders, "sandbox clone --data": folders, "sandbox refresh --data": folders, "sandbox diff --data": folders, "dir": folders,
	"spool": folders, "rehearse": folders, "plugin": folders, "knowledge": folders, "metrics": folders,
}

// valuesOf is the kind of a flag's value, nil for what nobody can complete.
func (r *request) valuesOf(f cli.Flag) kind {
	for _, name := range f.Names() {
		if k, ok := flagValues[r.path()+" --"+name]; ok {
			return k
		}
	}
	if choices := r.choices(f.Names()[0]); choices != nil {
		return choices
	}
	if shell.TakesFormat(f) {
		return formats
	}
	if help.TakesFile(f) {
		return files
	}
	for _, name := range f.Names() {
		if k, ok := flagValues[name]; ok {
			return k
		}
	}
	return nil
}

// choices are the values of a generator's option, where only some are possible.
func (r *request) choices(flag string) kind {
	if len(r.line.Chain) != 2 || r.line.Chain[0].Name != "generate" {
		return nil
	}
	g, err := generator.Find(r.line.Chain[1].Name)
	if err != nil {
		return nil
	}
	for i := range g.Options {
		if o := &g.Options[i]; o.Flag() == flag && len(o.Choices) > 0 {
			if o.Type == generator.TypeStrings {
				return list(words(o.Choices...))
			}
			return words(o.Choices...)
		}
	}
	return nil
}
