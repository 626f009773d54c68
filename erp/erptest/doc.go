// Package erptest is an ERP that runs inside your program: the REST API of an
// iDempiere-family server with a real Application Dictionary in an embedded
// database, demo data, users, roles and signed tokens.
//
// In a test it takes one line and ends with the test:
//
//	srv := erptest.New(t)
//	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)))
//
// It is not a mock. It authenticates with JSON Web Tokens that expire,
// rotates refresh tokens and notices their reuse, checks tenant and role on
// every row, creates database tables when the dictionary's synchronisation
// process runs, and responds in the wire format of the ERP's REST plugin, its
// known faults included.
//
// # Demo data
//
// Tenant 0 is System (user SuperUser, password System). Tenant 11 is
// GardenWorld with GardenAdmin / GardenAdmin (role 102, organization 11 HQ,
// warehouse 103) and GardenUser / GardenUser (role 103, restricted). A second
// tenant shows that tenants do not see each other.
//
// The figures follow from each other: a partner's balance is that of its invoices
// and payments, what is on stock is what movements left. Orders are of January 2024
// to March 2025, or end today with [Options].Recent. Periods are open in the year of
// the first document and the two after it; other days are taken for open.
//
// # Log-ins and tokens
//
// Access tokens live an hour, refresh tokens a day, a whole log-in a week, as
// [Options].Clock counts; [Server.SetConfig] changes that. [Server.APIToken]
// makes long-lived tokens without a log-in, [Server.TokenSecret] is the key
// services verify tokens with, [Server.RefreshTokens] tells which refresh
// tokens were spent or revoked, and why.
//
// A role that is not maintained by hand (AD_Role.IsManual is N) has every
// window, process, form and so on that fits its user level without rows that
// say so; rows in the AD_…_Access tables say otherwise. Read-only sessions and
// subscribed services (IsUseASP) are not known here, and neither are tokens of
// other issuers. The token secret is hidden from everybody's queries.
//
// # What is accepted beyond the real server
//
// Two spellings of the refresh token, PATCH on records, another role in a
// log-in that is complete, and some more that
// [Options].Strict lists and deactivates.
//
// # Statements in the dictionary, tasks
//
// SQL that stands in the dictionary (info windows, status lines, charts, tabs,
// REST views, validation rules) runs in SQLite, and sees only what the session
// may read. Tasks are not handed to the operating system: echo, date, df,
// hostname, java, true and false have made-up responses, any other command is not
// found (exit value 127).
//
// # Data in a file
//
// With [Options].Path the data survive the server. What it responded to is there
// after the process was killed, a batch whole or not at all, and what it refused is
// not. A power failure, or a crash of the operating system, can undo the writes since
// the journal was last brought to the disk, which happens every 4 MiB of changes and
// at the end; with [Options].Durable every write waits for it. Readers go on while
// something is written; in memory they wait for the writer.
//
// The file carries the number of its form. One of another number, and one that is
// damaged, empty, read-only or another program's, is refused with what to do, as it
// is. A disk that is full is said by
// every write it refuses, and by GET /health, whose header X-Health-Reason has the
// reason; everything works again once there is room. [Options].Logger has the rest.
//
// # The demo database
//
// The program carries the database of dictionary and demo data, compressed in pieces
// that are unpacked when they are first read. All servers in memory hold alone what
// they change in it; one with [Options].Path begins with a copy.
//
// # Faults
//
// [Server.Faults] makes chosen requests fail, wait, break off or run twice,
// so that retries and resumption can be proved.
//
// Tests of a package that uses an ERP are in examples/hermetic.
package erptest
