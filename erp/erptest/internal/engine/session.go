package engine

// Session is who works with the ERP: what they do is done in their name, with
// the permissions of their role.
type Session struct {
	ERP *ERP

	ClientID, UserID, RoleID, OrgID, WarehouseID, SessionID int64
	UserName                                                string
	// Language is that of texts, such as en_US.
	Language string
	// TraceID is what the caller calls the request, "" for nothing. Changes and runs of
	// processes are recorded with it.
	TraceID string
	// Clients are the tenants a log-in of the first step may choose from.
	Clients []int64
	// LoggedIn is whether the session comes from a log-in, not from a token made for
	// a program.
	LoggedIn bool
	Role     *Role // nil before the log-in is complete
}
