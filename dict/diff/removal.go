package diff

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// removeTable deactivates a table that no definition wants any more, and the window
// that was made for it. The ERP deactivates the menu entries with the window.
func (c *comparer) removeTable(ctx context.Context, info *registry.Table) error {
	if official(info.ID) != 0 {
		return impossible(info.Name, "removed.official", fmt.Sprintf("%s came with the ERP and cannot be removed", info.Name), "deactivate it in the window Table and Column if that is meant")
	}
	w, err := c.reg.Window(ctx, strconv.Itoa(info.WindowID), registry.WithInactive)
	switch {
	case info.WindowID == 0 || errors.Is(err, registry.ErrNotFound):
	case err != nil:
		return err
	case w.Active && official(w.ID) == 0 && len(w.Tabs) > 0 && w.Tabs[0].TableID == info.ID:
		c.add(Change{Table: info.Name, Kind: KindWindow, Name: w.Name, Action: Remove, Destructive: "the window is deactivated, with its menu entries",
			Record: dict.Existing{Table: "AD_Window", Match: []dict.Match{{Column: "Name", Value: dict.Text(w.Name)}}}})
	}
	if info.Active {
		c.add(Change{Table: info.Name, Kind: KindTable, Name: info.Name, Action: Remove, Record: existingTable(info.Name, info.ID),
			Destructive: "the table is deactivated, and what it holds is no longer reachable"})
	}
	return nil
}
