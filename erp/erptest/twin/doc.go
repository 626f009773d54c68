// Package twin makes a twin of somebody's own ERP: an embedded ERP (package
// erptest) with that ERP's dictionary, roles, reference data and chosen business
// data, in one file.
//
//	report, err := twin.Clone(ctx, twin.NewREST(client, nil), "twin", twin.Options{
//		Tables: []string{"C_Order", "C_OrderLine"}, Rows: 1000,
//	})
//	fmt.Println(report.Rows, report.Password) // the password is shown once
//
// A test opens it, each time a copy of its own:
//
//	srv := erptest.New(t, erptest.FromTwin("twin"))
//
// and erphub sandbox --data twin serves it.
//
// # What is copied
//
// The dictionary is copied whole, with tenants, organizations, roles, their access
// and the users who have one; then reference data such as currencies, units, taxes,
// document types, calendars and price lists; then the tables that [Options] name.
// What is part of chosen rows, such as the lines of an order, comes with them. Of a
// source that shows several tenants, [Options].Tenants says whose rows are copied.
// References are followed from row to row, to a depth. Where the depth ends, or the
// ERP has no such row, the reference is emptied; if it must not be empty, the row is
// left out. No key in a twin leads nowhere. The [Report] counts all of that.
//
// # What is not
//
// Passwords, tokens and whatever the dictionary marks as encrypted or secure are
// never copied: every user of the twin who has a role gets one password, made anew,
// and tokens are signed with a secret of the twin's own. Logs and transient tables,
// attachments, archives and images are left out unless asked for. Views have no
// rows, and virtual columns whose SQL the embedded database cannot run are empty.
// Names, addresses and the like are replaced before a row is written: see package mask.
//
// # Sources
//
// [REST] reads what a role may see, by ranges of keys. [Database] reads PostgreSQL
// in one transaction that sees one state. Failing requests are retried; what the
// login may not read is reported.
//
// # Twins that age
//
// [Diff] tells which records of the dictionary changed in the ERP since, [Refresh]
// clones again and reads only the tables that changed, [Verify] tells which rows of a
// twin are no longer those that were cloned, and [Inspect] what it says of itself.
//
// # Interrupted clones
//
// A clone works in a file beside the twin and replaces the twin when it is complete.
// After the process was killed [Options].Resume goes on from the last rows written,
// and ends with the same content as a clone that was not interrupted, if the ERP
// did not change meanwhile. The memory it takes does not grow with the rows.
package twin
