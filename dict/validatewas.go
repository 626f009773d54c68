package dict

import (
	"fmt"
	"strings"
)

// validateFormerNames checks what tables and columns were called before: each
// former name belongs to one thing, which is not there under it any more.
func validateFormerNames(f *findings, tables []Table) {
	names, taken := map[string]bool{}, map[string]string{}
	for _, t := range tables {
		names[strings.ToLower(t.Name)] = true
	}
	for _, t := range tables {
		formerName(f, shown(t.Name), t.Was, MaxTableName, names, taken)
		if t.Window != nil && t.Window.Was != "" {
			f.text(shown(t.Name)+" window", "was", "the former name", t.Window.Was, maxLabel)
		}
		columns, before := map[string]bool{}, map[string]string{}
		for _, c := range t.expand() {
			columns[strings.ToLower(c.Name)] = true
		}
		for _, c := range t.Columns {
			where := shown(t.Name) + "." + shown(c.Name)
			formerName(f, where, c.Was, MaxColumnName, columns, before)
			if r := c.Reference; r != nil && r.Was != "" {
				f.text(where, "was", "the former name of the reference", r.Was, maxLabel)
				if len(r.Values) == 0 && r.Lookup == nil {
					f.add(where, "was", "the reference "+quote(r.Name)+" belongs to the ERP and cannot be renamed", "leave its was out")
				}
			}
		}
	}
}

func formerName(f *findings, where, was string, limit int, names map[string]bool, taken map[string]string) {
	if was == "" {
		return
	}
	lower := strings.ToLower(was)
	if problem := checkIdentifier(was, limit); problem != "" {
		f.add(where, "was", fmt.Sprintf("the former name %s %s", quote(was), problem), "give the name that the ERP has")
		return
	}
	if names[lower] {
		f.add(where, "was", fmt.Sprintf("its former name %s is defined as well", was), "remove the other definition, or was")
	}
	if other, ok := taken[lower]; ok {
		f.add(where, "was", fmt.Sprintf("%s was called %s, too", other, was), "one of them at most was")
	}
	taken[lower] = where
}
