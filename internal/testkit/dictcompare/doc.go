// Package dictcompare compares what different ways of building a table leave in
// an ERP: the rows of the dictionary, without ids and stamps, and the database
// table. It is for tests that prove the ways equal.
//
//	a, err := dictcompare.Read(ctx, dbA, "XX_Foo")
//	b, err := dictcompare.Read(ctx, dbB, "XX_Foo")
//	differences := a.Diff(b)
package dictcompare
