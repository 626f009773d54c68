// Package processref finds the address of a process: the ERP's REST API knows
// slugs only, people and configurations also know numbers and UUIDs.
package processref

import (
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp"
)

// Find returns the process that is given by slug, AD_Process_ID, UUID or search
// key, with its parameters. What is not there is [erp.ErrNotFound].
func Find(ctx context.Context, c *erp.Client, given string) (*erp.Process, error) {
	slug, err := Slug(ctx, c, given)
	if err != nil {
		return nil, err
	}
	return c.Process(ctx, slug)
}

// Slug returns the slug of the process that is given by slug, AD_Process_ID,
// UUID or search key. Slugs and search keys are not looked up.
func Slug(ctx context.Context, c *erp.Client, given string) (string, error) {
	id, err := erp.ParseID(given)
	if err != nil {
		if slug, ok := erp.Slug(given); ok { // of a search key; a slug is its own
			return slug, nil
		}
		return given, nil
	}
	column, value := "AD_Process_ID", any(nil)
	if number, ok := id.Int(); ok {
		value = number
	} else {
		column, value = "AD_Process_UU", id.String()
	}
	list, err := c.Processes(ctx, erp.Eq(column, value))
	switch {
	case err != nil:
		return "", fmt.Errorf("looking up process %s: %w", given, err)
	case len(list) > 0 && list[0].Slug != "":
		return list[0].Slug, nil
	}
	// The list leaves out what the role may not run, what is inactive, and what
	// is started from a form; the record tells which.
	rec, err := c.Get(ctx, "AD_Process", id, &erp.GetOptions{Select: []string{"Value", "Name", "IsActive"}})
	switch {
	case errors.Is(err, erp.ErrNotFound):
		return "", fmt.Errorf("there is no process %s; `erphub process list` shows those there are: %w", given, erp.ErrNotFound)
	case err != nil:
		return "", fmt.Errorf("looking up process %s: %w", given, err)
	}
	search, _ := rec.Text("Value")
	if active, ok := rec.Bool("IsActive"); ok && !active {
		return "", fmt.Errorf("process %s (%q) is inactive", given, search)
	}
	slug, ok := erp.Slug(search)
	if !ok {
		return "", fmt.Errorf("process %s has the search key %q, which has no address in the REST API", given, search)
	}
	return slug, nil
}
