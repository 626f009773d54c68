// Package spool keeps calls to the deployment log on disk until the ERP has
// them, so that a run is never lost because the ERP could not be reached.
//
//	s, err := spool.Open(dir, nil)
//	outcome, err := s.Do(ctx, log, spool.Call{Start: &deploylog.NewRun{…}})
//
// Every call is written to the folder and synced before it is sent, and removed
// when the ERP has it. A call that cannot be delivered stays, and so do all that
// come after it; the next call, or Flush, delivers them in order with the times
// they were made at. Many processes may share a folder: they write one after
// the other, and one at a time delivers.
//
// # Nothing twice
//
// A process may be killed at any moment. A call that was sent but not removed is
// delivered again, and recognised: runs have their UUID before they are sent,
// and a call that moves a run is done when the run is where it leads to.
//
// # What the ERP refuses
//
// A call that the ERP or the transition table refuses would be refused again,
// so it is taken out of the queue and kept in the folder "rejected" with the
// reason. A refused login or a missing right is not the call's fault: the queue
// waits.
package spool
