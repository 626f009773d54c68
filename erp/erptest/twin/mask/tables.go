package mask

import "strings"

// kept reports whether a table is part of the dictionary, of what configures
// the ERP, or of the reference data that are the same for everybody: its names
// and texts stay. Every other table is a business table.
func (t *Table) kept() bool {
	name := strings.TrimSuffix(t.Name, "_Trl")
	for _, p := range keptPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return keptTables[name] || strings.HasPrefix(name, "AD_") && strings.HasSuffix(name, "_Access") && name != "AD_LdapAccess"
}

var keptPrefixes = []string{"ASP_", "AD_UserDef_", "AD_Print", "AD_Style", "AD_TreeNode", "AD_Package_Exp_Common", "AD_LabelPrinter",
	"PA_DocumentStatus", "PA_Report", "PA_Measure", "PA_Ratio", "PA_DashboardContent", "PA_ColorSchema", "WS_WebService", "C_AcctSchema",
	"EXP_Format", "C_CountryGroup", "REST_View", "REST_Resource"}

// keptTables are named one by one: what a table of a plugin holds is not known here, so it is a
// business table until a rule says otherwise.
var keptTables = set(`
AD_Chart AD_ChartDatasource AD_Color AD_Column AD_CtxHelp AD_CtxHelpMsg AD_CtxHelpSuggestion AD_Desktop AD_DesktopWorkbench AD_Element
AD_EntityType AD_Extension AD_ExtensionEntity AD_Field AD_FieldGroup AD_FieldSuggestion AD_Form AD_HouseKeeping AD_ImpFormat
AD_ImpFormat_Row AD_IndexColumn AD_InfoColumn AD_InfoProcess AD_InfoRelated AD_InfoWindow AD_Language AD_Menu AD_Message
AD_MigrationScript AD_ModelGeneratorTemplate AD_ModelValidator AD_Modification AD_PasswordRule AD_Process AD_Process_DrillRule
AD_Process_DrillRule_Para AD_Process_Para AD_Ref_List AD_Ref_Table AD_Reference AD_RelationType AD_ReplicationStrategy AD_ReportView
AD_ReportView_Col AD_ReportView_Column AD_RequiredPlugin AD_Role AD_Role_Included AD_Role_OrgAccess AD_Rule AD_Schedule AD_SearchDefinition AD_Sequence
AD_StatusLine AD_StatusLineUsedIn AD_Tab AD_Table AD_Table_ScriptValidator AD_TableAttribute AD_TableAttributeSet AD_TableIndex
AD_TablePartition AD_TableValRule AD_Task AD_ToolBarButton AD_ToolBarButtonRestrict AD_Tree AD_TreeBar AD_Val_Rule
AD_VerifyMigration AD_ViewColumn AD_ViewComponent AD_WF_Block AD_WF_NextCondition AD_WF_Node AD_WF_Node_Para AD_WF_NodeNext
AD_Window AD_Workbench AD_WorkbenchWindow AD_Workflow AD_ZoomCondition MFA_Method

C_1099Box C_BP_Group C_Calendar C_Charge C_ChargeType C_ChargeType_DocType C_Conversion_Rate C_ConversionType C_Country C_Currency C_Cycle C_CyclePhase
C_CycleStep C_DocBaseGroup C_DocBaseGroupLine C_DocType C_DocTypeCounter C_Dunning C_DunningLevel C_Element C_ElementValue
C_Greeting C_InvoiceSchedule C_NonBusinessDay C_OrderSource C_PaymentTerm C_PaySchedule C_Period C_PeriodControl C_POSTenderType
C_ProjectType C_Region C_SalesPipeline C_SalesPipelineStage C_SalesStage C_Tax C_TaxBase C_TaxCategory C_TaxDefinition C_TaxGroup C_TaxPostal
C_TaxType C_UOM C_UOM_Conversion C_Withholding C_Year GL_Category M_CostElement M_CostType M_DiscountSchema M_DiscountSchemaBreak
M_DiscountSchemaLine M_FreightCategory M_LocatorType M_PartType M_PriceList M_PriceList_Version M_RMAType R_Category R_Group
R_RequestType R_Resolution R_Status R_StatusCategory A_Depreciation A_Depreciation_Convention A_Depreciation_Method
A_Depreciation_Table_Detail A_Depreciation_Table_Header HR_Concept HR_Concept_Category`)

// parties are the tables whose Name names a firm or a person.
var parties = map[string]Class{
	"AD_Client": Firm, "AD_Org": Firm, "C_BPartner": Firm, "C_Bank": Firm, "C_BP_Relation": Firm, "M_Shipper": Firm, "W_Store": Firm,
	"AD_User": Person, "AD_UserMail": Person, "S_Resource": Person, "C_SalesRep": Person, "HR_Employee": Person, "B_Buyer": Firm, "B_Seller": Firm,
	"C_BPartner_Location": Street, "C_Location": Street, "C_City": City, "R_IssueUser": Person, "R_IssueSystem": Firm, "AD_System": Firm,
	"AD_Registration": Firm, "A_Asset_Info_Ins": Firm,
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
