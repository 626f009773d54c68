package dict

import (
	"cmp"
	"slices"
	"strings"
)

// Physical is a table as it has to be in the database.
type Physical struct {
	Table   string           `json:"table"`
	Columns []PhysicalColumn `json:"columns"` // in the ERP's order: by name, ignoring case
}

// PhysicalColumn is a column as it has to be in the database.
type PhysicalColumn struct {
	Name      string      `json:"name"`
	Type      DisplayType `json:"type"`
	Length    int         `json:"length"`
	Mandatory bool        `json:"mandatory,omitempty"`
	Default   string      `json:"default,omitempty"` // as in the dictionary
	Key       bool        `json:"key,omitempty"`
	UUID      bool        `json:"uuid,omitempty"` // the table's own UUID column
	Foreign   *ForeignKey `json:"foreignKey,omitempty"`
}

// ForeignKey is a foreign key as it has to be in the database.
type ForeignKey struct {
	Name string `json:"name"`
	// Table and Column are what it points at. They are empty when only the ERP
	// knows, and Reference then names the AD_Reference to look at.
	Table     string `json:"table,omitempty"`
	Column    string `json:"column,omitempty"`
	Reference string `json:"reference,omitempty"`
	Rule      FKRule `json:"rule"`
}

// physical is the database side of a table's real columns.
func physical(table string, columns []origin) *Physical {
	p := &Physical{Table: table}
	for _, c := range columns {
		if c.SQL != "" {
			continue
		}
		pc := PhysicalColumn{
			Name: c.Name, Type: c.Type, Length: c.Length, Mandatory: c.Mandatory, Default: c.Default,
			Key: c.Key, UUID: c.Type == TypeUUID && strings.EqualFold(c.Name, table+"_UU"),
		}
		if c.hasForeignKey() {
			pc.Foreign = foreignKey(c.Column)
		}
		p.Columns = append(p.Columns, pc)
	}
	slices.SortStableFunc(p.Columns, func(a, b PhysicalColumn) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return p
}

func foreignKey(c Column) *ForeignKey {
	fk := &ForeignKey{Name: c.ForeignKeyName, Rule: c.ForeignKey}
	target, _ := c.TargetTable()
	switch {
	case target == "" && c.Reference != nil:
		fk.Reference = c.Reference.Name
	case c.Type.IsUUID():
		fk.Table, fk.Column = target, target+"_UU"
	default:
		fk.Table, fk.Column = target, target+"_ID"
	}
	return fk
}
