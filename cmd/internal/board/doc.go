// Package board shows the deployment log in a browser: what runs in each
// environment, how runs under way move on, how past ones went, and the four
// delivery measures.
//
// [Board.Handler] serves one page at /deployments and, below /api/deployments,
// what the page reads:
//
//	GET /api/deployments?env=&client=          status of each environment
//	GET /api/deployments/history?q=&env=&client=&status=&since=&until=&limit=&cursor=
//	GET /api/deployments/{id}                  one run, by number or UUID
//	GET /api/deployments/measures?env=&client=&period=
//	GET /api/deployments/versions?client=      what runs where, and what promotions would bring
//	GET /api/deployments/events                changes, as server-sent events
//
// The parameter q searches as deploylog.HistoryQuery.Search does.
//
// Everything is read with the login of the client the board was made with; the
// board itself does not authenticate viewers. Anyone who can reach it sees what that login
// may read, and can change nothing.
//
// # Measures
//
// The measures are those of deploylog.Measures, over the runs that ended within
// the period:
//
//   - Deployment frequency: runs that reached SUCCESS, per day.
//   - Lead time for changes: median time from a change to its SUCCESS. Changes
//     are the times in RFC 3339 that Components names; without any there is no
//     lead time.
//   - Change failure rate: FAILED while DEPLOYING or ROLLED_BACK, of all that
//     were deployed or tried. Builds that failed do not count.
//   - Time to restore: median time from a failure to the rollback or the next
//     SUCCESS.
//
// # Events
//
// One poller follows the log for all who listen. Events are "run" (a run that
// is new or changed, its long texts cut), "state" (whether the log can be read,
// and why not: away, access, missing or unknown)
// and "reset" (something may have been missed: read again). Each has an id;
// whoever comes back with the last one in Last-Event-ID gets what followed, or
// a reset. A listener that does not keep up is let go, and comes back the same
// way. Listeners are bounded; when there are too many, one of the address that
// has most of them makes room.
//
// # Other pages
//
// Browsers say where a request comes from. What a page of another site makes
// them send to the API is refused; the page itself can be linked to.
package board
