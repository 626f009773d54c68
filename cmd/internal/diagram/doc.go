// Package diagram draws tables of the dictionary and how they refer to each
// other, as text for Mermaid or as a picture in SVG.
//
//	model, err := diagram.New(ctx, registry, []string{"C_Order", "C_OrderLine"}, nil)
//	err = model.WriteSVG(w)
//
// The same dictionary always gives the same text. Pictures need no fonts,
// scripts or styles from elsewhere, follow the reader's light or dark setting,
// and have a title and a description for those who do not see them. Names and
// labels come from the ERP and are escaped.
package diagram
