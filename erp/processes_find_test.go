package erp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

// system starts an embedded ERP that knows slugs only, and a client with the
// System login.
func system(t *testing.T) *erp.Client {
	t.Helper()
	srv := erptest.New(t, erptest.Options{Strict: true})
	m, err := tokens.NewManager(srv.URL(), tokens.WithCredentials(tokens.Login{
		Username: "SuperUser", Password: tokens.NewSecret("System"), Client: "0", Role: "0", Organization: "0",
	}))
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(m))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// Numbers, UUIDs and search keys lead to
// them. 181 is the synchronisation in the ERP's own dictionary.
func TestFindProcess(t *testing.T) {
	t.Parallel()
	c := system(t)
	p, err := c.Process(t.Context(), "ad_column-sync")
	require.NoError(t, err)
	tests := []struct{ name, given, want string }{
		{"slug", "ad_column-sync", "ad_column-sync"},
		{"number", "181", "ad_column-sync"},
		{"uuid", p.UUID, "ad_column-sync"},
		{"search key", "AD_Column Sync", "ad_column-sync"},
		{"search key of letters that slugs have", "AD_Role_AccessUpdate", "ad_role_accessupdate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := c.FindProcess(t.Context(), tt.given)
			require.NoError(t, err)
			assert.Equal(t, tt.want, found.Slug)
			assert.NotEmpty(t, found.Parameters)
		})
	}
	for _, given := range []string{"987654", "00000000-0000-0000-0000-000000000000", "no-such-process", "..", "-5"} {
		_, err := c.FindProcess(t.Context(), given)
		require.Error(t, err, given)
	}
	_, err = c.FindProcess(t.Context(), "987654")
	require.ErrorIs(t, err, erp.ErrNotFound)
	assert.Contains(t, err.Error(), "process list")
	_, err = c.FindProcess(t.Context(), "ad_colum-sync")
	require.ErrorIs(t, err, erp.ErrNotFound)
	assert.Contains(t, err.Error(), `did you mean "ad_column-sync"?`)
}

// An inactive process is named as such instead of "not found".
func TestFindInactiveProcess(t *testing.T) {
	t.Parallel()
	c := system(t)
	_, err := c.Update(t.Context(), "AD_Process", erp.IntID(181), map[string]any{"IsActive": false})
	require.NoError(t, err)
	_, err = c.FindProcess(t.Context(), "181")
	require.ErrorContains(t, err, "inactive")
}

func TestCheckParams(t *testing.T) {
	t.Parallel()
	p := &erp.Process{Slug: "aging", Parameters: []erp.ProcessParameter{
		{Parameter: "C_BPartner_ID", IsMandatory: true}, {Parameter: "DateFrom", IsRange: true}, {Parameter: "IsListed", IsMandatory: true, Default: "Y"},
	}}
	tests := []struct {
		name   string
		values map[string]any
		want   string // in the error, "" for none
		spelt  string // a name afterwards
	}{
		{"all there", map[string]any{"C_BPartner_ID": 118, "DateFrom_to": "2026-01-31"}, "", "DateFrom_to"},
		{"another case", map[string]any{"c_bpartner_id": 118}, "", "C_BPartner_ID"},
		{"misspelt", map[string]any{"C_BPartner_ID": 118, "DateFrm": 1}, `no parameter "DateFrm"; did you mean "DateFrom"?`, "DateFrm"},
		{"unlike any", map[string]any{"Quantity": 1}, "it has C_BPartner_ID, DateFrom, DateFrom_to, IsListed", "Quantity"},
		{"end of what is no range", map[string]any{"C_BPartner_ID_to": 1}, `no parameter "C_BPartner_ID_to"`, "C_BPartner_ID_to"},
		{"twice", map[string]any{"c_bpartner_id": 1, "C_BPartner_ID": 2}, "C_BPartner_ID is given twice", "C_BPartner_ID"},
		{"missing", map[string]any{"DateFrom": 1}, "cannot do without C_BPartner_ID", "DateFrom"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := p.CheckParams(tt.values)
			assert.Contains(t, tt.values, tt.spelt)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			var bad *erp.ProcessParamsError
			require.ErrorAs(t, err, &bad)
			require.ErrorIs(t, err, erp.ErrInvalid)
			assert.Contains(t, err.Error(), tt.want)
		})
	}
	err := (&erp.Process{Slug: "bare"}).CheckParams(map[string]any{"A": 1})
	assert.ErrorContains(t, err, "it has none")
}
