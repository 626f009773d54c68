package twin

import (
	"path"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Part is why a table is in a twin.
type Part string

// The parts of a twin.
const (
	Dictionary Part = "dictionary" // the Application Dictionary, users' roles and their access
	Reference  Part = "reference"  // currencies, units, taxes, document types, calendars, ...
	Business   Part = "business"   // tables that were asked for
	Referenced Part = "referenced" // rows that others refer to
)

// foundation are the tables from which the form of all others is known.
var foundation = []string{"AD_Table", "AD_Column", "AD_Element", "AD_Reference", "AD_Ref_List", "AD_Ref_Table"}

// serverOwn are tables in which the embedded ERP keeps tokens and rules of its own,
// in a form of its own.
var serverOwn = names("REST_RefreshToken", "REST_AuthToken", "REST_Resource", "REST_Resource_Access")

// transient tables hold what the server logs, or keeps for a moment. A name that
// ends in * stands for all that begin so.
var transient = []string{
	"AD_Session", "AD_Session*", "AD_ChangeLog", "AD_Issue", "AD_PInstance*", "AD_Note", "AD_AccessLog", "AD_QueryLog",
	"AD_SchedulerLog", "AD_AlertProcessorLog", "AD_WorkflowProcessorLog", "AD_ReplicationLog", "AD_Replication_Run", "AD_Package_Imp*",
	"AD_Package_Exp*", "AD_Package_UUID_Map", "AD_Migration*", "AD_WF_Process", "AD_WF_ProcessData", "AD_WF_Activity*", "AD_WF_EventAudit",
	"AD_Sequence_Audit", "AD_RecentItem", "AD_BroadcastMessage", "AD_Wlistbox_Customization", "AD_UserPreference", "AD_Password_History",
	"AD_Document_Action_Log", "AD_HouseKeeping*", "AD_TableIndexLog", "AD_CtxHelpSuggestion", "AD_ClusterNode*", "AD_Test", "AD_Error",
	"AD_LdapAccess", "AD_LdapProcessorLog", "AD_Registration*", "AD_System_Log", "REST_Upload*", "REST_Webhook_Out*", "T_*", "I_*", "R_RequestProcessorLog",
	"C_AcctProcessorLog", "EXP_ProcessorLog", "IMP_ProcessorLog", "CM_WebAccessLog", "CM_ChatUpdate*", "AI_*Log", "Test*",
}

// secretTables hold nothing but what lets somebody in.
var secretTables = []string{
	"AD_AuthorizationCredential", "AD_AuthorizationAccount", "MFA_Registration", "MFA_RegisteredDevice", "AD_TokenAccess", "SSO_PrincipalConfig",
	"REST_OIDCService", "REST_AuthToken", "REST_RefreshToken",
}

// binaryTables hold files.
var binaryTables = []string{"AD_Attachment*", "AD_Archive", "AD_StorageProvider"}

// records of the dictionary that are in tables of another name or level.
var dictionaryExtra = names(
	"PA_DashboardContent", "PA_DashboardContent_Access", "PA_Measure", "PA_MeasureCalc", "PA_Goal", "PA_ColorSchema", "PA_DocumentStatus", "PA_DocumentStatusAccess",
	"C_Mode", "EXP_Format", "EXP_FormatLine", "EXP_Processor", "EXP_Processor_Type", "EXP_ProcessorParameter", "IMP_Processor", "IMP_Processor_Type", "IMP_ProcessorParameter",
)

// not of the dictionary although their names begin with AD_.
var notDictionary = names("AD_User", "AD_Image", "AD_User_BPAccess", "AD_User_Substitute", "AD_Archive", "AD_Label", "AD_LabelAssignment", "AD_LabelCategory", "AD_LabelCategoryTable")

var reference = names(
	"C_Currency", "C_Conversion_Rate", "C_ConversionType", "C_Country", "C_CountryGroup", "C_CountryGroupCountry", "C_Region", "C_UOM", "C_UOM_Conversion",
	"C_Tax", "C_TaxCategory", "C_TaxProvider", "C_TaxProviderCfg", "C_DocType", "C_DocTypeCounter", "C_Calendar", "C_Year", "C_Period", "C_PeriodControl", "C_NonBusinessDay",
	"M_PriceList", "M_PriceList_Version", "M_DiscountSchema", "M_DiscountSchemaBreak", "M_DiscountSchemaLine", "C_PaymentTerm", "C_PaySchedule", "C_Charge", "C_ChargeType",
	"C_ChargeType_DocType", "C_AcctSchema", "C_AcctSchema_Element", "C_AcctSchema_GL", "C_AcctSchema_Default", "C_Element", "C_ElementValue", "GL_Category", "GL_Budget",
	"M_Warehouse", "M_Locator", "M_LocatorType", "C_BP_Group", "M_Product_Category", "C_Dunning", "C_DunningLevel", "C_Greeting", "C_Activity", "C_Channel",
	"C_SalesRegion", "M_Shipper", "R_Status", "R_StatusCategory", "R_RequestType", "R_Category", "R_Group", "R_Resolution", "M_AttributeSet", "M_Attribute", "M_AttributeValue",
	"M_AttributeUse", "M_FreightCategory", "M_CostType", "M_CostElement", "S_ResourceType", "C_InvoiceSchedule", "C_Withholding", "C_PaymentProcessorType", "C_ProjectType",
	"C_Phase", "C_Task", "AD_Tax_Provider", "C_RevenueRecognition", "C_CashPlan", "C_Job", "C_JobCategory", "C_Remuneration", "A_Asset_Group", "C_SubAcct", "R_MailText",
	"C_Tax_Acct", "C_Charge_Acct", "C_BP_Group_Acct", "M_Product_Category_Acct", "M_Warehouse_Acct",
)

func names(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, n := range list {
		m[strings.ToUpper(n)] = true
	}
	return m
}

// matches reports whether a name is one of a list, in which * stands for any
// letters.
func matches(list []string, name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(list, func(pattern string) bool {
		ok, err := path.Match(strings.ToUpper(pattern), name)
		return err == nil && ok
	})
}

// translates is the table whose texts a table translates, "" when it translates none.
func translates(name string) string {
	if base, ok := strings.CutSuffix(strings.ToUpper(name), "_TRL"); ok {
		return base
	}
	return ""
}

// refused says why the rows of a table are not copied, "" when they may be.
func (o *Options) refused(t *store.Table) string {
	switch upper := strings.ToUpper(t.Name); {
	case serverOwn[upper]:
		return "the embedded ERP keeps its own"
	case matches(secretTables, t.Name):
		return "secrets are never copied"
	case !o.Binary && matches(binaryTables, t.Name):
		return "files are copied only when asked for"
	case !o.Logs && matches(transient, t.Name):
		return "logs and transient rows are copied only when asked for"
	}
	return ""
}

// partOf is why a table is in the twin without being asked for, "" when it is not.
func partOf(t *store.Table) Part {
	upper := strings.ToUpper(t.Name)
	if base := translates(upper); base != "" {
		upper = base
	}
	switch {
	case notDictionary[upper]:
		return ""
	case strings.HasPrefix(upper, "AD_"), strings.HasPrefix(upper, "REST_"), dictionaryExtra[upper]:
		return Dictionary
	case reference[upper]:
		return Reference
	}
	return ""
}

// wanted reports whether a table was asked for.
func (o *Options) wanted(t *store.Table) bool {
	return matches(o.Tables, t.Name) || slices.ContainsFunc(o.EntityTypes, func(e string) bool { return strings.EqualFold(e, t.EntityType) })
}
