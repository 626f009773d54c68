// Package restdict runs a plan of package dict over the ERP's REST API, and
// reads definitions back from it.
//
//	result, err := restdict.Run(ctx, client, plan, nil)
//
// # How a plan runs
//
// Before anything is changed, Run finds out what already exists and whether
// everything the plan refers to exists: reference lists, tables that columns
// point at, and the processes it has to run. Then the steps run in order. A
// record that is in the ERP, by its UUID or by its name, is taken as it is; what
// differs from the plan is reported in [StepResult.Differences] and not changed.
//
// # Failures
//
// A creation is never retried blindly. When its response is lost, the record is
// looked up by its UUID and by its name first, and created again only when it
// is not there. A step that the server refuses ends the run, unless
// [Options.ContinueOnError] is set; then the steps that need the refused one
// stay pending and the others go on. What ended a run is a [*RunError]; when
// nothing was started because something is missing it is a [*MissingError] or a
// [*WrongProcessError].
//
// A synchronisation that the ERP refuses, because of the rows there are, is undone in
// the dictionary as well: the ERP reads a table with all columns of the dictionary, and
// one that the database does not have makes every read fail. What the run changed in
// the columns of the table is taken back, and the error says so. Where that is not
// possible, because the ERP went away or the run was killed, [Unreadable] finds the
// tables.
//
// # Resuming
//
// With [Options.Checkpoint] the plan and the state of every step are kept in one
// file, which is replaced as a whole after each step and removed when the run came
// to its end. [Options.Resume] goes on from there, and [ReadCheckpoint] reads the
// plan back. A checkpoint belongs to one plan and one base URL and is refused for
// others. What it says is not believed: records are looked up by UUID, many to a
// request, and one that is not as the earlier run left it (another ERP responds at
// the address, a backup was restored, somebody deleted it) is looked for and made
// again. A process counts as done when all records it needs are still those it ran
// on; updates are made again. Because every run looks first, running a plan again
// without a checkpoint comes to the same end; the file saves time.
//
// # Speed
//
// With [Options.BatchSize] records travel many to a request, in the plan's
// order, each request being one transaction. Servers without batches are used
// record by record.
//
// # Which process synchronises a table
//
// Process numbers are not what they seem: 291 prints an inventory in most
// installations and synchronises tables in some. So the process is looked up by
// what it is ([FindProcess]), and a configured number or slug is read and
// checked before it is run.
package restdict
