package review

import (
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
)

// oldNameLimit is how long names were in Oracle before 12.2, and in the ERP's
// dictionary of the time.
const oldNameLimit = 30

// Definitions are the findings that need no ERP, the severest first.
func Definitions(tables ...dict.Table) []Finding {
	var list []Finding
	names := map[string]bool{}
	for _, t := range tables {
		names[strings.ToLower(t.Name)] = true
	}
	name := func(where, what, name string) {
		if len(name) > oldNameLimit {
			list = append(list, Finding{Rule: ruleLongName, Severity: Warning, Where: where,
				Message: fmt.Sprintf("the name of the %s %s has %d characters, and Oracle before 12.2 takes %d", what, name, len(name), oldNameLimit),
				Advice:  "shorten it if scripts are to run there"})
		}
		switch strings.ToLower(name) {
		case "action", "old", "new", "timestamp", "interval":
			if what == "column" {
				list = append(list, Finding{Rule: ruleReservedWord, Severity: Warning, Where: where,
					Message: fmt.Sprintf("%s is a word of SQL that has to be quoted in places", name), Advice: "put a prefix before it: XX_" + name})
			}
		}
	}
	for _, t := range tables {
		name(t.Name, "table", t.Name)
		translated := ""
		for _, c := range t.Columns {
			where := t.Name + "." + c.Name
			name(where, "column", c.Name)
			if c.ForeignKeyName != "" {
				name(where, "foreign key", c.ForeignKeyName)
			}
			if c.Translated && translated == "" {
				translated = c.Name
			}
		}
		for _, i := range t.Indexes {
			name(t.Name+" index "+i.Name, "index", i.Name)
		}
		if translated != "" && !names[strings.ToLower(t.Name+"_Trl")] {
			list = append(list, Finding{Rule: ruleTranslationAbsent, Severity: Warning, Where: t.Name + "." + translated,
				Message: fmt.Sprintf("it is translated, and no definition makes the table %s_Trl", t.Name),
				Advice:  "define it with the columns " + t.Name + "_ID, AD_Language, IsTranslated and those that are translated"})
		}
	}
	return sorted(list)
}
