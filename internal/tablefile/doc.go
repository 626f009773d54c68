// Package tablefile keeps table definitions in YAML files: it reads them into
// [dict.Table] values, writes them, and has a JSON Schema by which editors
// complete and check them.
//
//	set, err := tablefile.Load("tables/")
//	if err != nil { … }                       // says file, line and column
//	if err := set.Validate(nil); err != nil { … }
//	plan, err := dict.NewPlan(nil, set.Tables()...)
//
// # The format
//
// A document describes one table; a file holds one document, or several that
// are separated by lines of three dashes. What has its default is left out:
//
//	table: XX_Remark
//	description: Remarks of a business partner
//	templates: [STANDARD, VALUE_NAME]
//	columns:
//	  - {name: C_BPartner_ID, type: Table Direct, mandatory: true, parent: true}
//	  - {name: XX_Text, type: Text}
//	  - name: XX_Kind
//	    type: List
//	    list:
//	      name: XX_Remark Kind
//	      values:
//	        - {value: A, name: Praise}
//	        - {value: B, name: Complaint}
//
// Display types carry the names the ERP's dictionary gives them, or the number
// of a plug-in's own. A column chooses from one of three: "reference", which is
// in the ERP already, "list" or "lookup", which are made.
//
// What was renamed says with "was" what it was called before, and keeps its content.
//
// # What is refused
//
// Reading is strict: unknown keys, keys given twice, empty values, values of
// another kind, and two definitions of one table are problems, all reported at
// once as an [*Error] with their positions. Anchors, aliases and merge keys may
// be used, but what they expand to is bounded, and so are the sizes of files.
// Reading checks the form only; whether names, types and lengths are possible
// is found out by [Set.Validate], which knows the positions, too.
package tablefile
