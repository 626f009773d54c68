package mask

import (
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/displaytype"
)

// classify is the class of a column, as the dictionary and its name have it.
func classify(t *Table, c *Column) Class {
	name := strings.ToLower(c.Name)
	switch {
	case isSecret(c, name):
		return Secret
	case c.Key || name == strings.ToLower(t.Name)+"_uu":
		return Keep
	case c.DisplayType == displaytype.Binary:
		if t.kept() {
			return Keep
		}
		return Binary
	}
	if c.textual() {
		return classifyText(t, c, name)
	}
	switch {
	case t.kept():
		return Keep
	case c.dated() && containsAny(name, "birth", "dateofdeath"):
		return Birthday
	case c.numeric() && (containsAny(name, "latitude", "longitude") || slices.Contains([]string{"lat", "lon", "lng"}, name)):
		return Geo
	case c.numeric() && c.DisplayType != displaytype.Integer:
		return Amount
	}
	return Keep
}

// classifyText is the class of a column with text.
func classifyText(t *Table, c *Column, name string) Class {
	class, known := byName[name]
	switch {
	case t.kept() && known && touching[class]:
		return class
	case t.kept(), class == Keep && known:
		return Keep
	case c.DisplayType == displaytype.JSON:
		return JSON
	case (t.Name == "AD_SysConfig" || t.Name == "AD_Preference") && name == "value":
		return Setting
	case t.Name == "AD_SysConfig" && name == "name":
		return Keep // names of settings
	case name == "name":
		if p, ok := parties[strings.TrimSuffix(t.Name, "_Trl")]; ok {
			return p
		}
		return Label
	case known:
		return class
	}
	return guess(c, name)
}

// isSecret reports whether a column holds a secret: the dictionary says so, or
// its name.
func isSecret(c *Column, name string) bool {
	if !c.textual() && c.DisplayType != displaytype.Binary {
		return (c.Secure || c.Encrypted) && (c.numeric() || c.dated())
	}
	return c.Secure || c.Encrypted || secretNames[name] || strings.HasSuffix(name, "token") || strings.HasSuffix(name, "userpw") ||
		strings.HasSuffix(name, "_pwd") || containsAny(name, "passwor", "passwd", "passphrase", "secret", "apikey", "api_key", "privatekey")
}

var secretNames = lower(`Password Salt SaltAlgorithm UserPIN PIN EMailUserPW RequestUserPW WStoreUserPW ProxyPassword ConnectionPassword EMail_From_Pwd
PasswordInfo EncryptionKey ConnectionKey AccessToken RefreshToken AuthorizationClientSecret AuthorizationClientId SSO_ApplicationSecretKey
SSO_ApplicationClientID SSO_AuthorizationTenantID MFASecret MFALastSecret MFADeviceIdentifier OneTimeCode VerifiedTokenHash EMailVerify CreditCardVV Swipe Answer SecurityQuestion
License VoiceAuthCode R_AuthCode R_AuthCode_DC WebSession Session_ID`)

// touching are the classes of names that are masked in the tables that are kept,
// too: wherever a column is called so, people and firms are in it.
var touching = map[Class]bool{Mail: true, Phone: true, IBAN: true, Card: true, BIC: true, TaxID: true, Account: true, Secret: true}

// byName has the columns that the ERP's own tables have, by their names in
// small letters.
var byName = func() map[string]Class {
	m := map[string]Class{}
	for class, names := range map[Class]string{
		Keep: `AD_Language EntityType ISO_Code ISO_Code_To CountryCode UOMSymbol X12DE355 Version VersionNo VersionNumber ReleaseNo DateFormat
			DateColumn DecimalPoint TimePattern DatePattern DisplayLogic ReadOnlyLogic MandatoryLogic WhereClause OrderByClause FromClause
			SelectClause OtherClause Classname JavaClass PaymentExportClass StmtLoaderClass AddressValidationClass PayProcessorClass
			TaxProviderClass ShippingProcessorClass ReplenishmentClass ModelValidationClasses TableName ColumnName AttributeName KeyColumn OrgColumn VFormat
			FormatPattern DecimalPattern Callout NAICS CustomsTariffNumber HarmonizedCode DocumentNo BatchDocumentNo JournalDocumentNo
			InvoiceDocumentNo RequestDocumentNo PaymentDocumentNo DocTypeName DocBaseType AcctSchemaName CategoryName ConversionTypeValue
			PaymentTermValue AccountValue ChargeName TaxIndicator I_IsImported MIMEType TransitionCode ParameterName CharacterSet SeparatorChar QuoteChar
			Separator EftCurrency Meta_Language FiscalYear TrxName`,
		Text: `OldValue NewValue DefaultValue AttributeValue ParameterValue ColValue ConstantValue U_Value`,
		Person: `ContactName A_Name EftPayee Author Creator DeveloperName Meta_Author UserName Planner SalesRepName Preferred_UserName
			EMailUser LDAPUser RequestUser WStoreUser UserID ProxyLogon EMail_From_Uid`,
		Firm:    `Name2 BPName BPartner CompanyName Manufacturer Meta_Publisher A_Insurance_Co A_Issuing_Agency A_Tax_Entity OldName LDAPDomain`,
		Label:   `PrintName ProductName ProjectName ShipperName WarehouseName PluginName`,
		Street:  `Address1 Address2 Address3 Address4 Address5 A_Street Address`,
		City:    `City A_City RegionName A_State Region`,
		Postal:  `Postal Postal_Add Postal_To A_Zip ZIP`,
		Phone:   `Phone Phone2 Fax Mobile ISDN HomeDeliveryPremiumPhone AreaCode`,
		Mail:    `EMail A_EMail RequestEMail SupportEMail EMail_From EMail_To EMail_Error_To EMail_Info_To EMailFrom RecipientTo RecipientCc RecipientBcc WebOrderEMail WStoreEMail CreatorContact`,
		URL:     `URL DescriptionURL ImageURL TargetURL PageURL Referrer LinkURL Link TrackingURL DownloadURL WebContext RelativeURL ContainerLinkURL ImageLink`,
		Host:    `Remote_Addr Remote_Host Local_Host IP_Address HostAddress ProxyAddress SMTPHost Host ServerName DBAddress LDAPHost FQDN MFATimeServer`,
		Account: `AccountNo BankAccountNo BBAN EftPayeeAccount ShipperAccount DutiesShipperAccount ShipperMeter CheckNo EftCheckNo ChequeNo`,
		Routing: `RoutingNo Micr FinancialInstitutionID BranchID`,
		IBAN:    `IBAN`,
		BIC:     `SwiftCode BIC`,
		Card:    `CreditCardNumber`,
		TaxID:   `TaxID DUNS A_Ident_DL A_Ident_SSN SSCode NationalCode VATID`,
		Geo:     `Coordinates Latitude Longitude`,
		Code: `Value ReferenceNo POReference PONum CustomerNo CustomerProfileID CustomerPaymentProfileID CustomerAddressID BPartnerValue
			BPartner_Value ProductValue SKU UPC SerNo Lot InventoryNo TrackingNo MasterTrackingNo VendorProductNo ConfirmationNo MatchCode OrgValue ClientValue
			OrgTrxValue ProjectValue ActivityValue CampaignValue WarehouseValue LocatorValue LocatorToValue ResourceValue PlannerValue GroupValue ParentValue
			Product_BOM_Value C_City_Value Orig_TrxID R_PnRef R_PnRef_DC EftReference EftStatementReference EftTrxID PartnerID VendorID A_Policy_No A_License_No
			ExportLicenseNum PromotionCode MessageID LoginPrefix Alias X Y Z ExternalTraceId CompanyCode`,
	} {
		for name := range lower(names) {
			m[name] = class
		}
	}
	return m
}()

// guess is the class of a text column of a business table that the ERP's own
// tables do not have. It is free text when nothing else is known, and
// code when it tells values apart.
func guess(c *Column, name string) Class {
	words := name + " " + strings.ToLower(c.ElementName)
	switch {
	case c.Length == 1:
		return Keep // one letter is a flag
	case endsIn(c.Name, "IBAN"), strings.HasSuffix(c.Name, "Iban"), strings.HasPrefix(strings.ToLower(c.ElementName), "iban"):
		return IBAN
	case containsAny(words, "swift"), endsIn(c.Name, "BIC"):
		return BIC
	case containsAny(words, "creditcard", "credit card", "cardnumber", "card number"):
		return Card
	case containsAny(words, "taxid", "tax id", "vatid", "vat id", "vat number", "social security"), endsIn(c.Name, "SSN"):
		return TaxID
	case containsAny(words, "email", "e-mail", "mailaddress", "mail address"), strings.HasSuffix(name, "mail"):
		return Mail
	case containsAny(words, "phone", "mobile", "fax"):
		return Phone
	case containsAny(words, "street", "address line"):
		return Street
	case containsAny(words, "postal code", "postcode", "zipcode", "zip code"), strings.HasSuffix(name, "_zip"), strings.HasSuffix(name, "postal"):
		return Postal
	case endsIn(c.Name, "City"):
		return City
	case containsAny(words, "website", "homepage"), strings.HasSuffix(name, "url"), c.DisplayType == displaytype.URL, c.DisplayType == displaytype.ImageURL:
		return URL
	case containsAny(words, "accountno", "account no", "account number"):
		return Account
	case containsAny(name, "firstname", "lastname", "surname", "contactname", "personname", "employeename", "username", "maidenname", "nickname"):
		return Person
	case containsAny(name, "companyname", "firmname", "customername", "vendorname", "partnername", "bpname"):
		return Firm
	case c.Unique, c.Identifier && !endsIn(c.Name, "Name"):
		return Code
	case c.Length > 0 && c.Length <= 60 && (endsIn(c.Name, "Value") || endsIn(c.Name, "Code") || endsIn(c.Name, "No")):
		return Code
	case endsIn(c.Name, "Name"):
		return Label
	}
	return Text
}

// endsIn reports whether the last word of a name is this one: Capacity does not
// end in City.
func endsIn(name, word string) bool {
	return strings.HasSuffix(name, word) || strings.HasSuffix(strings.ToLower(name), "_"+strings.ToLower(word)) || strings.EqualFold(name, word)
}

func containsAny(s string, of ...string) bool {
	return slices.ContainsFunc(of, func(o string) bool { return strings.Contains(s, o) })
}

// lower is the set of the words in small letters.
func lower(words string) map[string]bool { return set(strings.ToLower(words)) }
