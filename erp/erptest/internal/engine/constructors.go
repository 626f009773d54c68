package engine

import (
	"context"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// constructed is what the programs of tables give a new record before anything
// else: a table, then Column=value. now is the time, today the day.
const constructed = `
A_Asset A_Asset_Status=NW
AD_Alert EnforceClientSecurity=Y EnforceRoleSecurity=Y IsValid=Y
AD_Column IsAlwaysUpdateable=N IsEncrypted=N IsIdentifier=N IsKey=N IsMandatory=N IsParent=N IsSelectionColumn=N IsTranslated=N IsUpdateable=Y Version=0
AD_Field EntityType=U IsCentrallyMaintained=Y IsDisplayed=Y IsDisplayedGrid=Y IsEncrypted=N IsFieldOnly=N IsHeading=N IsReadOnly=N IsSameLine=N
AD_Menu EntityType=U IsReadOnly=N IsSOTrx=N IsSummary=N
AD_Org IsSummary=N
AD_Process IsReport=N AccessLevel=7 EntityType=U IsBetaFunctionality=N
AD_Ref_List EntityType=U
AD_Reference EntityType=U
AD_Role IsCanExport=Y IsCanReport=Y IsManual=N IsPersonalAccess=N IsPersonalLock=N IsShowAcct=N IsAccessAllOrgs=N UserLevel=__O PreferenceType=O IsChangeLog=N OverwritePriceLimit=N IsUseUserOrgAccess=N MaxQueryRecords=0 ConfirmQueryRecords=0
AD_Scheduler KeepLogDays=7
AD_Sequence IsTableID=N StartNo=1000000 CurrentNext=1000000 CurrentNextSys=100 IncrementNo=1 IsAutoSequence=Y IsAudited=N StartNewYear=N
AD_Tab EntityType=U HasTree=N IsReadOnly=N IsSingleRow=N IsSortTab=N IsTranslationTab=N SeqNo=0 TabLevel=0 IsInsertRecord=Y IsAdvancedTab=N
AD_Table AccessLevel=4 EntityType=U IsChangeLog=N IsDeleteable=N IsHighVolume=N IsSecurityEnabled=N IsView=N ReplicationType=L
AD_TableIndex EntityType=U IsUnique=N IsCreateConstraint=N
AD_Tree IsAllNodes=Y IsDefault=N
AD_User IsFullBPAccess=Y NotificationType=X
AD_Window WindowType=M EntityType=U IsBetaFunctionality=N IsDefault=N IsSOTrx=Y
C_AllocationHdr DateTrx=now DateAcct=now DocAction=CO DocStatus=DR ApprovalAmt=0 IsApproved=N IsManual=N
C_BankAccount IsDefault=N BankAccountType=C CurrentBalance=0 CreditLimit=0
C_BankStatement StatementDate=now DocAction=CO DocStatus=DR BeginningBalance=0 StatementDifference=0 EndingBalance=0 IsApproved=N IsManual=Y
C_BP_BankAccount IsACH=N BPBankAcctUse=B
C_BP_Group IsConfidentialInfo=N IsDefault=N PriorityBase=S
C_BPartner IsCustomer=Y IsProspect=Y SendEMail=N IsOneTime=N IsVendor=N IsSummary=N IsEmployee=N IsSalesRep=N IsTaxExempt=N IsPOTaxExempt=N IsDiscountPrinted=N SO_CreditLimit=0 SO_CreditUsed=0 TotalOpenBalance=0 SOCreditStatus=X ActualLifeTimeValue=0 PotentialLifeTimeValue=0 AcqusitionCost=0 ShareOfCustomer=0 SalesVolume=0
C_BPartner_Location Name=. IsShipTo=Y IsRemitTo=Y IsPayFrom=Y IsBillTo=Y
C_Cash BeginningBalance=0 EndingBalance=0 StatementDifference=0 DocAction=CO DocStatus=DR StatementDate=today DateAcct=today IsApproved=N
C_Charge ChargeAmt=0 IsSameCurrency=N IsSameTax=N IsTaxIncluded=N
C_Commission DocBasisType=I FrequencyType=M ListDetails=N
C_Country HasRegion=N HasPostal_Add=N IsAddressLinesLocalReverse=N IsAddressLinesReverse=N
C_Currency IsEMUMember=N IsEuro=N StdPrecision=2 CostingPrecision=4
C_DocType DocumentCopies=0 HasCharges=N IsDefault=N IsDocNoControlled=N IsSOTrx=N IsPickQAConfirm=N IsShipConfirm=N IsSplitWhenDifference=N IsCreateCounter=Y IsDefaultCounterDoc=N IsIndexed=Y
C_ElementValue IsSummary=N AccountSign=N AccountType=E IsDocControlled=N IsForeignCurrency=N IsBankAccount=N PostActual=Y PostBudget=Y PostEncumbrance=Y PostStatistical=Y
C_Invoice DocStatus=DR DocAction=CO PaymentRule=P DateInvoiced=now DateAcct=now ChargeAmt=0 TotalLines=0 GrandTotal=0 IsSOTrx=Y IsTaxIncluded=N IsApproved=N IsDiscountPrinted=N IsPaid=N SendEMail=N IsPrinted=N IsTransferred=N IsSelfService=N IsPayScheduleValid=N IsInDispute=N
C_InvoiceLine IsDescription=N IsPrinted=Y LineNetAmt=0 PriceEntered=0 PriceActual=0 PriceLimit=0 PriceList=0 M_AttributeSetInstance_ID=0 TaxAmt=0 QtyEntered=0 QtyInvoiced=0
C_Order DocStatus=DR DocAction=PR DeliveryRule=A FreightCostRule=I InvoiceRule=I PaymentRule=P PriorityRule=5 DeliveryViaRule=P IsDiscountPrinted=N IsSelected=N IsTaxIncluded=N IsSOTrx=Y IsDropShip=N SendEMail=N IsApproved=N IsPrinted=N IsCreditApproved=N IsDelivered=N IsInvoiced=N IsTransferred=N IsSelfService=N DateAcct=now DatePromised=now DateOrdered=now FreightAmt=0 ChargeAmt=0 TotalLines=0 GrandTotal=0
C_OrderLine FreightAmt=0 LineNetAmt=0 PriceEntered=0 PriceActual=0 PriceLimit=0 PriceList=0 M_AttributeSetInstance_ID=0 QtyEntered=0 QtyOrdered=0 QtyDelivered=0 QtyInvoiced=0 QtyReserved=0 IsDescription=N Line=0
C_Payment DocAction=CO DocStatus=DR TrxType=S R_AvsAddr=X R_AvsZip=X IsReceipt=Y IsApproved=N IsReconciled=N IsAllocated=N IsOnline=N IsSelfService=N IsDelayedCapture=N IsPrepayment=N PayAmt=0 DiscountAmt=0 TaxAmt=0 WriteOffAmt=0 IsOverUnderPayment=Y OverUnderAmt=0 DateTrx=now DateAcct=now TenderType=K
C_PaymentTerm AfterDelivery=N NetDays=0 Discount=0 Discount2=0 DiscountDays=0 DiscountDays2=0 GraceDays=0 IsDueFixed=N IsValid=N
C_Period PeriodType=S
C_Project CommittedAmt=0 CommittedQty=0 InvoicedAmt=0 InvoicedQty=0 PlannedAmt=0 PlannedMarginAmt=0 PlannedQty=0 ProjectBalanceAmt=0 ProjInvoiceRule=- ProjectLineLevel=P IsCommitCeiling=N IsCommitment=N IsSummary=N
C_ProjectLine Line=0 IsPrinted=Y InvoicedAmt=0 InvoicedQty=0 PlannedAmt=0 PlannedMarginAmt=0 PlannedPrice=0 PlannedQty=1
C_ProjectPhase CommittedAmt=0 IsCommitCeiling=N IsComplete=N SeqNo=0 Qty=0
C_RfQ DateResponse=now DateWorkStart=now IsInvitedVendorsOnly=N QuoteType=S IsQuoteAllQty=N IsQuoteTotalAmt=N IsRfQResponseAccepted=Y IsSelfService=Y
C_Tax IsDefault=N IsDocumentLevel=Y IsSummary=N IsTaxExempt=N Rate=0 RequiresTaxCertificate=N SOPOType=B ValidFrom=1990-01-01 IsSalesTax=N
C_TaxCategory IsDefault=N
C_UOM IsDefault=N StdPrecision=2 CostingPrecision=6
C_ValidCombination IsFullyQualified=N
GL_Journal CurrencyRate=1 DateDoc=now DocAction=CO DocStatus=DR PostingType=A TotalCr=0 TotalDr=0 IsApproved=N IsPrinted=N
GL_JournalLine Line=0 AmtAcctCr=0 AmtAcctDr=0 AmtSourceCr=0 AmtSourceDr=0 CurrencyRate=1 DateAcct=now IsGenerated=Y
M_Attribute AttributeValueType=S IsInstanceAttribute=N IsMandatory=N
M_AttributeSet IsGuaranteeDate=N IsGuaranteeDateMandatory=N IsLot=N IsLotMandatory=N IsSerNo=N IsSerNoMandatory=N IsInstanceAttribute=N MandatoryType=N
M_Cost M_AttributeSetInstance_ID=0 CurrentCostPrice=0 FutureCostPrice=0 CurrentQty=0 CumulatedAmt=0 CumulatedQty=0
M_DiscountSchema DiscountType=F FlatDiscount=0 IsBPartnerFlatDiscount=N IsQuantityBased=Y CumulativeLevel=L
M_InOut IsSOTrx=N MovementDate=now DateAcct=now DeliveryRule=A DeliveryViaRule=P FreightCostRule=I DocStatus=DR DocAction=CO PriorityRule=5 NoPackages=0 IsInTransit=N IsPrinted=N SendEMail=N IsInDispute=N IsApproved=N
M_InOutLine M_AttributeSetInstance_ID=0 ConfirmedQty=0 PickedQty=0 ScrappedQty=0 TargetQty=0 IsInvoiced=N IsDescription=N
M_Inventory MovementDate=now DocAction=CO DocStatus=DR IsApproved=N
M_InventoryLine Line=0 M_AttributeSetInstance_ID=0 InventoryType=D QtyBook=0 QtyCount=0 QtyEntered=0
M_Locator IsDefault=N PriorityNo=50
M_Movement DocAction=CO DocStatus=DR IsApproved=N IsInTransit=N MovementDate=now
M_MovementLine M_AttributeSetInstance_ID=0 MovementQty=0 TargetQty=0 ScrappedQty=0 ConfirmedQty=0
M_PriceList EnforcePriceLimit=N IsDefault=N IsSOPriceList=N IsTaxIncluded=N PricePrecision=2
M_Product ProductType=I IsBOM=N IsInvoicePrintDetails=N IsPickListPrintDetails=N IsPurchased=Y IsSold=Y IsStocked=Y IsSummary=N IsVerified=N IsWebStoreFeatured=N IsSelfService=Y IsExcludeAutoDelivery=N LowLevel=0
M_Product_Category MMPolicy=F PlannedMargin=0 IsDefault=N IsSelfService=Y
M_ProductionLine Line=0 M_AttributeSetInstance_ID=0 MovementQty=0
M_Production DocStatus=DR DocAction=PR
M_Requisition DateDoc=now DateRequired=now DocAction=CO DocStatus=DR PriorityRule=5 TotalLines=0 IsApproved=N
M_RequisitionLine Line=0 LineNetAmt=0 PriceActual=0 Qty=1
M_RMA DocAction=CO DocStatus=DR IsApproved=N
M_Warehouse Separator=*
R_Request DueType=5 ConfidentialType=A ConfidentialTypeEntry=A RequestAmt=0 PriorityUser=7 IsEscalated=N IsSelfService=N IsInvoiced=N
R_RequestType DueDateTolerance=7 IsDefault=N IsEMailWhenDue=N IsEMailWhenOverdue=N IsSelfService=Y AutoDueDateDays=0 ConfidentialType=A IsAutoChangeRequest=N IsConfidentialInfo=N IsIndexed=Y IsInvoiced=N
R_Status IsClosed=N IsDefault=N IsFinalClose=N IsOpen=N IsWebCanUpdate=Y
S_TimeExpense DateReport=now IsApproved=N
`

type columnValue struct{ column, value string }

var constructors = sync.OnceValue(func() map[string][]columnValue {
	out := map[string][]columnValue{}
	for line := range strings.Lines(constructed) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		values := make([]columnValue, 0, len(fields)-1)
		for _, field := range fields[1:] {
			column, value, _ := strings.Cut(field, "=")
			values = append(values, columnValue{column, strings.ReplaceAll(value, "_", " ")})
		}
		out[strings.ToUpper(fields[0])] = values
	}
	return out
})

// construct gives a new record what every record begins with, then what its
// table's program sets. Values that are there stay.
func (s *Session) construct(ctx context.Context, tx *store.Tx, r *Record) error {
	set := func(name, text string) {
		col, ok := r.Table.Column(name)
		if !ok || col.IsVirtual() || r.Has(col.Name) {
			return
		}
		if v, ok := s.storedText(col, text); ok {
			r.Set(col.Name, v)
		}
	}
	key := r.Table.Name + "_ID"
	if !strings.EqualFold(key, "AD_Client_ID") {
		set("AD_Client_ID", FormatID(s.ClientID))
	}
	if !strings.EqualFold(key, "AD_Org_ID") {
		set("AD_Org_ID", FormatID(s.OrgID))
	}
	set("IsActive", "Y")
	for _, name := range []string{"Processed", "Processing", "Posted"} {
		set(name, "N")
	}
	now := s.StoredNow()
	for _, c := range constructors()[strings.ToUpper(r.Table.Name)] {
		switch c.value {
		case "now", "today":
			set(c.column, now)
		default:
			set(c.column, c.value)
		}
	}
	if rules := rulesOf(r.Table); rules.construct != nil {
		return rules.construct(ctx, s, tx, r)
	}
	return nil
}
