// Package access explains why a user may, or may not, see or change something in
// the ERP: a window, a process, a form, a table, a column or a record. It reads
// the ERP's own permission tables over REST, as whoever the client acts for, and
// applies the rules that the ERP applies to them. What that caller may not read
// itself is named, and what depends on it is unknown.
//
//	why, err := access.Explain(ctx, client, access.Question{User: "GardenUser", Window: "Sales Order"})
//	if err != nil {
//		return err
//	}
//	for _, role := range why.Roles {
//		fmt.Println(role.Name, role.Read, role.Write)
//	}
//
// WriteDenied responds to the shorter question beforehand: which of some tables a role
// may not write at all.
//
// [LoadScope] reads the same rules once, for those who count or search records: what
// of a table a role does not see.
//
// Not looked at are subscriptions to application service providers, and what program
// code decides by itself.
package access
