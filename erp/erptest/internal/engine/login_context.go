package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// loginContext is what the ERP remembers of a log-in for the defaults of new
// records: who and where, the tenant's accounting, the records flagged as default,
// and the user's preferences. What was looked up once is kept: it lives as long as
// one record is being made.
type loginContext struct {
	s           *Session
	window      map[string]string // of the window and the record above; only @Name@ in a default has them
	values      map[string]string
	preferences map[string]string // nil before they are read
}

// value is the context variable #name or $name, "" when there is none.
func (c *loginContext) value(ctx context.Context, tx *store.Tx, name string) (string, error) {
	if v, ok := c.values[name]; ok {
		return v, nil
	}
	v, err := c.find(ctx, tx, name)
	if err != nil {
		return "", err
	}
	if c.values == nil {
		c.values = map[string]string{}
	}
	c.values[name] = v
	return v, nil
}

func (c *loginContext) find(ctx context.Context, tx *store.Tx, name string) (string, error) {
	s := c.s
	switch strings.ToUpper(name) {
	case "AD_CLIENT_ID":
		return FormatID(s.ClientID), nil
	case "AD_ORG_ID":
		return FormatID(s.OrgID), nil
	case "AD_USER_ID", "SALESREP_ID":
		return FormatID(s.UserID), nil
	case "AD_ROLE_ID":
		return FormatID(s.RoleID), nil
	case "AD_SESSION_ID":
		return formatPositive(s.SessionID), nil
	case "M_WAREHOUSE_ID":
		return formatPositive(s.WarehouseID), nil
	case "AD_LANGUAGE":
		return s.Language, nil
	case "DATE", "SYSDATE":
		return s.ERP.Now().In(s.ERP.Options.Location).Format(storedDate), nil
	case "STDPRECISION":
		return "2", nil
	case "C_ACCTSCHEMA_ID", "C_CURRENCY_ID":
		schema, err := tenantSchema(ctx, tx, s.ClientID)
		if v := formatPositive(schema.Int(name)); err != nil || v != "" {
			return v, err
		}
	case "C_COUNTRY_ID":
		id, err := s.defaultCountry(ctx, tx)
		return formatPositive(id), err
	}
	id, err := s.defaultRecord(ctx, tx, name)
	return formatPositive(id), err
}

func formatPositive(id int64) string {
	if id <= 0 {
		return ""
	}
	return FormatID(id)
}

// withoutDefaultRecord are the tables, by the beginnings of their names, whose
// record with IsDefault is not a default of a log-in.
var withoutDefaultRecord = []string{"AD_Window", "AD_PrintFormat", "AD_Workflow", "AD_StorageProvider", "M_Locator", "C_DocType"}

// defaultRecord is the id in #C_UOM_ID and its like: that of the record flagged as
// default, of those the role may read; the tenant's before the system's, the
// organization's before the tenant's.
func (s *Session) defaultRecord(ctx context.Context, tx *store.Tx, name string) (int64, error) {
	table, ok := strings.CutSuffix(name, "_ID")
	switch {
	case !ok, slices.ContainsFunc(withoutDefaultRecord, func(p string) bool { return strings.HasPrefix(table, p) && table != "C_DocTypeTarget" }):
		return 0, nil
	case table == "C_DocTypeTarget":
		table = "C_DocType"
	}
	t, err := tx.Table(ctx, table)
	if err != nil {
		return 0, nil //nolint:nilerr // no such table: no such variable
	}
	key := t.KeyColumn()
	if _, ok := t.Column("IsDefault"); !ok || key == nil || t.IsView {
		return 0, nil
	}
	where, args := "IsDefault='Y' AND IsActive='Y'", []any(nil)
	if s.Role == nil {
		where, args = where+" AND AD_Client_ID IN (0,?)", []any{s.ClientID}
	} else if access, accessArgs, err := s.RowFilter(ctx, tx, t); err != nil {
		return 0, err
	} else if access != "" {
		where, args = where+" AND ("+access+")", accessArgs
	}
	rows, err := tx.Select(ctx, t, store.Selection{
		Columns: []*store.Column{key}, Where: where, Args: args,
		OrderBy: "AD_Client_ID DESC, AD_Org_ID DESC, " + sqlquote.Name(key.Name), Limit: 1,
	})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Int(key.Name), nil
}

// tenantSchema is the tenant's first accounting schema, nil if it has none.
func tenantSchema(ctx context.Context, tx *store.Tx, client int64) (store.Row, error) {
	return FirstRow(ctx, tx, "C_AcctSchema", "C_AcctSchema_ID", "AD_Client_ID=? AND IsActive='Y'", client)
}

// unitedStates is the C_Country_ID that is the default where the tenant's language
// leads to none.
const unitedStates = 100

// defaultCountry is the country of the tenant's language.
func (s *Session) defaultCountry(ctx context.Context, tx *store.Tx) (int64, error) {
	client, err := OneRow(ctx, tx, "AD_Client", s.ClientID)
	if err != nil {
		return 0, err
	}
	language, err := FirstRow(ctx, tx, "AD_Language", "", "AD_Language=?", client.String("AD_Language"))
	if err != nil {
		return 0, err
	}
	country, err := FirstRow(ctx, tx, "C_Country", "C_Country_ID", "CountryCode=? AND CountryCode<>'' AND IsActive='Y'", language.String("CountryCode"))
	if err != nil || country == nil {
		return unitedStates, err
	}
	return country.Int("C_Country_ID"), nil
}

// preference is what the user, the organization, the tenant or the system prefers
// for a column in every window, "" for nothing.
func (c *loginContext) preference(ctx context.Context, tx *store.Tx, column string) (string, error) {
	if c.preferences == nil {
		rows, err := RowsWhere(ctx, tx, "AD_Preference", "Attribute, AD_Client_ID, AD_User_ID IS NOT NULL, AD_User_ID DESC, AD_Org_ID",
			`AD_Client_ID IN (0,?) AND AD_Org_ID IN (0,?) AND (AD_User_ID IS NULL OR AD_User_ID IN (0,?))
			AND IsActive='Y' AND PreferenceFor='W' AND AD_Window_ID IS NULL`, c.s.ClientID, c.s.OrgID, c.s.UserID)
		if err != nil {
			return "", err
		}
		c.preferences = map[string]string{}
		for _, row := range rows { // the last one of an attribute counts
			c.preferences[row.String("Attribute")] = row.String("Value")
		}
	}
	return c.preferences[column], nil
}
