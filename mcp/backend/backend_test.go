package backend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// named is a backend that can only say its name.
type named backend.Name

func (n named) Name() backend.Name { return backend.Name(n) }
func (named) Check(context.Context, mcp.Caller) (string, error) {
	return "", nil
}

// searching is one that fails to find records in its own way.
type searching struct {
	named
	err   error
	asked *[]backend.Name
}

func (s searching) Search(context.Context, mcp.Caller, backend.Search) (*backend.Page, error) {
	*s.asked = append(*s.asked, s.Name())
	if s.err != nil {
		return nil, s.err
	}
	return &backend.Page{}, nil
}

func TestPoolOrder(t *testing.T) {
	names := func(p *backend.Pool) (out []backend.Name) {
		for _, b := range p.Backends() {
			out = append(out, b.Name())
		}
		return out
	}
	p, err := backend.NewPool("", named(backend.CLI), named(backend.DB), named(backend.REST))
	require.NoError(t, err)
	assert.Equal(t, []backend.Name{"rest", "db", "cli"}, names(p))
	p, err = backend.NewPool(backend.DB, named(backend.CLI), named(backend.REST), named(backend.DB), named(backend.AI))
	require.NoError(t, err)
	assert.Equal(t, []backend.Name{"db", "rest", "ai", "cli"}, names(p))

	_, err = backend.NewPool(backend.AI, named(backend.REST))
	require.ErrorContains(t, err, "ai was chosen and is not configured")
	_, err = backend.NewPool("", named(backend.REST), named(backend.REST))
	require.ErrorContains(t, err, "twice")
	_, err = backend.NewPool("")
	require.ErrorContains(t, err, "ERP_URL")
	_, err = backend.ParseName("oracle")
	require.ErrorContains(t, err, "rest, ai, db or cli")
	n, err := backend.ParseName(" DB ")
	require.NoError(t, err)
	assert.Equal(t, backend.DB, n)
}

// A refusal is final; only what cannot be reached, or cannot do the work, makes
// way, and what changes something is never sent twice.
func TestFallback(t *testing.T) {
	away := &erp.ConnError{Method: "GET", Sent: true, Err: errors.New("reset")}
	never := &erp.ConnError{Method: "GET", Err: errors.New("refused")}
	for _, c := range []struct {
		name                 string
		first                error
		read, change         []backend.Name
		readFails, changeErr bool
	}{
		{"works", nil, []backend.Name{"rest"}, []backend.Name{"rest"}, false, false},
		{"unreachable", away, []backend.Name{"rest", "cli"}, []backend.Name{"rest"}, false, true},
		{"never reached", never, []backend.Name{"rest", "cli"}, []backend.Name{"rest", "cli"}, false, false},
		{"unreachable, by code", &mcp.Error{Code: mcp.CodeUnreachable}, []backend.Name{"rest", "cli"}, []backend.Name{"rest"}, false, true},
		{"unsupported", errors.ErrUnsupported, []backend.Name{"rest", "cli"}, []backend.Name{"rest", "cli"}, false, false},
		{"not allowed", erp.ErrForbidden, []backend.Name{"rest"}, []backend.Name{"rest"}, true, true},
		{"not logged in", erp.ErrUnauthorized, []backend.Name{"rest"}, []backend.Name{"rest"}, true, true},
		{"not there", erp.ErrNotFound, []backend.Name{"rest"}, []backend.Name{"rest"}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []backend.Name
			p, err := backend.NewPool("", named(backend.AI), searching{"rest", c.first, &asked}, searching{"cli", nil, &asked})
			require.NoError(t, err)
			work := func(ctx context.Context, s interface {
				Search(context.Context, mcp.Caller, backend.Search) (*backend.Page, error)
			}) (*backend.Page, error) {
				return s.Search(ctx, mcp.Caller{}, backend.Search{})
			}
			_, by, err := backend.Read(t.Context(), p, "search", work)
			assert.Equal(t, c.read, asked)
			assert.Equal(t, c.readFails, err != nil)
			if err == nil {
				assert.Equal(t, c.read[len(c.read)-1], by)
			}
			asked = nil
			_, _, err = backend.Change(t.Context(), p, "search", work)
			assert.Equal(t, c.change, asked)
			assert.Equal(t, c.changeErr, err != nil)
		})
	}
}

func TestNobodyCan(t *testing.T) {
	p, err := backend.NewPool("", named(backend.AI), named(backend.DB))
	require.NoError(t, err)
	_, _, err = backend.Read(t.Context(), p, "list jobs", func(context.Context, backend.Jobber) ([]backend.Job, error) { return nil, nil })
	var e *mcp.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, mcp.CodeUnsupported, e.Code)
	assert.Equal(t, "no backend in use can list jobs; in use: ai, db", e.Message)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, ok := backend.Find[backend.Jobber](p)
	assert.False(t, ok)
	assert.Empty(t, backend.Abilities(named(backend.AI)))
}
