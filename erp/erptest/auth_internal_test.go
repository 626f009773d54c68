package erptest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// inside is a server whose database a test may change behind its back.
type inside struct {
	t   *testing.T
	srv *Server
	now time.Time
}

func openInside(t *testing.T) *inside {
	t.Helper()
	in := &inside{t: t, now: time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)}
	srv, err := Open(t.Context(), Options{Clock: func() time.Time { return in.now }})
	require.NoError(t, err)
	in.srv = srv
	t.Cleanup(func() { assert.NoError(t, srv.Close()) })
	return in
}

// sql changes the database and has the server notice, as a save would.
func (in *inside) sql(query string, args ...any) {
	in.t.Helper()
	require.NoError(in.t, in.srv.erp.DB.Update(in.t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(in.t.Context(), query, args...)
		tx.DictionaryChanged()
		return err
	}))
}

func (in *inside) call(method, path, token, body string) (int, string) {
	in.t.Helper()
	r, err := http.NewRequestWithContext(in.t.Context(), method, "/api/v1"+path, strings.NewReader(body))
	require.NoError(in.t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := newMemoryWriter()
	in.srv.ServeHTTP(w, r)
	return w.status, w.body.String()
}

func (in *inside) login(user string, parameters string) (token, refresh string) {
	in.t.Helper()
	status, body := in.call("POST", "/auth/tokens", "", `{"userName":"`+user+`","password":"`+user+`","parameters":`+parameters+`}`)
	require.Equal(in.t, http.StatusOK, status, body)
	var response struct {
		Token   string `json:"token"`
		Refresh string `json:"refresh_token"`
	}
	require.NoError(in.t, json.Unmarshal([]byte(body), &response))
	return response.Token, response.Refresh
}

const gardenAdmin = `{"clientId":11,"roleId":102,"organizationId":11}`

func TestInactiveClaims(t *testing.T) {
	t.Parallel()
	for title, change := range map[string]string{
		"Client is inactive":    `UPDATE AD_Client SET IsActive='N' WHERE AD_Client_ID=11`,
		"User is inactive":      `UPDATE AD_User SET IsActive='N' WHERE AD_User_ID=101`,
		"Role is inactive":      `UPDATE AD_Role SET IsActive='N' WHERE AD_Role_ID=102`,
		"Invalid session claim": `UPDATE AD_Session SET IsActive='N'`,
		"Invalid user claim":    `DELETE FROM AD_User WHERE AD_User_ID=101`,
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			in := openInside(t)
			token, _ := in.login("GardenAdmin", gardenAdmin)
			in.sql(change)
			status, body := in.call("GET", "/models/C_BPartner", token, "")
			assert.Equal(t, http.StatusUnauthorized, status)
			assert.Equal(t, `{"title":"`+title+`","status":401}`, body)
		})
	}
}

func TestPasswordChangeRevokes(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	token, refresh := in.login("GardenAdmin", gardenAdmin)
	in.sql(`UPDATE AD_User SET Password='another', Salt=NULL WHERE AD_User_ID=101`)
	status, body := in.call("GET", "/models/C_BPartner", token, "")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Equal(t, `{"title":"Token is revoked","status":401}`, body)
	_, body = in.call("POST", "/auth/refresh", "", `{"refresh_token":"`+refresh+`","clientId":11,"userId":101}`)
	assert.Contains(t, body, `"detail":"Invalid refresh token"`)
	states, err := in.srv.RefreshTokens(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"P"}, states[0].Revoked)
}

func TestRoleTypesThatMayLogIn(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	in.sql(`UPDATE AD_Role SET RoleType='WS' WHERE AD_Role_ID=102`)
	in.login("GardenAdmin", gardenAdmin)
	for _, other := range []string{"ZK", "SW", "MO"} {
		in.sql(`UPDATE AD_Role SET RoleType=? WHERE AD_Role_ID=102`, other)
		_, body := in.call("POST", "/auth/tokens", "", `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":`+gardenAdmin+`}`)
		assert.Contains(t, body, `"detail":"Invalid roleId"`, other)
	}
}

// Two tenants may have a user of the same name; the password tells them apart
// and the second step, which knows only the name, must not mix them up.
func TestSameNameInTwoTenants(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	in.sql(`UPDATE AD_User SET Name='GardenAdmin', LDAPUser=NULL WHERE AD_User_ID=1000000`) // FernAdmin's password stays
	status, body := in.call("POST", "/auth/tokens", "", `{"userName":"GardenAdmin","password":"GardenAdmin"}`)
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `"clients":[{"id":11,"name":"GardenWorld"}]`)
	_, body = in.call("POST", "/auth/tokens", "", `{"userName":"GardenAdmin","password":"FernAdmin"}`)
	assert.Contains(t, body, `"clients":[{"id":1000000,`)
	_, body = in.call("POST", "/auth/tokens", "", `{"userName":"GardenAdmin","password":"FernAdmin","parameters":`+gardenAdmin+`}`)
	assert.Contains(t, body, `"detail":"Invalid clientId"`)

	// Both have a role in the same tenant now: the second step is closed there.
	in.sql(`INSERT INTO AD_User_Roles(AD_Client_ID, AD_Org_ID, AD_User_ID, AD_Role_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy)
		VALUES(11,0,1000000,103,'Y','2026-01-01 00:00:00',0,'2026-01-01 00:00:00',0)`)
	_, body = in.call("POST", "/auth/tokens", "", `{"userName":"GardenAdmin","password":"GardenAdmin"}`)
	assert.Contains(t, body, `"clients":[]`)
	in.login("GardenAdmin", gardenAdmin)
}

// insertAccess writes rows of access tables with their standard columns.
func (in *inside) insertAccess(table, columns, values string) {
	in.t.Helper()
	in.sql(`INSERT INTO ` + table + `(AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy, ` + columns + `)
		VALUES(11,0,'Y','2026-01-01 00:00:00',0,'2026-01-01 00:00:00',0,` + values + `)`)
}

func (in *inside) role(roleID, userID int64) *engine.Role {
	in.t.Helper()
	var r *engine.Role
	require.NoError(in.t, in.srv.erp.DB.View(in.t.Context(), func(tx *store.Tx) (err error) {
		r, err = engine.LoadRole(in.t.Context(), tx, roleID, userID, in.now)
		return err
	}))
	return r
}

func TestIncludedRoles(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	before := in.role(103, 102)
	require.NotContains(t, before.Orgs, int64(50000))
	in.insertAccess("AD_Role", "AD_Role_ID, Name, IsManual, IsMasterRole, UserLevel, IsAccessAllOrgs", "2000000,'Master','Y','Y','S  ','Y'")
	in.insertAccess("AD_Role_Included", "AD_Role_ID, Included_Role_ID, SeqNo", "103,2000000,10")
	in.insertAccess("AD_Role_Included", "AD_Role_ID, Included_Role_ID, SeqNo", "2000000,103,10") // a circle
	in.sql(`INSERT INTO AD_Role_OrgAccess(AD_Client_ID, AD_Org_ID, AD_Role_ID, IsActive, IsReadOnly, Created, CreatedBy, Updated, UpdatedBy)
		VALUES(11,50000,2000000,'Y','Y','2026-01-01 00:00:00',0,'2026-01-01 00:00:00',0)`)
	in.insertAccess("AD_Process_Access", "AD_Role_ID, AD_Process_ID, IsReadWrite", "2000000,181,'Y'")
	in.insertAccess("AD_Process_Access", "AD_Role_ID, AD_Process_ID, IsReadWrite", "2000000,182,'Y'")
	in.sql(`INSERT INTO AD_Process_Access(AD_Client_ID, AD_Org_ID, AD_Role_ID, AD_Process_ID, IsActive, IsReadWrite, Created, CreatedBy, Updated, UpdatedBy)
		VALUES(11,0,103,182,'N','Y','2026-01-01 00:00:00',0,'2026-01-01 00:00:00',0)`)
	r := in.role(103, 102)
	assert.Equal(t, engine.OrgAccess{ClientID: 11, ReadOnly: true}, r.Orgs[50000])
	assert.Equal(t, "O", r.UserLevel, "the login role's own level counts")
	assert.False(t, r.AllOrgs)
	assert.True(t, r.Objects[engine.KindProcess][181].Write)
	assert.False(t, r.Objects[engine.KindProcess][182].Read, "an inactive row of the own role takes access away")
}

func TestSubstitutedUsers(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	in.insertAccess("AD_User_Substitute", "AD_User_Substitute_ID, Name, AD_User_ID, Substitute_ID, ValidFrom, ValidTo",
		"1,'Holiday',101,102,'2026-03-10 00:00:00','2026-03-12 00:00:00'")
	for day, stands := range map[string]bool{"2026-03-09T23:59:59Z": false, "2026-03-10T00:00:00Z": true, "2026-03-12T00:00:00Z": true, "2026-03-12T00:00:01Z": false} {
		var err error
		in.now, err = time.Parse(time.RFC3339, day)
		require.NoError(t, err)
		_, has := in.role(103, 102).Orgs[12]
		assert.Equal(t, stands, has, day)
	}
	in.now = time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
	assert.Equal(t, time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC), in.role(103, 102).Until, "the cached role must not outlive this")
}

// The ERP does not forget the records of one table at the next that a statement refers
// to: a partner with the number of a product goes with it.
func TestDependentRecordsOfTwoTables(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	const columns = "AD_Role_ID, AD_Table_ID, Record_ID, IsExclude, IsReadOnly, IsDependentEntities"
	in.insertAccess("AD_Record_Access", columns, "103,291,118,'Y','N','Y'") // a partner
	in.insertAccess("AD_Record_Access", columns, "103,208,122,'Y','Y','Y'") // a product
	s := &engine.Session{ERP: in.srv.erp, ClientID: 11, RoleID: 103, UserID: 102, Role: in.role(103, 102)}
	filter := func(table string) (where string) {
		require.NoError(t, in.srv.erp.DB.View(t.Context(), func(tx *store.Tx) error {
			of, err := tx.Table(t.Context(), table)
			require.NoError(t, err)
			where, _, err = s.RowFilter(t.Context(), tx, of)
			return err
		}))
		return where
	}
	assert.Contains(t, filter("C_OrderLine"), `NOT "C_OrderLine"."M_Product_ID" IN (122))`)
	assert.Contains(t, filter("C_OrderLine"), `NOT "C_OrderLine"."C_BPartner_ID" IN (122,118,120))`)
	assert.Contains(t, filter("C_Order"), `NOT "C_Order"."C_BPartner_ID" IN (118,120))`, "which has no product; the demo has a rule about 120")
}

func TestOrganizationTree(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	in.sql(`UPDATE AD_Role SET AD_Tree_Org_ID=101 WHERE AD_Role_ID=103`)
	in.sql(`INSERT INTO AD_Role_OrgAccess(AD_Client_ID, AD_Org_ID, AD_Role_ID, IsActive, IsReadOnly, Created, CreatedBy, Updated, UpdatedBy)
		VALUES(11,50007,103,'Y','Y','2026-01-01 00:00:00',0,'2026-01-01 00:00:00',0)`)
	r := in.role(103, 102)
	for _, id := range []int64{12, 50002, 50004} {
		assert.True(t, r.Orgs[id].ReadOnly, "organization %d is below Stores", id)
	}
	assert.False(t, r.Orgs[11].ReadOnly)
	assert.NotContains(t, r.Orgs, int64(50000))
}

func TestTokensAreNotStored(t *testing.T) {
	t.Parallel()
	in := openInside(t)
	token, refresh := in.login("GardenAdmin", gardenAdmin)
	api, err := in.srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	require.NoError(t, in.srv.erp.DB.View(t.Context(), func(tx *store.Tx) error {
		for _, table := range []string{"REST_RefreshToken", "REST_AuthToken", "AD_Session"} {
			rows, err := tx.Query(t.Context(), `SELECT * FROM `+table)
			require.NoError(t, err)
			columns, err := rows.Columns()
			require.NoError(t, err)
			for rows.Next() {
				scan := make([]any, len(columns))
				for i := range scan {
					scan[i] = new(any)
				}
				require.NoError(t, rows.Scan(scan...))
				for i := range scan {
					text, _ := (*scan[i].(*any)).(string)
					for _, secret := range []string{token, refresh, api} {
						assert.NotContains(t, text, secret, "%s.%s", table, columns[i])
					}
				}
			}
			require.NoError(t, rows.Close())
		}
		return nil
	}))
}

func FuzzParseMembers(f *testing.F) {
	f.Add(`{"userName":"x","password":"y","parameters":{"clientId":11}}`)
	f.Add(`{"a":1} x`)
	f.Add("null")
	f.Add("{}\f")
	f.Fuzz(func(t *testing.T, body string) {
		m, err := parseMembers([]byte(body), "userName", "password", "parameters")
		if err != nil {
			return
		}
		for name := range m {
			_, _, _ = m.text(name)
			_, _, _ = m.integer(name)
		}
		if !json.Valid([]byte(body)) {
			t.Fatalf("%q was taken for JSON", body)
		}
	})
}
