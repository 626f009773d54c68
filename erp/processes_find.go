package erp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/internal/nearest"
)

// suggestionTime bounds what looking for a name that was meant may add to an
// error.
const suggestionTime = 5 * time.Second

// FindProcess returns the process that is given by slug, AD_Process_ID, UUID or
// search key, with its parameters. Process knows slugs only; people and
// configurations also know the others. What is not there matches ErrNotFound, and
// the error suggests a slug that resembles it.
func (c *Client) FindProcess(ctx context.Context, given string) (*Process, error) {
	slug, err := c.processSlug(ctx, given)
	if err == nil {
		var p *Process
		if p, err = c.Process(ctx, slug); err == nil {
			return p, nil
		}
	}
	if !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, suggestionTime)
	defer cancel()
	list, listErr := c.Processes(ctx, Filter{})
	if listErr != nil {
		return nil, err // which says more than that there is no suggestion
	}
	slugs := make([]string, len(list))
	for i, p := range list {
		slugs[i] = p.Slug
	}
	if meant := nearest.Name(given, slugs); meant != "" {
		return nil, fmt.Errorf("%w; did you mean %q?", err, meant)
	}
	return nil, err
}

// processSlug returns the slug of a process. Slugs and search keys are not looked
// up.
func (c *Client) processSlug(ctx context.Context, given string) (string, error) {
	id, err := ParseID(given)
	if err != nil {
		if slug, ok := Slug(given); ok { // of a search key; a slug is its own
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
	list, err := c.Processes(ctx, Eq(column, value))
	switch {
	case err != nil:
		return "", fmt.Errorf("looking up process %s: %w", given, err)
	case len(list) > 0 && list[0].Slug != "":
		return list[0].Slug, nil
	}
	// The list leaves out what the role may not run, what is inactive, and what
	// is started from a form; the record tells which.
	rec, err := c.Get(ctx, "AD_Process", id, &GetOptions{Select: []string{"Value", "Name", "IsActive"}})
	switch {
	case errors.Is(err, ErrNotFound):
		return "", fmt.Errorf("there is no process %s; `erphub process list` shows those there are: %w", given, ErrNotFound)
	case err != nil:
		return "", fmt.Errorf("looking up process %s: %w", given, err)
	}
	search, _ := rec.Text("Value")
	if active, ok := rec.Bool("IsActive"); ok && !active {
		return "", fmt.Errorf("process %s (%q) is inactive", given, search)
	}
	slug, ok := Slug(search)
	if !ok {
		return "", fmt.Errorf("process %s has the search key %q, which has no address in the REST API", given, search)
	}
	return slug, nil
}
