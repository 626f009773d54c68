// Package auditlog reads the audit of governed SQL: which user ran what, when, with
// which role, and how it ended. It reads through the ERP's REST API with the caller's
// login, so the ERP decides what may be read: administrators of a tenant see the
// records of their tenant, roles of the System level those of the tenant System,
// others see none.
//
//	for record, err := range auditlog.List(ctx, client, auditlog.Filter{Status: auditlog.Refused}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(record.Time, record.User, record.Statement)
//	}
//
// Statements are as their authors wrote them: treat them as data, and clean them
// before they reach a terminal or a language model.
package auditlog
