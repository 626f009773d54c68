package gogen

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/displaytype"
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
	switch {
	case c.Type == dict.TypeButton && strings.HasSuffix(c.Name, "_ID"):
		return goType{text: "*int64"}
	case c.Type == dict.TypeButton:
		return goType{skip: "a button, which the API does not show"}
	case c.Type == dict.TypeImage && c.Name == "BinaryData":
		return goType{text: "[]byte"}
	}
	t, known := displaytype.Of(int(c.Type))
	switch {
	case !known:
		return goType{text: "any"} // a plug-in's own
	case t.Go == "":
		return goType{skip: "of type " + t.Name + ", which the API does not show"}
	case t.Go == "list":
		return goType{list: true}
	case t.Go == "int64" && !c.Mandatory:
		return goType{text: "*int64"}
	}
	return goType{text: t.Go} // several values of a list are one erp.Ref, whose id is the codes
}
