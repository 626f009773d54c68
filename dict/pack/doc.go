// Package pack writes a plan of package dict as a package archive (2Pack), which
// the ERP imports by itself when a plugin starts, or by hand in its window Pack
// In.
//
//	err := pack.Write(w, plan, &pack.Options{Name: "com.example.demo", Version: pack.Version{1, 0, 0}})
//	saved, err := pack.Save("plugins/com.example.demo", plan, nil) // META-INF/2Pack_1.0.1.zip
//
// # What is in an archive
//
// One folder with dict/PackOut.xml, which holds the records, and a sheet for
// people below doc/, which is never read on import. Records are nested as the
// ERP's own exporter nests them: a window holds its tables, each with terms and
// references right before the column that needs them and the key column first,
// and its tabs with their fields; menu entries follow. Nothing has to wait for a
// record that comes later, unless tables point at each other.
//
// Every record carries the UUID that the plan gives it, so importing a later
// archive changes what an earlier one made. The same plan and options give the
// same bytes: there are no clocks in it, and the files are stored uncompressed,
// so that not even another compressor makes a difference.
//
// # What is not in the archive
//
// An archive is written without a server, so what it refers to must be known by
// UUID or official id. Official ids of the ERP's own tables, columns, terms,
// processes and references are known here; everything else is requested with
// [Options.Resolve], and what nobody knows is an [*UnresolvedError].
//
// # Versions
//
// The ERP decides by version whether an archive still has to be imported, and it
// checks whether a version that begins with this one's text is done. So a version
// has exactly three parts, and one that is the beginning of a version already
// shipped (1.0.1 after 1.0.10) would never be imported; see [NextVersion].
package pack
