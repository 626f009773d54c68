package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// otherNames are the names under which callers send an argument, by the name
// the tool has for it, both without regard to case, "_" and "-". They are in no
// schema: a model that reads the definition needs none of them.
var otherNames = map[string][]string{
	"table":     {"tablename", "entity", "model", "modelname"},
	"tablename": {"table", "entity", "model", "modelname"},
	"tables":    {"table", "tablename", "tablenames"},
	"column":    {"columnname", "field", "fieldname"},
	"columns":   {"select", "fields", "columnnames", "column"},
	"window":    {"windowname"},
	"process":   {"processname", "processvalue", "processid"},
	"processid": {"process", "processname", "processvalue", "processslug", "slug"},
	"reference": {"referencename"},
	"generator": {"generatorname"},
	"pattern":   {"filter", "like", "search", "name", "query"},
	"filter":    {"where", "whereclause", "condition", "conditions", "pattern"},
	"query":     {"q", "text", "search", "searchtext", "searchterm", "term", "terms", "words", "keywords"},
	"sql":       {"query", "statement", "sqlquery"},
	"params":    {"parameters", "args", "arguments", "bindings"},
	"kinds":     {"kind", "types", "type"},
	"id":        {"recordid", "record", "key", "uuid", "uid"},
	"uuid":      {"uid", "recorduu", "recorduuid"},
	"jobid":     {"id", "job", "jobname"},
	"values":    {"data", "fields", "attributes"},
	"roleid":    {"role"},
	"limit":     {"top", "pagesize", "maxrows", "maxresults", "max", "count"},
	"maxrows":   {"limit", "top", "pagesize", "max", "rows"},
	"orderby":   {"order", "sort", "sortby", "orderbyclause"},
	"groupby":   {"group", "by", "dimensions"},
	"by":        {"groupby", "group", "dimensions"},
	"measures":  {"aggregates", "aggregations", "aggregate"},
	"name":      {"metric", "metricname", "template"},
	"cursor":    {"nextcursor", "pagetoken", "continuation"},
	"dryrun":    {"preview", "simulate"},
	"user":      {"username", "userid"},
}

// foldName is a name as names of arguments are compared.
func foldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// meant is the argument of the tool that a name stands for: one that differs in
// case or underscores, else the only one that goes by that name as well.
func (c *checker) meant(name string) (string, bool) {
	folded := foldName(name)
	var found []string
	for _, own := range c.names {
		if foldName(own) == folded {
			return own, true
		}
		if slices.Contains(otherNames[foldName(own)], folded) {
			found = append(found, own)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return "", false
}

// rename gives arguments the names that the tool has for them. What it does not
// know stays as it is.
func (c *checker) rename(given map[string]json.RawMessage) error {
	if !c.closed {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(c.names, name) {
			continue
		}
		own, ok := c.meant(name)
		if !ok {
			continue
		}
		if _, twice := given[own]; twice {
			return c.wrong(fmt.Sprintf("the argument %s is given twice, also as %s", own, text.Quote(name)), "give "+own+" alone")
		}
		given[own] = given[name]
		delete(given, name)
	}
	return nil
}
