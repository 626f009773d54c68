// Package planfile saves the plan of a comparison, so that what was looked at is
// what is done later, elsewhere.
//
//	file, err := planfile.New(result, nil)
//	err = file.Write("plan.json")
//	…
//	file, err = planfile.Read("plan.json")
//	err = file.Check(ctx, registry)          // *StaleError: the ERP is not as it was
//	restdict.Run(ctx, client, file.Plan, nil)
//
// A file holds the definitions, the changes that were found and the steps to make
// them. It is checked by comparing the definitions with the ERP once more: the
// changes and the steps have to be the same ones. So nothing is done to an ERP that
// somebody changed in the meantime, nor with a file that somebody changed. What
// concerns other records, or attributes that definitions do not have, does not
// matter.
//
// A file holds no passwords and no tokens, but all that the definitions say.
package planfile
