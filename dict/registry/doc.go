// Package registry reads the Application Dictionary of an ERP: tables, columns,
// windows, processes, references, search and statistics.
//
// A [Registry] is read by name and returns plain values. [LoadCatalog] reads
// the dictionary once from a [Source] into a [Catalog]; a [Cache] also refreshes
// it when the ERP's dictionary changes and keeps a snapshot on disk, the only
// file this package writes. [LoadScope] reads only what concerns some tables, for
// programs that ask about them once. dict/restdict has a source over the REST API
// (restdict.NewSource), and dict/dbdict one over the ERP's database.
//
//	cache := registry.NewCache(source, &registry.CacheOptions{Snapshot: path})
//	if err := cache.Load(ctx); err != nil {
//		return err
//	}
//	table, err := cache.Table(ctx, "C_Order")
//
// Types of package dict describe what is to be made, those of this package what
// is there: a [Column] has the numbers, names and texts of everything it refers
// to.
package registry
