// Package recorded replays scenarios of requests with known responses against a
// server and compares, leaving out what differs from run to run: ids, UUIDs,
// tokens and times of what the scenario made. Descriptions of the dictionary that
// the server has and the recording's had not are left out too, if the caller names
// them ([Player.Descriptions]).
//
// A file has one [Scenario] per line, as JSON.
package recorded
