// Package login finds out who logs in to the embedded ERP, and which tenant, role,
// organization and warehouse that leads to.
package login
