// Package spool keeps calls to the deployment log on disk until the ERP has
// them, so that a run is never lost because the ERP could not be reached.
//
//	s := spool.New(dir, nil)
//	outcome, err := s.Do(ctx, log, spool.Call{Start: &deploylog.NewRun{…}})
//
// Every call is written to the folder and synced before it is sent, and removed
// when the ERP has it. A call that cannot be delivered stays, and so do all that
// come after it; the next call, or Flush, delivers them in order with the times
// they were made at. Many processes may share a folder: they write one after
// the other, and one at a time delivers.
//
// # Nothing lost, nothing twice, in order
//
// A call whose caller was told that it is kept is in the ERP in the end, or in
// the folder, where List shows it. A process may be killed at any moment: a call
// that was sent but not removed is delivered again, and recognised, because runs
// have their UUID before they are sent, and a call that moves a run is done when
// the run is where it leads to. The calls of a run are delivered in the order
// they were made.
//
// # What stops
//
// A file that cannot be read, or that another version of this module wrote, stays
// where it is and holds back the later calls of its run, which the name of the
// file tells; other runs go on. A call that the ERP or the transition table
// refuses would be refused again, so it is set aside in the folder "rejected"
// with the reason, and what comes after it goes on. The caller learns of both;
// List shows them, and Retry and Discard end it. A refused login or a missing
// permission is not the call's fault: the queue waits.
//
// # When the folder cannot be used
//
// A folder that is full, read-only or somebody else's is no reason to fail while
// the ERP responds: the call is made without it, behind what the folder holds
// for the same run, and the outcome has a warning.
package spool
