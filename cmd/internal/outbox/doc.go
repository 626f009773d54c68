// Package outbox keeps entries in a folder until they have been delivered. What
// an entry holds, whom it is for and what a failure means is the caller's matter.
//
// Many processes may share a folder, and each may be killed at any moment. They
// append under one lock and deliver under another, so that appending never waits
// for a receiver. A file is written to a temporary name, synced and renamed;
// temporary files of processes that were killed are removed by the next process
// that holds the lock under which they were written, whatever the clock says.
//
// # Order
//
// Entries are numbered as they are appended. The entries of one key are delivered
// one after the other: an entry that cannot be read holds back what follows it
// under the same key. Number, key and ID are in the name of the file, so that a
// file whose content is lost still holds back the right entries; one whose name is
// of another form holds back all of them.
//
// # Delivery
//
// Whoever delivers calls [Queue.Lock], takes the entries with [Queue.Next] or
// [Queue.Waiting], and removes each that was delivered. An entry that may be sent
// twice in a way that matters is marked with [Queue.MarkTried] before it is sent
// the first time. One that will never be delivered is set aside with the reason.
//
// What in the folder is not an entry are notes: small values under a name, such as
// since when a receiver is away.
package outbox
