package aiquery

import "github.com/erphub/erphub/aiquery/api"

// The types of the AI API are described where they are declared.
type (
	// Error is [api.Error].
	Error = api.Error
	// Result is [api.Result].
	Result = api.Result
	// Column is [api.Column].
	Column = api.Column
	// Read is [api.Read].
	Read = api.Read
	// Explanation is [api.Explanation].
	Explanation = api.Explanation
	// RoleInfo is [api.RoleInfo].
	RoleInfo = api.RoleInfo
	// TableMetadata is [api.TableMetadata].
	TableMetadata = api.TableMetadata
	// ColumnMetadata is [api.ColumnMetadata].
	ColumnMetadata = api.ColumnMetadata
	// ListValue is [api.ListValue].
	ListValue = api.ListValue
	// ForeignKey is [api.ForeignKey].
	ForeignKey = api.ForeignKey
	// WindowMetadata is [api.WindowMetadata].
	WindowMetadata = api.WindowMetadata
	// TabMetadata is [api.TabMetadata].
	TabMetadata = api.TabMetadata
	// FieldMetadata is [api.FieldMetadata].
	FieldMetadata = api.FieldMetadata
)
