// Package services has the services behind an address that several families of
// commands serve: the AI API and the generator.
package services

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
)

// watchDictionary is how often the dictionary is compared with the database's.
const watchDictionary = 30 * time.Second

// AI is the AI API with all that must be closed after it.
type AI struct {
	Handler *httpapi.Handler
	Engine  *aiquery.Engine
	DB      aiquery.Database
	Source  interface{ Close() error }
	Cache   *registry.Cache
	Checks  string         // how tokens are checked, for people
	Health  aiquery.Health // when it was started
}

// Audited makes sure that queries can be audited, and makes the table for it
// when it may.
func Audited(ctx context.Context, engine *aiquery.Engine, db aiquery.Database, install, optional bool) (h aiquery.Health, err error) {
	h = engine.Health(ctx)
	if h.Database == "up" && install { // it may lack a part of a later version
		if err := aiquery.Install(ctx, db); err != nil {
			return h, err
		}
		h = engine.Health(ctx)
	}
	switch {
	case h.Database != "up":
		return h, fmt.Errorf("the database cannot be read: %s", h.Database)
	case h.Audit != "up" && optional:
		h.Warnings = append(h.Warnings, "queries are not audited: "+h.Audit)
	case h.Audit != "up":
		return h, fmt.Errorf("queries could not be audited, so the AI API is not served: %s; --install creates the table %s, with a login that has the permission",
			h.Audit, aiquery.AuditTableName)
	}
	return h, nil
}

// Watch keeps the dictionary as the database's until ctx ends.
func (s *AI) Watch(ctx context.Context) {
	_ = s.Cache.Watch(ctx, watchDictionary) // it ends with the context, whose error says nothing new
}

// DictionaryChecked is when the dictionary was last found to be as the database's.
func (s *AI) DictionaryChecked() time.Time {
	n, err := s.Cache.Statistics(context.Background()) // it is in memory
	if err != nil {
		return time.Time{}
	}
	return n.Loaded
}

// Close writes the audit's last records and closes what was opened.
func (s *AI) Close(ctx context.Context) error {
	var errs []error
	if s.Engine != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shell.LateRecords)
		defer cancel()
		errs = append(errs, s.Engine.Close(ctx))
	}
	if s.Source != nil {
		errs = append(errs, s.Source.Close())
	}
	if s.DB != nil {
		errs = append(errs, s.DB.Close())
	}
	return errors.Join(errs...)
}
