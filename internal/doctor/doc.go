// Package doctor examines whether what a program needs to work with an ERP is
// there, and says of each finding what to do: [Environment] this machine and its
// variables, [Configuration] the settings and the stored login, [API] the ERP's
// REST API, [Database] its database. They change nothing, and no secret is part of
// a finding.
//
// A failure skips the later checks of its area, which depend on it; a warning
// does not. [Worst] sums up.
package doctor
