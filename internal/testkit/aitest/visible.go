package aitest

import (
	"slices"
	"strings"
)

// facts is what the rules below need to know of a table.
type facts struct {
	name    string
	columns []string // physical
	level   string
}

func (f facts) has(column string) bool {
	return slices.ContainsFunc(f.columns, func(c string) bool { return strings.EqualFold(c, column) })
}

// DroppedTables are excluded for Reader by rule, besides those of access level 4 and
// those without both columns.
func DroppedTables() []string { return []string{"C_Payment"} }

// DroppedColumns are excluded for Reader, as table and column.
func DroppedColumns() [][2]string {
	return [][2]string{{"C_BPartner", "TaxID"}, {"C_Order", "POReference"}, {"M_Product", "UPC"}}
}

// MaskedColumns are shown to Reader as *** (texts) or NULL, in every table that has
// them.
func MaskedColumns() []string {
	return []string{
		"Password", "CreditCardVV", "EMailUserPW", "RequestUserPW", "UserPIN", "Salt", "Answer", "SecurityQuestion", "EncryptionKey",
		"PasswordInfo", "WStoreUserPW", "AuthorizationClientId", "SSO_ApplicationSecretKey",
		"DUNS", // marked secure by the fixture
	}
}

// dropped reports whether Reader has the table at all.
func (f facts) dropped() bool {
	return f.level == "4" || !f.has("AD_Client_ID") || !f.has("AD_Org_ID") || slices.Contains(DroppedTables(), f.name)
}

// visible is the condition for the rows Reader may see, over the bare table.
func (f facts) visible() string {
	if f.dropped() {
		return "1=0"
	}
	and := []string{"AD_Client_ID IN (0, 11)", "AD_Org_ID IN (0, 11, 12, 50000, 50002, 50004)"}
	unless := func(column, id string) {
		if f.has(column) {
			and = append(and, "("+column+" IS NULL OR "+column+" <> "+id+")")
		}
	}
	unless("C_BPartner_ID", "117")
	unless("AD_User_ID", "105")
	unless("SalesRep_ID", "105")
	switch f.name {
	case "C_BPartner":
		and = append(and, "C_BPartner_ID NOT IN (120, 121)")
	case "M_Product", "M_Product_Trl":
		and = append(and, "M_Product_ID NOT IN (123, 124)")
	case "C_Invoice":
		and = append(and, "DocStatus <> 'DR'")
	case "C_Project":
		and = append(and, "(SalesRep_ID = 2000100 OR SalesRep_ID IS NULL)")
	}
	return strings.Join(and, " AND ")
}
