package aiquery

import (
	"log/slog"
	"time"
)

// The defaults of [Options].
const (
	DefaultRows      = 100
	MaxRows          = 1000
	DefaultBytes     = 4 << 20
	DefaultCellBytes = 64 << 10
	DefaultParams    = 100
)

// Options change an [Engine]. Nil and the zero value are the defaults.
type Options struct {
	Rows      int // rows without maxRows; 0: 100
	MaxRows   int // most rows; 0: 1000, which is also the most
	Bytes     int // of one result; 0: 4 MiB
	CellBytes int // of one value; what is longer is cut; 0: 64 KiB

	MaxLength      int // of a statement, in bytes; 0: 64 KiB
	MaxParams      int // 0: 100
	MaxParamBytes  int // of one parameter; 0: 64 KiB
	MaxParamsBytes int // of all parameters; 0: 1 MiB

	StatementTimeout time.Duration // of one run; 0: 10 s
	RequestTimeout   time.Duration // of everything but the audit; 0: 15 s

	Running int // statements at a time; 0: 8
	Queued  int // statements that wait; 0: 32
	PerUser int // statements of one user at a time; 0: 2

	// Collecting is the number of statements that run at a time and collect rows into one
	// value (string_agg, json_agg …) or compute rows from rows (WITH RECURSIVE),
	// one of each user; 0: 1. Such a statement may collect 64 MiB, which the
	// database's process needs up to 400 MB for; others need some WorkMem, a few
	// times. What a statement may collect or build follows from the widths of its
	// columns and constants, and is decided before it runs.
	Collecting int

	// Failures is the number of statements of one user that may fail for a row within a
	// minute, in this engine, before those that can fail are refused with
	// [api.CodeRateLimited]. 0: 30.
	Failures int

	// PolicyLife is the time for which a policy is used before it is made anew; 0: 60 s.
	// Permissions are compared before each run all the same.
	PolicyLife time.Duration

	// SystemTables are tables of access level 4 (System only) that roles without
	// the System level may read, too. By default they may not, although the ERP
	// lets everybody read them.
	SystemTables []string
	// OpenTables are tables without AD_Client_ID or AD_Org_ID that may be read;
	// the conditions on the columns they do have stay. They must be in the
	// dictionary.
	OpenTables []string
	// SafeViews are materialized views and foreign tables, which cannot be
	// inlined, that an administrator vouches for. They need both columns.
	SafeViews []string
	// DeniedTables are kept from every role.
	DeniedTables []string
	// Redact are more columns whose values are masked, by name in any case of
	// letters ("IBAN") or with their table ("C_BP_BankAccount.IBAN").
	Redact []string
	// NoDefaultRedact leaves out the list of plain secrets that is masked besides
	// what the specification and the dictionary name; see [DefaultRedact].
	NoDefaultRedact bool
	// Functions are functions of the ERP's schema that were reviewed and do not
	// read tables, besides the ones known to be so.
	Functions []string
	// Mask stands for redacted texts; empty: ***.
	Mask string

	// AuditOptional runs queries whose audit record cannot be written. The
	// failure is logged.
	AuditOptional bool
	// AuditBytes is the number of bytes of audit records one user may cause in a day
	// (UTC), in this engine; further statements are refused with
	// [api.CodeRateLimited]. 0: 128 MiB.
	AuditBytes int64
	// NoAudit keeps no record at all; for tests and single-user tools.
	NoAudit bool

	// Logger gets what the caller must not see: the database's own words. Nil is
	// silent.
	Logger *slog.Logger
	// Clock tells the time; nil is time.Now.
	Clock func() time.Time
}
