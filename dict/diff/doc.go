// Package diff compares table definitions with what an ERP has, and writes
// definitions of what it has.
//
//	result, err := diff.Compare(ctx, registry, nil, tables...)
//	if result.Empty() { … }                     // no drift
//	plan, err := diff.NewPlan(result, nil)      // only what is different
//	table, notes, err := diff.Definition(ctx, registry, "XX_Foo")
//
// The result is values to read: a list of [Change], closed over the kinds and
// actions declared here, and the two sides, [Result.Wanted] and [Result.Found].
// A plan is made from those and from nothing else.
//
// # What is compared
//
// For every table given: the table's record, its columns, the references those
// make, its indexes, and its window if the definition has one. Tables that
// are not given are not looked at, so definitions may cover a part of an ERP.
//
// Some things belong to the ERP and are not compared: labels and texts of a
// column that the definition does not give, because they are the element's; the
// rule and name of foreign keys it does not give, because synchronising writes
// them; numbers of selection columns, and of identifiers as long as their order
// is right; the layout of a window, its menu entry and its access, which are
// made with it and then belong to people. A length that makes no difference to
// the database counts only when the definition gives one.
//
// # What renaming means
//
// A definition that says what a table, column, list, lookup or window was called
// before renames what an ERP has under that name: it keeps its content, its id and
// all that refers to it, and is compared with the definition as it will be then.
// The plan runs the ERP's own processes for tables and columns; their names in
// expressions that people wrote (logic, SQL, reports) are not changed. Where the
// ERP has the new name already there is nothing to rename, where it has both that
// is an error, and where it has neither the record is created, unless a column of
// the table would be left over, which looks like a wrong name and is an error.
//
// # What removing means
//
// A column, list value or index that the ERP has and the definition has not is
// removed by deactivating its record. The ERP then treats it as absent, and
// what the database holds stays: nothing is lost that activating it does not
// bring back, and giving it in the definition again does that. A column that
// may not be empty is made optional first, because the ERP will no longer fill
// it. Removing is destructive all the same, for those who use the column, and
// so are changes that can lose content; see [Change.Destructive].
package diff
