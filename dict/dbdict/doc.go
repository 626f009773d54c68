// Package dbdict reads the dictionary from the ERP's database.
//
//	source, err := dbdict.Open(ctx, "postgres://reader@db/idempiere", nil)
//	defer source.Close()
//	cache := registry.NewCache(source, nil)
//	err = cache.Load(ctx)
//
// It only reads: every read is one read-only transaction, and
// sees one state of the dictionary. The user needs the privilege
// to select from the AD_ tables and no other.
//
// Columns that the ERP's release does not have are left empty.
package dbdict
