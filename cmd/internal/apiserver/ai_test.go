package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

// The rule about who may read the audit is in force, or what is said names the command
// that puts it in force.
func TestRuleInForce(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	client := func(user, password, tenant, role string) *erp.Client {
		login := tokens.Login{Username: user, Password: tokens.NewSecret(password), Client: tenant, Role: role, Organization: "0"}
		source, err := tokens.NewManager(srv.URL(), tokens.WithCredentials(login))
		require.NoError(t, err)
		c, err := erp.New(srv.URL(), erp.WithTokenSource(source))
		require.NoError(t, err)
		return c
	}
	for name, tc := range map[string]struct {
		client *erp.Client
		want   string
		warns  bool
	}{
		"a login that may":     {client("SuperUser", "System", "0", "0"), "The ERP's caches were reset", false},
		"a login that may not": {client("GardenUser", "GardenUser", "11", "103"), "this login could not: ", true},
		"no login":             {nil, "warning: the ERP's rule about who may read AIG_QueryLog is in force once the ERP's caches are reset: run `erphub cache reset-all`", true},
	} {
		said := ruleInForce(t.Context(), tc.client)
		assert.Contains(t, said, tc.want, name)
		assert.Equal(t, tc.warns, strings.HasPrefix(said, "warning: "), name)
	}
}
