package gogen

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// goType is the type of a column's field.
type goType struct {
	text string // "erp.Decimal"
	list bool   // a type of its own, named after the reference
	skip string // why the column has no field; empty: it has one
}

// typeOf is the type that the values of a column have on the wire (section
// "Value mapping" of the API's description).
func typeOf(c registry.Column) goType {
	number := func() goType {
		if c.Mandatory {
			return goType{text: "int64"}
		}
		return goType{text: "*int64"}
	}
	switch c.Type {
	case dict.TypeYesNo:
		return goType{text: "bool"}
	case dict.TypeInteger, dict.TypeRecordID, dict.TypeID:
		return number()
	case dict.TypeDate:
		return goType{text: "erp.Date"}
	case dict.TypeDateTime, dict.TypeTimestampWithTimeZone:
		return goType{text: "time.Time"}
	case dict.TypeTime:
		return goType{text: "*erp.TimeOfDay"}
	case dict.TypeBinary:
		return goType{text: "[]byte"}
	case dict.TypeJSON:
		return goType{text: "json.RawMessage"}
	case dict.TypeButton:
		if strings.HasSuffix(c.Name, "_ID") {
			return goType{text: "*int64"}
		}
		return goType{skip: "a button, which the API does not show"}
	case dict.TypeAssignment, dict.TypeChart, dict.TypeDashboardContent:
		return goType{skip: "of type " + c.Type.String() + ", which the API does not show"}
	case dict.TypeChosenMultipleSelectionList:
		return goType{text: "erp.Ref"} // its id is the codes, separated by commas
	case dict.TypeChosenMultipleSelectionTable, dict.TypeChosenMultipleSelectionSrch:
		return goType{text: "Selections"}
	case dict.TypeImage:
		if c.Name == "BinaryData" {
			return goType{text: "[]byte"}
		}
		return goType{text: "erp.Ref"}
	case dict.TypeRecordUU, dict.TypeUUID, dict.TypeColor:
		return goType{text: "string"}
	case dict.TypeRowID, dict.TypeSchedulerState:
		return goType{text: "any"}
	}
	switch {
	case !c.Type.Known():
		return goType{text: "any"} // a plug-in's own
	case c.Type.IsList():
		return goType{list: true}
	case c.Type.IsID(), c.Type.IsLookup():
		return goType{text: "erp.Ref"}
	case c.Type.IsNumeric():
		return goType{text: "erp.Decimal"}
	}
	return goType{text: "string"}
}
