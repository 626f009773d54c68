package tokens_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// chooser picks by name, and writes down what it was asked.
type chooser struct {
	pick  map[tokens.Part]string // "" leaves it to the ERP
	asked []string
}

func (c *chooser) choose(_ context.Context, part tokens.Part, from []tokens.Choice) (int, error) {
	c.asked = append(c.asked, fmt.Sprintf("%s of %d", part, len(from)))
	name, ok := c.pick[part]
	if !ok {
		return 0, errors.New("nobody knows the " + string(part))
	}
	return slices.IndexFunc(from, func(o tokens.Choice) bool { return o.Name == name }), nil
}

func TestLoginChoosing(t *testing.T) {
	t.Parallel()
	as := func(name, password string) tokens.Login {
		return tokens.Login{Username: name, Password: tokens.NewSecret(password)}
	}
	admin, super, one := as("GardenAdmin", "GardenAdmin"), as("SuperUser", "System"), as("GardenUser", "GardenUser")
	with := func(l tokens.Login, client, role, org, warehouse string) tokens.Login {
		l.Client, l.Role, l.Organization, l.Warehouse = client, role, org, warehouse
		return l
	}
	inStore := tokens.Names{Client: "GardenWorld", Role: "GardenWorld Admin", Organization: "HQ", Warehouse: "HQ Warehouse"}
	pick := func(parts ...string) map[tokens.Part]string {
		m := map[tokens.Part]string{}
		for i := 0; i < len(parts); i += 2 {
			m[tokens.Part(parts[i])] = parts[i+1]
		}
		return m
	}
	tests := []struct {
		name  string
		login tokens.Login
		pick  map[tokens.Part]string
		asked string // parts that were asked for
		ids   [4]int // client, role, organization, warehouse
		names tokens.Names
		err   string
	}{
		{"by name, one by one", admin, pick("role", "GardenWorld Admin", "organization", "HQ"), "role organization", [4]int{11, 102, 11, 103}, inStore, ""},
		{"tenants, too", super, pick("client", "System"), "client", [4]int{0, 0, 0, 0}, tokens.Names{Client: "System", Role: "System Administrator", Organization: "*"}, ""},
		{"one of each is no question", one, nil, "", [4]int{11, 103, 11, 103}, tokens.Names{Client: "GardenWorld", Role: "GardenWorld User", Organization: "HQ", Warehouse: "HQ Warehouse"}, ""},
		{"what is given is not asked for", with(admin, "11", "GardenWorld Admin", "", "HQ warehouse"), pick("organization", "HQ"), "organization", [4]int{11, 102, 11, 103}, inStore, ""},
		{"another language than at the first step", func() tokens.Login { l := one; l.Language = "es_CO"; return l }(), nil, "", [4]int{11, 103, 11, 103}, tokens.Names{}, ""},
		{"everything is given", with(admin, "11", "102", "11", ""), nil, "", [4]int{11, 102, 11, 103}, inStore, ""},
		{"everything is given by name", with(admin, "GardenWorld", "gardenworld admin", "HQ", "HQ Warehouse"), nil, "", [4]int{11, 102, 11, 103}, inStore, ""},
		{"a role of somebody else", with(one, "11", "102", "11", ""), nil, "", [4]int{}, tokens.Names{}, "; check user name"},
		{"a role there is not", with(admin, "", "CFO", "", ""), nil, "", [4]int{}, tokens.Names{}, "Role name not found; check user name"},
		{"a tenant there is not", with(admin, "4711", "", "", ""), nil, "", [4]int{}, tokens.Names{}, "Client value not found; check user name"},
		{"a wrong password", as("GardenAdmin", "CANARY"), nil, "", [4]int{}, tokens.Names{}, "; check user name and password"},
		{"nobody chooses", admin, nil, "role", [4]int{}, tokens.Names{}, "nobody knows the role"},
		{"a choice there is not", admin, pick("role", "CFO"), "role", [4]int{}, tokens.Names{}, "choosing the role: there is no choice -1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFront(t, nil)
			old := tokens.Stored{Access: tokens.NewSecret("old")}
			store := tokens.NewMemoryStore(old)
			m := f.manager(t, tokens.WithStore(store))
			c := &chooser{pick: tt.pick}
			err := m.LoginChoosing(t.Context(), tt.login, c.choose)
			var asked []string
			for _, a := range c.asked {
				part, _, _ := strings.Cut(a, " ")
				asked = append(asked, part)
			}
			assert.Equal(t, tt.asked, strings.Join(asked, " "))
			st, lerr := store.Load(t.Context())
			require.NoError(t, lerr)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				assert.NotContains(t, err.Error(), "CANARY")
				assert.Equal(t, tt.name == "a wrong password", errors.Is(err, tokens.ErrCredentials))
				assert.Equal(t, old, st, "what was there stays")
				return
			}
			require.NoError(t, err)
			got, err := tokens.UnverifiedClaims(token(t, m))
			require.NoError(t, err)
			assert.Equal(t, tt.ids, [4]int{got.ClientID, got.RoleID, got.OrgID, got.WarehouseID})
			if tt.names != (tokens.Names{}) {
				assert.Equal(t, tt.names, st.Names)
			}
			if tt.login.Language != "" {
				assert.Equal(t, tt.login.Language, got.Language)
			}
			// Names outlive a refresh.
			require.NoError(t, m.Refresh(t.Context()))
			status, err := m.Status(t.Context())
			require.NoError(t, err)
			assert.Equal(t, st.Names, status.Names)
			if got.ClientID == 11 {
				assert.Equal(t, 200, f.works(t, token(t, m)))
			}
		})
	}
}

// A warehouse can be chosen, or left to the ERP.
func TestLoginChoosingWarehouse(t *testing.T) {
	t.Parallel()
	for pick, want := range map[string]string{
		"B": `{"clientId":11,"organizationId":11,"roleId":102,"warehouseId":8}`,
		"":  `{"clientId":11,"organizationId":11,"roleId":102}`,
	} {
		t.Run("pick "+pick, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost:
					say(200, `{"clients":[{"id":11,"name":"G"}],"token":"`+valid+`"}`)(w, r)
				case r.Method == http.MethodPut:
					say(200, `{"userId":101,"token":"`+valid+`","refresh_token":"r"}`)(w, r)
				default:
					say(200, `{"roles":[{"id":102,"name":"R"}],"organizations":[{"id":11,"name":"O"}],"warehouses":[{"id":7,"name":"A"},{"id":8,"name":"B"}]}`)(w, r)
				}
			})
			m, err := tokens.NewManager(srv.URL)
			require.NoError(t, err)
			c := &chooser{pick: map[tokens.Part]string{tokens.PartWarehouse: pick}}
			require.NoError(t, m.LoginChoosing(t.Context(), tokens.Login{Username: "a", Password: tokens.NewSecret("p")}, c.choose))
			assert.Equal(t, []string{"warehouse of 2"}, c.asked)
			got := srv.requests()
			assert.JSONEq(t, want, strings.TrimPrefix(got[len(got)-1], "PUT /api/v1/auth/tokens "))
			status, err := m.Status(t.Context())
			require.NoError(t, err)
			assert.Equal(t, pick, status.Names.Warehouse)
		})
	}
}

// While somebody thinks, others use the store.
func TestLoginChoosingLocksNothing(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	store := &tokens.MemoryStore{}
	m := f.manager(t, tokens.WithStore(store))
	err := m.LoginChoosing(t.Context(), tokens.Login{Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin")},
		func(ctx context.Context, part tokens.Part, from []tokens.Choice) (int, error) {
			release, err := store.Lock(ctx)
			if err == nil {
				release()
			}
			return len(from) - 1, err
		})
	require.NoError(t, err)
}

// Names and lists are the ERP's words: nothing in them reaches a terminal or
// breaks the program.
func TestLoginChoosingHostile(t *testing.T) {
	t.Parallel()
	first := func(clients string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				say(200, `{"clients":`+clients+`,"token":"`+valid+`"}`)(w, r)
			case r.Method == http.MethodPut:
				say(200, `{"userId":101,"token":"`+valid+`","refresh_token":"r"}`)(w, r)
			default:
				say(200, `{"roles":[{"id":1,"name":"a\u001b[2Jb"}],"organizations":[{"id":0,"name":"*"}]}`)(w, r)
			}
		}
	}
	tests := []struct {
		name     string
		response http.HandlerFunc
		want     string
	}{
		{"escapes in a name", first(`[{"id":11,"name":"` + valid + `"}]`), ""},
		{"nobody to ask", first(`[{"id":11,"name":"a"},{"id":12,"name":"b"}]`), "more than one client"},
		{"no list", first(`null`), "no client to log in to"},
		{"another kind of list", first(`{"id":11}`), "not what the ERP's REST API sends"},
		{"an id as text", first(`[{"id":"x","name":"y"}]`), "not what the ERP's REST API sends"},
		{"nothing", say(200, `{}`), "not what the ERP's REST API sends"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, tt.response)
			store := &tokens.MemoryStore{}
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(store))
			require.NoError(t, err)
			err = m.LoginChoosing(t.Context(), tokens.Login{Username: "a", Password: tokens.NewSecret("CANARYpassword")}, nil)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			st, err := store.Load(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tokens.Names{Client: "[redacted]", Role: "a [2Jb", Organization: "*"}, st.Names)
			for _, h := range srv.header[1:] {
				assert.Equal(t, "Bearer "+valid, h.Get("Authorization"))
			}
		})
	}
}
