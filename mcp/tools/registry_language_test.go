package tools_test

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// The dictionary is searched in the language of the caller's login: the ERP sends
// its translations.
func TestSearchRegistryInTheCallersLanguage(t *testing.T) {
	t.Parallel()
	k := start(t)
	require.NoError(t, k.srv.Write(t.Context(), func(tx *sql.Tx) error {
		for _, statement := range []string{
			`UPDATE AD_Language SET IsSystemLanguage = 'Y', IsLoginLocale = 'Y', IsActive = 'Y' WHERE AD_Language = 'de_DE'`,
			`INSERT INTO AD_Table_Trl(AD_Table_Trl_UU, AD_Table_ID, AD_Language, Name, IsTranslated, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy)
				SELECT 'a0000000-0000-4000-8000-0000000000de', AD_Table_ID, 'de_DE', 'Zaubertrank', 'Y', 0, 0, 'Y', Created, 0, Updated, 0 FROM AD_Table WHERE TableName = 'M_Product'`,
		} {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	}, "AD_Language", "AD_Table_Trl"))
	caller := func(language string) mcp.Caller {
		t.Helper()
		body := `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":"11","roleId":"102","organizationId":"11","language":"` + language + `"}}`
		res, err := http.Post(k.srv.URL()+"/api/v1/auth/tokens", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		var out struct{ Token, Language string }
		require.NoError(t, json.NewDecoder(res.Body).Decode(&out))
		require.Equal(t, language, out.Language)
		return mcp.Caller{ID: "11/101", Token: tokens.NewSecret(out.Token), ClientID: 11, UserID: 101, RoleID: 102, OrgID: 11, Known: true}
	}
	type hits struct {
		Hits []struct{ Name, Label, Why string }
	}
	german := caller("de_DE")
	for query, why := range map[string]string{"Zaubertrank": "label", "product": "label"} { // its own names are found, too
		raw, err := k.invoke(t, &mcp.Call{Caller: german}, "searchRegistry", args{"query": query})
		require.NoError(t, err)
		got := decoded[hits](t, raw).Hits
		require.NotEmpty(t, got)
		assert.Equal(t, "M_Product", got[0].Name, query)
		assert.Equal(t, why, got[0].Why, query)
	}
}
