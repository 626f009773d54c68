package erptest

import (
	"context"
	"fmt"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// prepareAuth makes a database ready for log-ins.
func (s *Server) prepareAuth(ctx context.Context) error {
	err := s.erp.DB.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, seed.AuthTables); err != nil {
			return err
		}
		return s.loadSecret(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("preparing log-ins: %w", err)
	}
	return nil
}

// millis is a time as the tables of the log-in keep it.
func millis(t time.Time) int64 { return t.UnixMilli() }

// passed reports whether the moment in Unix milliseconds is over; 0 never is.
func (s *Server) passed(ms int64) bool { return ms != 0 && millis(s.now()) >= ms }
