// Package diagram draws tables of the dictionary and how they refer to each
// other in the language of Mermaid.
//
//	model, err := diagram.New(ctx, registry, []string{"C_Order", "C_OrderLine"}, nil)
//	err = model.WriteMermaid(w)
//
// The same dictionary always gives the same text. Names come from the ERP and are
// escaped.
package diagram
