package engine

import (
	"context"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// roleTables are the tables that roles, and the access list of the REST plugin, are
// made of: when one of them changes, all that is cached of them is forgotten.
var roleTables = map[string]bool{
	"*": true, "?": true, "AD_ROLE": true, "AD_ROLE_INCLUDED": true, "AD_ROLE_ORGACCESS": true, "AD_USER_ORGACCESS": true,
	"AD_USER_ROLES": true, "AD_USER_SUBSTITUTE": true, "AD_TABLE_ACCESS": true, "AD_COLUMN_ACCESS": true,
	"AD_RECORD_ACCESS": true, "AD_TABLEVALRULE": true, "AD_WINDOW": true, "AD_TAB": true, "AD_WINDOW_ACCESS": true,
	"AD_PROCESS_ACCESS": true, "AD_FORM_ACCESS": true, "AD_TASK_ACCESS": true, "AD_WORKFLOW_ACCESS": true,
	"AD_INFOWINDOW_ACCESS": true, "AD_PROCESS": true, "AD_FORM": true, "AD_TASK": true, "AD_WORKFLOW": true, "AD_INFOWINDOW": true, "AD_ORG": true, "AD_TREENODE": true, "AD_SYSCONFIG": true,
	"REST_RESOURCE": true, "REST_RESOURCE_ACCESS": true,
}

// MaxCachedRoles bounds the cache.
const MaxCachedRoles = 1000

// RoleCache keeps loaded roles until something they are made of changes.
type RoleCache struct {
	mu    sync.Mutex // guards the fields below
	since uint64     // the commit that last changed what roles are made of
	roles map[[2]int64]*Role
}

// ChangesRoles reports whether roles may be others once these tables were written to.
func ChangesRoles(tables map[string]bool) bool {
	for t := range tables {
		if roleTables[t] {
			return true
		}
	}
	return false
}

// changed gets the tables that a commit wrote to.
func (rc *RoleCache) changed(commit uint64, tables map[string]bool) {
	if ChangesRoles(tables) {
		rc.mu.Lock()
		defer rc.mu.Unlock()
		rc.since, rc.roles = commit, nil
	}
}

// Size tells how many roles are in the cache.
func (rc *RoleCache) Size() int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return len(rc.roles)
}

// Forget empties the cache.
func (rc *RoleCache) Forget() {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.roles = nil
}

// Get is the role for its user, as the transaction sees it.
func (rc *RoleCache) Get(ctx context.Context, tx *store.Tx, roleID, userID int64, now time.Time) (*Role, error) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	key := [2]int64{roleID, userID}
	if tx.Commit() < rc.since || ChangesRoles(tx.Written()) { // it may see another state than the cache
		return LoadRole(ctx, tx, roleID, userID, now)
	}
	if r := rc.roles[key]; r != nil && (r.Until.IsZero() || now.Before(r.Until)) {
		return r, nil
	}
	r, err := rc.load(ctx, tx, key, now)
	if err != nil {
		return nil, err
	}
	if rc.roles == nil || len(rc.roles) >= MaxCachedRoles {
		rc.roles = map[[2]int64]*Role{}
	}
	rc.roles[key] = r
	return r, nil
}

// load reads the role, or takes the one that was read in an equal database while
// nothing has changed here that roles are made of.
func (rc *RoleCache) load(ctx context.Context, tx *store.Tx, key [2]int64, now time.Time) (*Role, error) {
	common := tx.Common()
	equal := common != nil && rc.since == 0
	if equal {
		if r, ok := common.Values.Load(key); ok {
			return r.(*Role), nil
		}
	}
	r, err := LoadRole(ctx, tx, key[0], key[1], now)
	if equal && err == nil && r.Until.IsZero() { // other ERPs have other clocks
		common.Values.Store(key, r)
	}
	return r, err
}
