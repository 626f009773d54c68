// Package engine is the embedded ERP itself: records with the rules, defaults,
// stamps and numbers that the ERP's programs give them, roles and what they may
// see and do, values as columns keep them, and the configuration, over a database
// with a dictionary. It knows no requests: everything is done by a [Session], and
// what is refused is an [Error], an [AccessDenied] or a [PublicError], which the
// REST plugin in package erptest gives a status.
//
// What stands on it has packages of its own: package login finds out who logs in
// and with what, process runs processes and reports, packin imports package
// archives, jobs runs schedulers and the server's own processors, and workflow
// decides activities.
package engine
