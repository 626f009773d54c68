package dict

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// targetByType are the tables that types point to whatever their columns are called.
var targetByType = map[DisplayType]string{
	TypeLocation: "C_Location", TypeAccount: "C_ValidCombination", TypeLocator: "M_Locator", TypePAttribute: "M_AttributeSetInstance",
	TypeAssignment: "S_ResourceAssignment", TypeChart: "AD_Chart",
}

// TargetTable is the table that the column's values are ids (or UUIDs) of. It
// reports false for columns that point nowhere, and an empty name for those
// whose reference is in the ERP and whose target only the ERP knows.
func (c Column) TargetTable() (string, bool) {
	byReference := func() (string, bool) {
		if c.Reference.Target != "" {
			return c.Reference.Target, true
		}
		if c.Reference.Lookup != nil {
			return c.Reference.Lookup.Table, true
		}
		return "", true
	}
	switch c.Type {
	case TypeTable, TypeTableUU, TypeChosenMultipleSelectionTable:
		if c.Reference == nil {
			return "", false
		}
		return byReference()
	case TypeSearch, TypeSearchUU, TypeChosenMultipleSelectionSrch:
		if c.Reference != nil {
			return byReference()
		}
		return targetByName(c.Name)
	case TypeTableDir, TypeTableDirUU:
		return targetByName(c.Name)
	case TypeImage:
		if c.Name == "BinaryData" {
			return "", false
		}
		return "AD_Image", true
	case TypeButton:
		switch c.Name {
		case "AD_OrgBP_ID":
			return "AD_Org", true
		case "C_ProjectType_ID":
			return "C_ProjectType", true
		}
	}
	name, ok := targetByType[c.Type]
	return name, ok
}

// targetByName takes the last three characters off, which is how the ERP finds
// the table of a direct lookup.
func targetByName(column string) (string, bool) {
	if len(column) <= 3 {
		return "", false
	}
	name := column[:len(column)-3]
	switch strings.ToLower(name) {
	case "ad_allclients_v":
		name = "AD_Client"
	case "ad_allusers_v":
		name = "AD_User"
	case "ad_allroles_v":
		name = "AD_Role"
	}
	return name, true
}

// hasForeignKey reports whether the ERP makes a foreign key for the column.
func (c Column) hasForeignKey() bool {
	if c.Key || c.SQL != "" || c.Type == TypeUUID || c.Type.IsList() || c.Type.IsMultiple() || c.ForeignKey == FKNone {
		return false
	}
	_, ok := c.TargetTable()
	return ok
}

// nameForeignKeys gives every foreign key without a name the one the ERP would
// make: the column without _ID, an underscore, the table, both without
// underscores, cut at 63 characters, with a number when the name is taken.
func nameForeignKeys(table string, all []origin) {
	taken := map[string]bool{}
	for i := range all {
		if name := all[i].ForeignKeyName; name != "" {
			taken[strings.ToLower(name)] = true
		}
	}
	for i := range all {
		c := &all[i].Column
		if c.ForeignKeyName != "" || !c.hasForeignKey() {
			continue
		}
		stem := strings.ReplaceAll(strings.TrimSuffix(c.Name, "_ID"), "_", "") + "_" + strings.ReplaceAll(table, "_", "")
		name := text.FirstBytes(stem, MaxColumnName)
		for n := 1; taken[strings.ToLower(name)]; n++ {
			digits := strconv.Itoa(n)
			name = text.FirstBytes(stem, MaxColumnName-len(digits)) + digits
		}
		taken[strings.ToLower(name)] = true
		c.ForeignKeyName = name
	}
}
