package dictionary

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// addBehind adds to what was compared the tables whose database is behind the
// dictionary, whoever left them so.
func addBehind(ctx context.Context, client *erp.Client, result *diff.Result) error {
	unreadable, err := restdict.Unreadable(ctx, client, result.Existing()...)
	for _, table := range unreadable {
		result.Synchronise(table)
	}
	return err
}

// stillBehind is the error of changes that were carried out and did not bring a
// database that was behind in line.
func stillBehind(ctx context.Context, client *erp.Client, changes []diff.Change) error {
	unreadable, err := restdict.Unreadable(ctx, client, behind(changes)...)
	if err == nil && len(unreadable) > 0 {
		err = fmt.Errorf("the changes were carried out, and the ERP still cannot read %s: its log says why", strings.Join(unreadable, ", "))
	}
	return err
}

// behind are the tables that are behind by a list of changes.
func behind(changes []diff.Change) []string {
	var names []string
	for _, c := range changes {
		if c.Kind == diff.KindDatabase && !slices.Contains(names, c.Table) {
			names = append(names, c.Table)
		}
	}
	return names
}
