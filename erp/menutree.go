package erp

import (
	"context"
	"iter"
	"net/http"
)

// MenuTree is the menu as the role may see it.
type MenuTree struct {
	Name        string      `json:"Name"`
	Description string      `json:"Description"`
	Entries     []MenuEntry `json:"entries"`
}

// MenuEntry is a folder of the menu, or something that can be opened. Which of
// the references is set follows from Action.
type MenuEntry struct {
	ID          int64  `json:"id"` // AD_Menu_ID
	UUID        string `json:"uid"`
	Name        string `json:"Name"`
	Description string `json:"Description"`
	// Action is the list value that says what is opened, such as W for a
	// window; zero for folders.
	Action     Ref  `json:"Action"`
	Window     Ref  `json:"AD_Window_ID"`
	Workflow   Ref  `json:"AD_Workflow_ID"`
	Task       Ref  `json:"AD_Task_ID"`
	Process    Ref  `json:"AD_Process_ID"`
	Form       Ref  `json:"AD_Form_ID"`
	InfoWindow Ref  `json:"AD_InfoWindow_ID"`
	EntityType Ref  `json:"EntityType"`
	IsSOTrx    bool `json:"IsSOTrx"`
	// Variables is PredefinedContextVariables.
	Variables string      `json:"PredefinedContextVariables"`
	Entries   []MenuEntry `json:"entries"`
}

// MenuTree returns the menu. Its id is menuTreeId in the response to the login.
func (c *Client) MenuTree(ctx context.Context, id ID) (*MenuTree, error) {
	key, err := id.segment()
	if err != nil {
		return nil, err
	}
	var tree MenuTree
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"menutree", key}}, &tree); err != nil {
		return nil, err
	}
	return &tree, nil
}

// All yields every entry with its depth, 0 for the top, folders before what is
// in them.
func (t *MenuTree) All() iter.Seq2[int, *MenuEntry] {
	return func(yield func(int, *MenuEntry) bool) { walkMenu(t.Entries, 0, yield) }
}

func walkMenu(entries []MenuEntry, depth int, yield func(int, *MenuEntry) bool) bool {
	for i := range entries {
		if !yield(depth, &entries[i]) || !walkMenu(entries[i].Entries, depth+1, yield) {
			return false
		}
	}
	return true
}
