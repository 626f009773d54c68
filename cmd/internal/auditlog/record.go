package auditlog

import (
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// TableName is the ERP's table of the records.
const TableName = "AIG_QueryLog"

// Status says how a query ended, as AIG_QueryStatus records it.
type Status string

// The statuses.
const (
	Succeeded Status = "Success"
	Failed    Status = "Error" // or it did not finish
	Refused   Status = "PermissionDenied"
)

// ParseStatus reads a status as it is recorded or as one of the words succeeded,
// error and refused, in any case of letters. The error is an ErrInvalid of
// package erp.
func ParseStatus(name string) (Status, error) {
	switch strings.ToLower(name) {
	case "success", "succeeded":
		return Succeeded, nil
	case "error", "failed":
		return Failed, nil
	case "permissiondenied", "refused":
		return Refused, nil
	}
	return "", invalidf("there is no status %s: use succeeded, error or refused", text.Quote(name))
}

// Record is the audit's record of one query. Names are empty where the ERP does
// not tell them, or where nobody with that number exists.
type Record struct {
	ID   int64     `json:"id"` // AIG_QueryLog_ID
	UUID string    `json:"uuid,omitempty"`
	Time time.Time `json:"when"` // UTC, to the second

	User       string `json:"user"`
	UserID     int64  `json:"userId"`             // the user who ran it
	AIUser     string `json:"aiUser,omitempty"`   // whom the assistant was logged in as
	AIUserID   int64  `json:"aiUserId,omitempty"` // the same as UserID without an assistant
	Role       string `json:"role"`
	RoleID     int64  `json:"roleId"`
	Tenant     string `json:"tenant"`
	TenantID   int64  `json:"tenantId"`
	ProviderID int64  `json:"providerId,omitempty"`

	Status       Status `json:"status"`
	Reason       string `json:"reason,omitempty"` // why it was refused or failed
	Rows         int64  `json:"rows"`
	Milliseconds int64  `json:"milliseconds"`

	// Statement is as it was received; of a long one the beginning, its length
	// and its SHA-256. Secured is as it was run. List leaves Secured out.
	Statement string `json:"statement"`
	Secured   string `json:"securedStatement,omitempty"`
	// Parameters are number, kind and length of the values, never the values.
	Parameters string `json:"parameters,omitempty"`
	Tables     string `json:"tables,omitempty"` // comma-separated
	RequestID  string `json:"requestId,omitempty"`
	Policy     string `json:"policy,omitempty"` // version of the policy it was secured with
}

// listed are the columns that List reads: a page of secured statements would be
// megabytes.
var listed = []string{
	"Created", "CreatedBy", "AD_User_ID", "AD_Role_ID", "AD_Client_ID", "AIG_Provider_ID", "AIG_QueryStatus", "AIG_ErrorMessage", "AIG_RowCount",
	"AIG_ExecutionTimeMs", "AIG_QuerySQL", "AIG_Parameters", "AIG_TablesAccessed", "AIG_RequestID", "AIG_PolicyVersion",
}

func parse(rec erp.Record) (Record, error) {
	id, ok := rec.ID().Int()
	if !ok {
		return Record{}, fmt.Errorf("a record of %s has no number: %w", TableName, erp.ErrBadResponse)
	}
	r := Record{ID: id, UUID: rec.UUID(), Status: Status(code(rec, "AIG_QueryStatus"))}
	var known bool
	if r.Time, known = rec.Time("Created"); !known {
		return Record{}, fmt.Errorf("record %d of %s does not say when it was created: %w", id, TableName, erp.ErrBadResponse)
	}
	r.Time = r.Time.UTC()
	r.UserID, r.User = named(rec, "CreatedBy")
	r.AIUserID, r.AIUser = named(rec, "AD_User_ID")
	r.RoleID, r.Role = named(rec, "AD_Role_ID")
	r.TenantID, r.Tenant = named(rec, "AD_Client_ID")
	for column, into := range map[string]*int64{
		"AIG_Provider_ID": &r.ProviderID, "AIG_RowCount": &r.Rows, "AIG_ExecutionTimeMs": &r.Milliseconds,
	} {
		*into, _ = rec.Int(column)
	}
	for column, into := range map[string]*string{
		"AIG_ErrorMessage": &r.Reason, "AIG_QuerySQL": &r.Statement, "AIG_SecuredSQL": &r.Secured, "AIG_Parameters": &r.Parameters,
		"AIG_TablesAccessed": &r.Tables, "AIG_RequestID": &r.RequestID, "AIG_PolicyVersion": &r.Policy,
	} {
		*into, _ = rec.Text(column)
	}
	return r, nil
}

// named is what a reference refers to.
func named(rec erp.Record, column string) (id int64, name string) {
	ref, ok := rec.Ref(column)
	if !ok {
		return 0, ""
	}
	id, _ = ref.ID.Int()
	return id, ref.Identifier
}

// code is the value of a list column.
func code(rec erp.Record, column string) string {
	text, _ := rec.Code(column)
	return text
}
