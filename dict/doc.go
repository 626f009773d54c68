// Package dict describes tables of the Application Dictionary and turns the
// descriptions into a Plan: the ordered list of steps that brings them into an
// ERP.
//
// Describing talks to no server, file or database. A [Table] is a plain value,
// a [Plan] is a plain value, and what becomes of a plan is decided by its
// readers: package restdict runs it over the REST API, others
// write a package archive, migration scripts or plain DDL. All of them read the
// same steps, so they cannot disagree.
//
//	table := dict.NewTable("XX_Remark").
//		WithDescription("Remarks of a business partner").
//		With(dict.Standard, dict.ValueName).
//		Column(
//			dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, Mandatory: true},
//			dict.Column{Name: "XX_Text", Type: dict.TypeText},
//		)
//	plan, err := dict.NewPlan(nil, table)
//
// # Templates
//
// A [Template] is a named group of columns that nearly every table of a kind
// has. When two templates bring a column of the same name (Name comes with
// [ValueName] and with [Description]) the columns merge: the definition met
// first stays, and the stricter flags win, so a column is mandatory, unique or
// an identifier if either says so. A column that the caller adds must not carry
// the name of a template column; that is a finding, not a merge, because one of
// the two meanings would be lost without a word.
//
// # What is filled in
//
// A definition may leave out what can be derived. [Table.AllColumns] shows the
// result: labels from names, lengths from display types, the rules the ERP
// applies on save (a Yes-No column is always mandatory, a key is never
// updateable, a UUID is 36 long), numbers of identifiers and selection columns,
// names of foreign keys. If no column is marked as identifier, the first of
// Value and Name, else DocumentNo, becomes one, because records of a table
// without identifier are shown as a bare number.
//
// # Validation
//
// [Validate] and [NewPlan] check everything that can be checked without a
// server and report all findings at once as a [*ValidationError].
//
// # Plans
//
// Every record of a plan has its UUID before it is sent. UUIDs are derived from
// a namespace and the record's place ([UUIDv5]), so that building the same
// definition twice gives the same plan, and running a plan again finds what an
// earlier run made. Steps refer to each other by [Key]; in text a reference is
// written in the ERP's own notation, @XX_Remark_ID@.
//
// # Reading the dictionary
//
// What is in the dictionary of an ERP already is read with package registry.
package dict
