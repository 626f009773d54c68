package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

type whoResponse struct {
	User, Role, Tenant, Organization, Warehouse struct {
		ID   int
		Name string
	}
	Currency, Language, Date string
	UserLevel                string
	AllOrganizations         bool
	Organizations            []string
	Notes                    []string
}

func TestWhoAmI(t *testing.T) {
	t.Parallel()
	k := shared(t)
	got := response[whoResponse](t, k, admin, "whoAmI", args{})
	assert.Equal(t, "GardenAdmin", got.User.Name)
	assert.Equal(t, 102, got.Role.ID)
	assert.Equal(t, "GardenWorld Admin", got.Role.Name)
	assert.Equal(t, "GardenWorld", got.Tenant.Name)
	assert.Equal(t, 11, got.Organization.ID)
	assert.NotEmpty(t, got.Organization.Name)
	assert.Equal(t, "USD", got.Currency)
	assert.Equal(t, "en_US", got.Language)
	assert.Equal(t, "CO", got.UserLevel)
	assert.Equal(t, time.Now().Format(time.DateOnly), got.Date)
	assert.True(t, got.AllOrganizations || len(got.Organizations) > 0)
	assert.Equal(t, []string{"the date is that of this server's clock"}, got.Notes)

	system := response[whoResponse](t, k, root, "whoAmI", args{})
	assert.Equal(t, "System", system.Tenant.Name)
	assert.Empty(t, system.Currency)

	t.Run("without a token", func(t *testing.T) {
		t.Parallel()
		_, err := k.invoke(t, &mcp.Call{}, "whoAmI", args{})
		assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	})
	t.Run("without REST", func(t *testing.T) {
		t.Parallel()
		pool, err := backend.NewPool("", presence(true))
		require.NoError(t, err)
		other := &kit{srv: k.srv, set: tools.New(tools.Options{Pool: pool}).Tools(), callers: map[string]mcp.Caller{}}
		got := response[whoResponse](t, other, admin, "whoAmI", args{})
		assert.Equal(t, 102, got.Role.ID)
		assert.Empty(t, got.Role.Name)
		assert.Contains(t, got.Notes, "names, currency and organizations are not known: no backend in use reads records")
		raw, err := other.invoke(t, &mcp.Call{}, "whoAmI", args{})
		require.NoError(t, err)
		assert.Contains(t, string(raw), "user, role, tenant and organization are not known")
	})
}

func TestExplainAccess(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type explained struct {
		Object, User string
		Roles        []struct {
			Role, Read, Write string
			Reasons           []struct{ Effect, Text, Record, Fix string }
		}
	}
	got := response[explained](t, k, admin, "explainAccess", args{"userName": "GardenUser", "window": "Table and Column"})
	assert.Equal(t, "window Table and Column", got.Object)
	require.Len(t, got.Roles, 1)
	assert.Equal(t, "no", got.Roles[0].Read)
	require.NotEmpty(t, got.Roles[0].Reasons)
	assert.Contains(t, got.Roles[0].Reasons[0].Text, "neither role GardenWorld User nor a role it includes has the window")
	assert.Contains(t, got.Roles[0].Reasons[0].Fix, "window Role, tab Window Access")

	got = response[explained](t, k, admin, "explainAccess", args{"role": "GardenWorld User", "tableName": "C_BPartner", "recordId": 118})
	assert.Equal(t, "yes", got.Roles[0].Read)

	e := refusal(t, k, admin, "explainAccess", args{"window": "Sales Order"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Message, "name a user or a role")
	e = refusal(t, k, admin, "explainAccess", args{"role": "GardenWorld User", "window": "Sales Ordr"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Message, `there is no window "Sales Ordr"`)
}
