// Package recorded replays scenarios of requests with known responses against a
// server and compares, leaving out what differs from run to run: ids, UUIDs,
// tokens and times of what the scenario made.
//
// A file has one [Scenario] per line, as JSON.
package recorded
