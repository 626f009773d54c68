package values

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/erphub/erphub/dict/registry"
)

// Dictionary describes tables and lists. A [registry.Registry] is one, and
// [NewDictionary] makes one that reads only what an import needs.
type Dictionary interface {
	Table(ctx context.Context, name string, with ...registry.Detail) (registry.Table, error)
	Reference(ctx context.Context, name string, with ...registry.Detail) (registry.Reference, error)
}

// NewDictionary is a dictionary that reads a table, and the tables it refers to,
// when they are asked for. It is safe for concurrent use.
func NewDictionary(source registry.Source) Dictionary { return &lazy{source: source} }

type lazy struct {
	source registry.Source

	mu      sync.Mutex // guards what follows
	scope   registry.Scope
	catalog *registry.Catalog
}

// Table implements [Dictionary].
func (l *lazy) Table(ctx context.Context, name string, with ...registry.Detail) (registry.Table, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog != nil {
		t, err := l.catalog.Table(ctx, name, with...)
		var beyond *registry.ScopeError
		if !errors.As(err, &beyond) {
			return t, err
		}
		// What several columns refer to is asked for, so what the others refer to will be:
		// one record names few, and the rows of a file many.
		for _, known := range l.many() {
			if t, err := l.catalog.Table(ctx, known, with...); err == nil {
				for _, c := range t.Columns {
					if c.ForeignTable != "" && !c.Type.IsList() {
						l.add(c.ForeignTable)
					}
				}
			}
		}
	}
	l.add(name)
	if err := l.load(ctx); err != nil {
		return registry.Table{}, err
	}
	return l.catalog.Table(ctx, name, with...)
}

func (l *lazy) load(ctx context.Context) error {
	catalog, err := registry.LoadScope(ctx, l.source, l.scope)
	if err == nil {
		l.catalog = catalog
	}
	return err
}

// many are the tables that were asked for, once they are more than a few.
func (l *lazy) many() []string {
	if len(l.scope.Tables) < 3 {
		return nil
	}
	return slices.Clone(l.scope.Tables)
}

func (l *lazy) add(table string) {
	if !slices.ContainsFunc(l.scope.Tables, func(t string) bool { return strings.EqualFold(t, table) }) {
		l.scope.Tables = append(l.scope.Tables, table)
	}
}

// Reference implements [Dictionary].
func (l *lazy) Reference(ctx context.Context, name string, with ...registry.Detail) (registry.Reference, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog != nil {
		ref, err := l.catalog.Reference(ctx, name, with...)
		var beyond *registry.ScopeError
		if !errors.As(err, &beyond) {
			return ref, err
		}
	}
	if !slices.Contains(l.scope.References, name) {
		l.scope.References = append(l.scope.References, name)
	}
	if err := l.load(ctx); err != nil {
		return registry.Reference{}, err
	}
	return l.catalog.Reference(ctx, name, with...)
}
