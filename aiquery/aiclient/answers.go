package aiclient

import "github.com/erphub/erphub/aiquery/answer"

// What is answered; the values are described where they are declared.
type (
	// Error is [answer.Error].
	Error = answer.Error
	// Result is [answer.Result].
	Result = answer.Result
	// Column is [answer.Column].
	Column = answer.Column
	// Explanation is [answer.Explanation].
	Explanation = answer.Explanation
	// PlanNode is [answer.PlanNode].
	PlanNode = answer.PlanNode
	// RoleInfo is [answer.RoleInfo].
	RoleInfo = answer.RoleInfo
	// TableMetadata is [answer.TableMetadata].
	TableMetadata = answer.TableMetadata
	// ColumnMetadata is [answer.ColumnMetadata].
	ColumnMetadata = answer.ColumnMetadata
	// ListValue is [answer.ListValue].
	ListValue = answer.ListValue
	// ForeignKey is [answer.ForeignKey].
	ForeignKey = answer.ForeignKey
	// WindowMetadata is [answer.WindowMetadata].
	WindowMetadata = answer.WindowMetadata
	// TabMetadata is [answer.TabMetadata].
	TabMetadata = answer.TabMetadata
	// FieldMetadata is [answer.FieldMetadata].
	FieldMetadata = answer.FieldMetadata
)
