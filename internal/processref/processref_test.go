package processref_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/processref"
	"github.com/erphub/erphub/tokens"
)

func connect(t *testing.T, opts erptest.Options) *erp.Client {
	t.Helper()
	srv := erptest.New(t, opts)
	m, err := tokens.NewManager(srv.URL(), tokens.WithCredentials(tokens.Login{
		Username: "SuperUser", Password: tokens.NewSecret("System"), Client: "0", Role: "0", Organization: "0",
	}))
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(m))
	require.NoError(t, err)
	return c
}

// On a server that knows slugs only, numbers, UUIDs and search keys lead to
// them. 181 is the synchronisation in the ERP's own dictionary.
func TestSlug(t *testing.T) {
	t.Parallel()
	c := connect(t, erptest.Options{Strict: true})
	p, err := c.Process(t.Context(), "ad_column-sync")
	require.NoError(t, err)
	tests := []struct{ name, given, want string }{
		{"slug", "ad_column-sync", "ad_column-sync"},
		{"number", "181", "ad_column-sync"},
		{"uuid", p.UUID, "ad_column-sync"},
		{"search key", "AD_Column Sync", "ad_column-sync"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			slug, err := processref.Slug(t.Context(), c, tt.given)
			require.NoError(t, err)
			assert.Equal(t, tt.want, slug)
			found, err := processref.Find(t.Context(), c, tt.given)
			require.NoError(t, err)
			assert.EqualValues(t, 181, found.ID)
		})
	}
	slug, err := processref.Slug(t.Context(), c, "AD_Role_AccessUpdate")
	require.NoError(t, err)
	assert.Equal(t, "ad_role_accessupdate", slug, "a search key of letters the slug has, too")
	for _, given := range []string{"987654", "00000000-0000-0000-0000-000000000000", "no-such-process", "..", "-5"} {
		_, err := processref.Find(t.Context(), c, given)
		require.Error(t, err, given)
	}
	_, err = processref.Find(t.Context(), c, "987654")
	require.ErrorIs(t, err, erp.ErrNotFound)
	assert.Contains(t, err.Error(), "process list")
}

// An inactive process is named as such instead of "not found".
func TestInactive(t *testing.T) {
	t.Parallel()
	c := connect(t, erptest.Options{Strict: true})
	_, err := c.Update(t.Context(), "AD_Process", erp.IntID(181), map[string]any{"IsActive": false})
	require.NoError(t, err)
	_, err = processref.Slug(t.Context(), c, "181")
	require.ErrorContains(t, err, "inactive")
}
