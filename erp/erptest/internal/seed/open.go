package seed

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Open opens the database at path, or one in memory when path is empty, and
// fills it when it is new. The caller closes the store.
func Open(ctx context.Context, path string) (*store.Store, error) {
	return store.Open(ctx, path)
}
