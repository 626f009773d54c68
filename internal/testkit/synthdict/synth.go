package synthdict

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/erphub/erphub/dict"
)

// Options say how large a dictionary is. What is 0 has the size of a real
// ERP's dictionary.
type Options struct {
	Tables  int // 760
	Columns int // 20,000
	// Others scales everything else with the tables: windows 435, processes 438,
	// references 567 and elements 5,089 belong to 760 tables.

	// FirstID is the first number of tables, columns and so on; 0: 2,000,000.
	FirstID int
	Seed    uint64
}

// New makes a dictionary; the same options always make the same one.
func New(opts Options) *Dictionary {
	opts.Tables = cmp.Or(opts.Tables, 760)
	opts.Columns = cmp.Or(opts.Columns, opts.Tables*20_000/760)
	opts.FirstID = cmp.Or(opts.FirstID, 2_000_000)
	r := rand.New(rand.NewPCG(opts.Seed, 14))
	b := &builder{Dictionary: Empty(), r: r, names: naming{r, map[string]bool{}}, opts: opts, next: map[string]int{}}
	b.displayTypes()
	b.references(567 * opts.Tables / 760)
	b.elements(5_089 * opts.Tables / 760)
	b.makeTables()
	b.processes(438 * opts.Tables / 760)
	b.windows(435 * opts.Tables / 760)
	return b.Dictionary
}

type builder struct {
	*Dictionary
	r     *rand.Rand
	names naming
	opts  Options
	next  map[string]int // numbers given, per table

	pool   []element // elements that columns are made from
	lists  []int     // AD_Reference_IDs
	rules  []int     // AD_Val_Rule_IDs
	tables []made
}

type element struct {
	id                      int
	column, name, desc, hlp string
	kind                    dict.DisplayType
}

type made struct {
	id      int
	name    string
	columns []int
}

func (b *builder) id(table string) int {
	b.next[table]++
	return b.opts.FirstID + b.next[table] - 1
}

func (b *builder) chance(percent int) bool { return b.r.IntN(100) < percent }

// displayTypes adds the ERP's own display types, under their own numbers, when
// the dictionary is not to be added to one that has them.
func (b *builder) displayTypes() {
	for _, t := range dict.DisplayTypes() {
		b.Add("AD_Reference", Row{"AD_Reference_ID": int(t), "AD_Reference_UU": uuid(b.r), "Name": t.String(),
			"ValidationType": "D", "EntityType": "D"})
	}
}

func (b *builder) references(n int) {
	for range n {
		id := b.id("AD_Reference")
		name := b.names.unique(func() string { return pick(b.r, nouns) + " " + pick(b.r, nouns) + " " + pick(b.r, nouns) })
		b.Add("AD_Reference", Row{"AD_Reference_ID": id, "AD_Reference_UU": uuid(b.r), "Name": name,
			"Description": sentence(b.r, 8), "ValidationType": "L", "EntityType": "D"})
		b.lists = append(b.lists, id)
		for i := range 2 + b.r.IntN(5) {
			b.Add("AD_Ref_List", Row{"AD_Ref_List_ID": b.id("AD_Ref_List"), "AD_Ref_List_UU": uuid(b.r), "AD_Reference_ID": id,
				"Value": fmt.Sprintf("%c%d", 'A'+i, i), "Name": pick(b.r, nouns) + " " + pick(b.r, nouns), "EntityType": "D"})
		}
	}
	for range n / 2 {
		id := b.id("AD_Val_Rule")
		b.Add("AD_Val_Rule", Row{"AD_Val_Rule_ID": id, "AD_Val_Rule_UU": uuid(b.r), "Name": sentence(b.r, 5), "Type": "S",
			"Code": "C_Tax.IsActive='Y' AND C_Tax.Rate > " + fmt.Sprint(id), "EntityType": "D"})
		b.rules = append(b.rules, id)
	}
}

// kinds is how often display types occur, about.
var kinds = []dict.DisplayType{
	dict.TypeString, dict.TypeString, dict.TypeString, dict.TypeInteger, dict.TypeAmount, dict.TypeText, dict.TypeDate,
	dict.TypeDateTime, dict.TypeList, dict.TypeList, dict.TypeTableDir, dict.TypeTableDir, dict.TypeYesNo, dict.TypeYesNo,
	dict.TypeYesNo, dict.TypeNumber, dict.TypeQuantity, dict.TypeSearch, dict.TypeSearch, dict.TypeButton,
}

func (b *builder) elements(n int) {
	for range n {
		e := element{id: b.id("AD_Element"), kind: kinds[b.r.IntN(len(kinds))]}
		e.column = b.names.unique(func() string {
			name := pick(b.r, nouns) + pick(b.r, nouns)
			switch {
			case e.kind == dict.TypeYesNo:
				return "Is" + name
			case e.kind.IsID():
				return pick(b.r, prefixes) + "_" + name + "_ID"
			}
			return name
		})
		e.name, e.desc = label(e.column), sentence(b.r, 6+b.r.IntN(6))
		if b.chance(60) {
			e.hlp = sentence(b.r, 15+b.r.IntN(30))
		}
		b.add(e)
		b.pool = append(b.pool, e)
	}
}

func (b *builder) add(e element) {
	b.Add("AD_Element", Row{"AD_Element_ID": e.id, "AD_Element_UU": uuid(b.r), "ColumnName": e.column, "Name": e.name,
		"PrintName": e.name, "Description": e.desc, "Help": e.hlp, "EntityType": "D"})
}

// standard are the columns every table has, under names that the pool lacks.
var standard = []element{
	{column: "AD_Client_ID", name: "Tenant", desc: "Tenant of this installation.", kind: dict.TypeTableDir},
	{column: "AD_Org_ID", name: "Organization", desc: "Organization within the tenant.", kind: dict.TypeTableDir},
	{column: "IsActive", name: "Active", desc: "The record is in use.", kind: dict.TypeYesNo},
	{column: "Created", name: "Created", desc: "When the record was created.", kind: dict.TypeDateTime},
	{column: "CreatedBy", name: "Created By", desc: "Who made the record.", kind: dict.TypeSearch},
	{column: "Updated", name: "Updated", desc: "When the record was changed.", kind: dict.TypeDateTime},
	{column: "UpdatedBy", name: "Updated By", desc: "Who changed the record.", kind: dict.TypeSearch},
}

func (b *builder) makeTables() {
	common := append([]element(nil), standard...)
	for i := range common {
		common[i].id = b.id("AD_Element")
		b.add(common[i])
	}
	left := b.opts.Columns
	for i := range b.opts.Tables {
		t := made{id: b.id("AD_Table"), name: b.names.table()}
		b.Add("AD_Table", Row{"AD_Table_ID": t.id, "AD_Table_UU": uuid(b.r), "TableName": t.name, "Name": label(t.name),
			"Description": sentence(b.r, 8), "Help": sentence(b.r, 20), "AccessLevel": []string{"1", "2", "3", "3", "4", "6", "7"}[b.r.IntN(7)],
			"EntityType": "D", "ReplicationType": "L", "IsView": b.chance(8), "IsDeleteable": true, "IsChangeLog": b.chance(30),
			"IsHighVolume": b.chance(10), "IsSecurityEnabled": b.chance(3)})
		share := left / (b.opts.Tables - i)
		left -= share
		b.makeColumns(&t, share, common)
		b.Add("AD_TableIndex", Row{"AD_TableIndex_ID": b.id("AD_TableIndex"), "AD_TableIndex_UU": uuid(b.r), "AD_Table_ID": t.id,
			"Name": t.name + "_search", "EntityType": "D", "IsUnique": b.chance(20)})
		b.Add("AD_IndexColumn", Row{"AD_IndexColumn_ID": b.id("AD_IndexColumn"), "AD_IndexColumn_UU": uuid(b.r),
			"AD_TableIndex_ID": b.next["AD_TableIndex"] - 1 + b.opts.FirstID, "AD_Column_ID": t.columns[0], "SeqNo": 10})
		b.tables = append(b.tables, t)
	}
}

func (b *builder) makeColumns(t *made, n int, common []element) {
	keys := []element{
		{column: t.name + "_ID", name: label(t.name), desc: sentence(b.r, 6), kind: dict.TypeID},
		{column: t.name + "_UU", name: t.name + "_UU", kind: dict.TypeUUID},
	}
	for i := range keys {
		keys[i].id = b.id("AD_Element")
		b.add(keys[i])
	}
	all := append(keys, common...)
	used := map[int]bool{}
	for len(all) < n {
		if e := b.r.IntN(len(b.pool)); !used[e] {
			used[e] = true
			all = append(all, b.pool[e])
		} else if len(used) == len(b.pool) {
			break
		}
	}
	for i, e := range all[:min(n, len(all))] {
		b.column(t, e, i)
	}
}

func (b *builder) column(t *made, e element, place int) {
	id := b.id("AD_Column")
	row := Row{"AD_Column_ID": id, "AD_Column_UU": uuid(b.r), "AD_Table_ID": t.id, "ColumnName": e.column, "Name": e.name,
		"Description": e.desc, "Help": e.hlp, "AD_Element_ID": e.id, "AD_Reference_ID": int(e.kind), "FieldLength": 10,
		"EntityType": "D", "IsKey": e.kind == dict.TypeID, "IsMandatory": place < 9 || b.chance(30), "IsUpdateable": place > 8 || place == 4,
		"IsAllowLogging": true, "IsAllowCopy": place > 8, "IsToolbarButton": "N", "FKConstraintType": "N"}
	switch e.kind {
	case dict.TypeList:
		row["AD_Reference_Value_ID"], row["FieldLength"] = b.lists[b.r.IntN(len(b.lists))], 2
	case dict.TypeYesNo:
		row["DefaultValue"], row["FieldLength"], row["IsMandatory"] = "N", 1, true
	case dict.TypeString:
		row["FieldLength"], row["IsSelectionColumn"] = 60, b.chance(20)
	}
	if place == 9 {
		row["IsIdentifier"], row["SeqNo"] = true, 1
	}
	if place > 9 {
		row["IsTranslated"] = e.kind == dict.TypeString && b.chance(5)
		row["IsEncrypted"], row["IsSecure"] = b.chance(1), b.chance(1)
		if b.chance(2) {
			row["ColumnSQL"] = "(SELECT COUNT(*) FROM AD_Note n WHERE n.AD_Note_ID=" + t.name + ".AD_Note_ID)"
		}
		if b.chance(5) {
			row["Callout"] = "org.example.model.Callout" + e.column
		}
		if e.kind.IsID() && b.chance(20) && len(b.rules) > 0 {
			row["AD_Val_Rule_ID"] = b.rules[b.r.IntN(len(b.rules))]
		}
	}
	b.Add("AD_Column", row)
	t.columns = append(t.columns, id)
}

func (b *builder) processes(n int) {
	for range n {
		id := b.id("AD_Process")
		value := b.names.unique(func() string { return pick(b.r, prefixes) + "_" + pick(b.r, nouns) + " " + pick(b.r, nouns) })
		b.Add("AD_Process", Row{"AD_Process_ID": id, "AD_Process_UU": uuid(b.r), "Value": value, "Name": label(value),
			"Description": sentence(b.r, 9), "EntityType": "D", "AccessLevel": "3", "Classname": "org.example.process.P" + fmt.Sprint(id),
			"IsReport": b.chance(40)})
		for i := range b.r.IntN(5) {
			e := b.pool[b.r.IntN(len(b.pool))]
			b.Add("AD_Process_Para", Row{"AD_Process_Para_ID": b.id("AD_Process_Para"), "AD_Process_Para_UU": uuid(b.r),
				"AD_Process_ID": id, "ColumnName": e.column, "Name": e.name, "Description": e.desc, "SeqNo": 10 * (i + 1),
				"AD_Element_ID": e.id, "AD_Reference_ID": int(e.kind), "FieldLength": 10, "EntityType": "D", "IsMandatory": b.chance(30)})
		}
	}
}

func (b *builder) windows(n int) {
	for i := range n {
		id := b.id("AD_Window")
		name := b.names.unique(func() string { return pick(b.r, nouns) + " " + pick(b.r, nouns) })
		b.Add("AD_Window", Row{"AD_Window_ID": id, "AD_Window_UU": uuid(b.r), "Name": name, "Description": sentence(b.r, 8),
			"WindowType": "M", "EntityType": "D", "IsSOTrx": true})
		for level := range 2 {
			t := b.tables[(2*i+level)%len(b.tables)]
			tab := b.id("AD_Tab")
			b.Add("AD_Tab", Row{"AD_Tab_ID": tab, "AD_Tab_UU": uuid(b.r), "AD_Window_ID": id, "AD_Table_ID": t.id, "Name": label(t.name),
				"EntityType": "D", "SeqNo": 10 * (level + 1), "TabLevel": level, "IsSingleRow": true, "IsInsertRecord": true})
			for j, column := range t.columns {
				b.Add("AD_Field", Row{"AD_Field_ID": b.id("AD_Field"), "AD_Field_UU": uuid(b.r), "AD_Tab_ID": tab, "AD_Column_ID": column,
					"Name": "Field " + fmt.Sprint(j), "EntityType": "D", "SeqNo": 10 * j, "IsDisplayed": j > 1, "IsDisplayedGrid": j > 1})
			}
		}
	}
}
