// Package review says what to look at before definitions are brought into an ERP:
// what loses content, what the ERP will refuse because of the rows it has, and what
// looks like a mistake. It also writes the comment for a merge request.
//
//	result, err := diff.Compare(ctx, reg, nil, tables...)
//	findings, err := review.Check(ctx, result, tables, &review.Options{Content: restcount.New(client)})
//	err = review.WriteComment(w, result, findings, nil)
//
// Each finding has the name of its rule, a severity, the record it is about, and what
// accepts it. Everything that [diff.Result.Destructive] lists is an error here, so
// what a review passes is applied without consent to losses. What depends on rows is
// counted if there is somebody to ask ([Content]); what cannot be counted is a warning.
//
// Pipelines that comment on merge requests are in examples/dictcode.
package review
