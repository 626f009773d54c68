// Package deploylog is about deployment runs: which version was built and
// brought to which environment, how far a run is, and how it ended.
//
//	log := deploylog.New(client, nil)
//	run, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Production, Version: "12.0.3", BuildNo: "42"})
//	run, err = log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying})
//	run, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success})
//
// # Where runs are kept
//
// The runs are records of a table of the ERP, XX_Deploy_Log. [Plan] brings it
// into an ERP with its lists, indexes and window; package dict/restdict runs the
// plan.
//
// # States
//
//	(none)    -> BUILDING               Start
//	BUILDING  -> DEPLOYING              Update
//	DEPLOYING -> SUCCESS                Complete
//	BUILDING or DEPLOYING -> FAILED     Complete
//	SUCCESS   -> ROLLED_BACK            Rollback
//	FAILED    -> ROLLED_BACK            Rollback, when it failed while DEPLOYING
//
// Every other move is refused before anything is sent, with a [TransitionError]
// that names the moves that are allowed. Two writers of the same run cannot get
// past the table together: a move is made in one transaction with giving up a
// claim that only one of them can have.
//
// VersionPrevious is written when a run begins to deploy, so it also tells a
// deployment that failed from a build that did. It is empty for a run that was
// the first in its environment; when that fails, its CurrentStep says that it
// was deploying.
//
// # Times
//
// DateStarted, DateCompleted and Duration are by the server's clock, which is
// learned from what the server writes into its records; the clock of this
// machine only counts for calls that are delivered late (At), less by how much
// it differs from the server's.
//
// # Retrying
//
// Start is idempotent for the same build number and environment, and a move that
// is made again with the same outcome is done: the run is returned as it is. When
// the response to a write is lost, the write is looked for before it is made
// again. The command line keeps calls on disk while the ERP cannot be reached.
//
// # Reading
//
// [Log.Status] is the current run and the running version of each environment,
// [Log.History] goes through past runs page by page, [Log.Watch] yields changes
// as they are noticed, and [Log.Measure] computes the four delivery measures.
package deploylog
