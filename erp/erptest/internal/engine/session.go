package engine

// Session is who is calling, as the bearer token says.
type Session struct {
	ERP *ERP

	ClientID, UserID, RoleID, OrgID, WarehouseID, SessionID int64
	UserName                                                string
	// Language is the token's, or the one the request's locale asks for.
	Language string
	// Clients are the tenants a log-in of the first step may choose from.
	Clients []int64
	// LoggedIn is whether the token comes from a log-in, not from [Server.APIToken].
	LoggedIn bool
	Role     *Role // nil before the log-in is complete
}
