package erptest

// session is who is calling, as the bearer token says.
type session struct {
	erp *system

	ClientID, UserID, RoleID, OrgID, WarehouseID, SessionID int64
	UserName                                                string
	// Language is the token's, or the one the request's locale asks for.
	Language string
	// Clients are the tenants a log-in of the first step may choose from.
	Clients []int64
	// loggedIn is whether the token comes from a log-in, not from [Server.APIToken].
	loggedIn bool
	role     *role // nil before the log-in is complete
}
