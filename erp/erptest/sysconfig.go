package erptest

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// sysconfig is the value of an AD_SysConfig key: the session's tenant's, else
// the system's, else def.
func (c *call) sysconfig(ctx context.Context, tx *store.Tx, name, def string) string { return def }
