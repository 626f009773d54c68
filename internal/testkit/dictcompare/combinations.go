package dictcompare

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/erphub/erphub/dict"
)

// Combinations are tables for every combination of templates, with the flags of
// tables and columns spread over them so that each flag meets each template, and
// one table with every kind of column. Names begin with XX_, no two tables share
// one, and all of them together make one plan.
func Combinations() []dict.Table {
	templates := dict.Templates()
	levels := []dict.AccessLevel{dict.AccessOrg, dict.AccessClient, dict.AccessClientOrg, dict.AccessSystem, dict.AccessSystemClient, dict.AccessAll}
	replications := []dict.Replication{dict.ReplicationLocal, dict.ReplicationMerge, dict.ReplicationReference}
	var out []dict.Table
	for mask := range 1 << len(templates) {
		t := dict.NewTable(fmt.Sprintf("XX_Combi%03d", mask)).WithLabel(fmt.Sprintf("Combination %d", mask)).
			WithAccessLevel(levels[mask%len(levels)])
		for i, tpl := range templates {
			if mask&(1<<i) != 0 {
				t = t.With(tpl)
			}
		}
		t.Replication = replications[mask%len(replications)]
		t.ChangeLog, t.HighVolume, t.NotDeleteable = mask%2 == 1, mask%3 == 1, mask%5 == 1
		t.Security, t.Drill = mask%7 == 1, mask%11 == 1
		t = t.Column(flagged(mask))
		if mask%4 == 3 {
			t = t.WithWindow(dict.Window{Description: "One of many", Purchase: mask%8 == 3, NoMenu: mask%16 == 7})
		}
		if mask%9 == 4 {
			t = t.Index(dict.Index{Name: fmt.Sprintf("xx_combi%03d_x", mask), Columns: []string{"XX_Flagged"}, Unique: mask%2 == 0})
		}
		if dict.Validate(nil, t) == nil {
			out = append(out, t)
		}
	}
	return append(out, kinds())
}

// Sample are some of [Combinations], in which every two of what those vary meet as
// they do in all: templates, flags of tables, columns and windows, access levels.
func Sample() []dict.Table {
	all := Combinations()
	kept := make([]bool, len(all))
	missing := make([]map[[2]string]bool, len(all)) // pairs that no table kept so far has
	for i, t := range all {
		missing[i] = pairs(t)
	}
	for best := len(all) - 1; len(missing[best]) > 0; { // first the one with every kind of column
		kept[best] = true
		met := missing[best]
		for i := range missing {
			if i != best {
				maps.DeleteFunc(missing[i], func(pair [2]string, _ bool) bool { return met[pair] })
			}
		}
		missing[best] = nil
		for i := range missing {
			if len(missing[i]) > len(missing[best]) {
				best = i
			}
		}
	}
	var out []dict.Table
	for i, t := range all {
		if kept[i] {
			out = append(out, t)
		}
	}
	return out
}

// pairs are every two of what varies in a table.
func pairs(t dict.Table) map[[2]string]bool {
	var traits []string
	collect := func(prefix string, value any) {
		v := reflect.ValueOf(value)
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Bool {
				traits = append(traits, fmt.Sprint(prefix, v.Type().Field(i).Name, f.Bool()))
			}
		}
	}
	collect("table ", t)
	traits = append(traits, fmt.Sprint("access level ", t.AccessLevel), fmt.Sprint("replication ", t.Replication))
	for _, template := range dict.Templates() {
		traits = append(traits, fmt.Sprint("template ", template, slices.Contains(t.Templates, template)))
	}
	for _, c := range t.Columns {
		if c.Name == "XX_Flagged" {
			collect("column ", c)
		}
	}
	if t.Window != nil {
		collect("window ", *t.Window)
	}
	for _, index := range t.Indexes {
		collect("index ", index)
	}
	all := map[[2]string]bool{}
	for _, a := range traits {
		for _, b := range traits {
			if a <= b {
				all[[2]string{a, b}] = true
			}
		}
	}
	return all
}

// flagged is a column with the flags of a number.
func flagged(n int) dict.Column {
	c := dict.Column{Name: "XX_Flagged", Type: dict.TypeString, Length: 10 + n%50, Label: "Flagged", Description: "Has <flags> & \"more\"",
		NotUpdateable: n%2 == 1, AlwaysUpdateable: n%3 == 0, Selection: n%4 == 1, Secure: n%6 == 5, NotCopied: n%5 == 2,
		NotLogged: n%7 == 3, Autocomplete: n%8 == 2}
	if n%3 == 1 {
		c.Mandatory, c.Default = true, "none"
	}
	if n%10 == 4 {
		c.Unique = true
	}
	if n%6 == 1 {
		c.Help = "First line\nsecond line"
		c.MandatoryLogic, c.ReadOnlyLogic = "@IsActive@=Y", "@IsActive@=N"
	}
	return c
}

func kinds() dict.Table {
	return dict.NewTable("XX_CombiKinds").With(dict.Standard).Column(
		dict.Column{Name: "XX_Amt", Type: dict.TypeAmount, Default: "0", Min: "0", Max: "100", FormatPattern: "#,##0.00"},
		dict.Column{Name: "XX_Qty", Type: dict.TypeQuantity}, dict.Column{Name: "XX_Cost", Type: dict.TypeCostPrice},
		dict.Column{Name: "XX_Count", Type: dict.TypeInteger, Default: "1"}, dict.Column{Name: "XX_Number", Type: dict.TypeNumber},
		dict.Column{Name: "XX_Day", Type: dict.TypeDate, Default: "@#Date@"}, dict.Column{Name: "XX_Moment", Type: dict.TypeDateTime},
		dict.Column{Name: "XX_Clock", Type: dict.TypeTime}, dict.Column{Name: "XX_Text", Type: dict.TypeText},
		dict.Column{Name: "XX_Long", Type: dict.TypeTextLong}, dict.Column{Name: "XX_Memo", Type: dict.TypeMemo},
		dict.Column{Name: "XX_Flag", Type: dict.TypeYesNo, Default: "Y"}, dict.Column{Name: "XX_Link", Type: dict.TypeURL},
		dict.Column{Name: "XX_Bytes", Type: dict.TypeBinary}, dict.Column{Name: "XX_Data", Type: dict.TypeJSON},
		dict.Column{Name: "XX_Do", Type: dict.TypeButton},
		dict.Column{Name: "XX_Twice", Type: dict.TypeAmount, SQL: "XX_CombiKinds.XX_Amt*2"},
		dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, Parent: true},
		dict.Column{Name: "M_Product_ID", Type: dict.TypeSearch, ForeignKey: dict.FKCascade},
		dict.Column{Name: "XX_User_ID", Type: dict.TypeSearch, Reference: dict.ExistingReference("AD_User", 110, "AD_User"), ForeignKeyName: "xx_combi_user"},
		dict.Column{Name: "XX_Payer_ID", Type: dict.TypeTable, Reference: &dict.Reference{Name: "XX_Combi Payer", Description: "who pays",
			Lookup: &dict.TableLookup{Table: "C_BPartner", Display: "Name", ShowValue: true, Where: "C_BPartner.IsCustomer='Y'", OrderBy: "C_BPartner.Name"}}},
		dict.Column{Name: "XX_State", Type: dict.TypeList, Reference: dict.List("XX_Combi State",
			dict.ListValue{Value: "N", Name: "New", Description: "fresh"}, dict.ListValue{Value: "O", Name: "Old"})},
		dict.Column{Name: "XX_Pay", Type: dict.TypePayment},
		dict.Column{Name: "XX_Doc", Type: dict.TypeList, Length: 2, Reference: dict.ExistingReference("_Document Status", 131, "")},
	).Index(
		dict.Index{Name: "xx_combi_two", Columns: []string{"XX_Amt", "XX_Count"}},
		dict.Index{Name: "xx_combi_only", Columns: []string{"XX_Number"}, Unique: true, Constraint: true},
	).WithWindow(dict.Window{Name: "Kinds of columns"})
}
