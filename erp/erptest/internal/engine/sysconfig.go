package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Sysconfig is the value of an AD_SysConfig key: the session's organization's,
// else its tenant's, else the system's, else def. A key that cannot be read
// counts as missing and is logged.
func (s *Session) Sysconfig(ctx context.Context, tx *store.Tx, name, def string) string {
	return s.ERP.Sysconfig(ctx, tx, name, def, s.ClientID, s.OrgID)
}

// Sysconfig is the value of a key in an organization of a tenant.
func (e *ERP) Sysconfig(ctx context.Context, tx *store.Tx, name, def string, clientID, orgID int64) string {
	v, err := Sysconfig(ctx, tx, name, def, clientID, orgID)
	if err != nil {
		e.Options.Log.Warn("reading a configuration key", "key", name, "error", err)
		return def
	}
	return v
}

// Sysconfig is the value of an AD_SysConfig key for an organization of a tenant, else
// the tenant's, else the system's, else def.
func Sysconfig(ctx context.Context, tx *store.Tx, name, def string, clientID, orgID int64) (string, error) {
	found, err := tx.Known(ctx, `SELECT Value FROM AD_SysConfig WHERE Name=? AND IsActive='Y'
		AND AD_Client_ID IN (0,?) AND AD_Org_ID IN (0,?) ORDER BY AD_Client_ID DESC, AD_Org_ID DESC LIMIT 1`,
		name, clientID, orgID)
	if err != nil {
		return def, fmt.Errorf("reading AD_SysConfig %s: %w", name, err)
	}
	if len(found) == 0 || found[0][0] == nil {
		return def, nil
	}
	return store.Row{"": found[0][0]}.String(""), nil
}

// SysconfigMinutes is a key that holds a number of minutes, where 0 or less
// means "never" and gives 0. What is not a number counts as missing.
func SysconfigMinutes(ctx context.Context, tx *store.Tx, name string, def, clientID, orgID int64) (time.Duration, error) {
	v, err := Sysconfig(ctx, tx, name, "", clientID, orgID)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 32)
	if err != nil {
		n = def
	}
	return time.Duration(max(n, 0)) * time.Minute, nil
}

// TokenSecretKey is the AD_SysConfig row with the secret that signs tokens, which
// nobody reads through the API.
const TokenSecretKey = "REST_TOKEN_SECRET"
