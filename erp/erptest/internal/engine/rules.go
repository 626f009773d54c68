package engine

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// rule is what a table's program does at one moment of a record's life.
type rule func(ctx context.Context, s *Session, tx *store.Tx, r *Record) error

// tableRules are the rules of one table's program, nil for none.
type tableRules struct {
	construct    rule // values a new record begins with, beyond those in constructed
	defaults     rule // values of a new record beyond the dictionary's
	callout      rule // what windows fill in while a new record is entered
	before       rule // checks and changes before a record is written
	after        rule
	beforeDelete rule
	afterDelete  rule
}

// programs are the tables that the ERP has a program for, by name in capitals.
var programs map[string]tableRules

// The rules save records, and so need the programs themselves.
func init() {
	programs = map[string]tableRules{
		"AD_TABLE":            {before: beforeTable, after: afterTable, afterDelete: afterTableDelete},
		"AD_COLUMN":           {defaults: columnDefaults, before: beforeColumn},
		"AD_ELEMENT":          {before: beforeElement, after: afterElement},
		"AD_FIELD":            {before: beforeField},
		"AD_TAB":              {before: beforeTab},
		"AD_WINDOW":           {after: afterWindow},
		"AD_MENU":             {before: beforeMenu, after: afterMenu, afterDelete: afterMenuDelete},
		"AD_PROCESS":          {before: beforeProcess, after: afterProcess},
		"AD_PROCESS_PARA":     {before: beforeParameter},
		"AD_REF_TABLE":        {before: beforeTableReference},
		"AD_TABLEINDEX":       {before: beforeTableIndex},
		"AD_ENTITYTYPE":       {before: beforeEntityType, beforeDelete: beforeEntityTypeDelete},
		"AD_ROLE":             {before: beforeRole, after: afterRole},
		"AD_USER":             {before: beforeUser},
		"AD_ORG":              {after: afterOrganization},
		"C_BANKSTATEMENTLINE": {before: beforeStatementLine},
		"M_PRODUCTIONLINE":    {before: beforeProductionLine},
		"M_MOVEMENTLINE":      {before: beforeMovementLine},
		"M_INVENTORYLINE":     {before: beforeInventoryLine},
		"C_BPARTNER":          {before: beforePartner},
		"C_BPARTNER_LOCATION": {before: beforePartnerLocation},
		"C_LOCATION":          {construct: addressDefaults, before: beforeAddress},
		"C_ORDER":             {callout: partnerCallout(orderPartner), before: beforeOrder, after: afterOrder, beforeDelete: beforeOrderDelete},
		"C_INVOICE":           {callout: partnerCallout(invoicePartner), before: beforeInvoice},
		"C_ORDERLINE":         {callout: beforeLine, before: beforeLine, after: afterLine, beforeDelete: beforeOrderLineDelete, afterDelete: afterLine},
		"C_INVOICELINE":       {callout: beforeLine, before: beforeLine, after: afterLine, afterDelete: afterLine},
		"C_PAYMENT":           {before: beforePayment},
		"M_INOUT":             {before: beforeShipment},
		"M_INOUTLINE":         {before: beforeShipmentLine, beforeDelete: beforeShipmentLineDelete},
		"M_MOVEMENT":          {before: beforeMovement},
		"M_PRODUCT":           {before: beforeProduct, beforeDelete: beforeProductDelete},
		"M_WAREHOUSE":         {before: beforeWarehouse},
		"R_REQUEST":           {before: beforeRequest},
	}
}

// rulesOf are the rules of a table's program, none if it has no program.
func rulesOf(t *store.Table) tableRules { return programs[strings.ToUpper(t.Name)] }

// saveError is a refusal of a table's program, as saving reports it.
func saveError(text string) error { return PublicError("Error: " + text) }

var (
	identifierText = lazyregexp.New(`^[A-Za-z0-9_]*$`)
	letterFirst    = lazyregexp.New(`^[A-Za-z]`)
)

// checkIdentifier refuses names the database could not use.
func checkIdentifier(column, name string) error {
	wrong := ""
	switch {
	case name == "":
		wrong = "empty"
	case strings.Contains(name, " "):
		wrong = "must not contain spaces"
	case !letterFirst().MatchString(name):
		wrong = "first character must be alphabetic"
	case !identifierText().MatchString(name):
		wrong = "just alphanumeric and underscore characters are allowed"
	default:
		return nil
	}
	return saveError("Invalid identifier: " + wrong + " [" + column + "]")
}

// checkUnique refuses a record when another one already has its values in the
// columns; texts are compared without regard to case.
func checkUnique(ctx context.Context, tx *store.Tx, r *Record, columns ...string) error {
	key := r.Table.KeyColumn()
	where, args := sqlquote.Name(key.Name)+"<>?", []any{r.ID()}
	for _, name := range columns {
		where += " AND " + sqlquote.Name(name) + "=?"
		if _, text := r.Row[name].(string); text {
			where += " COLLATE NOCASE" // which indexes of numbers do not serve
		}
		args = append(args, r.Row[name])
	}
	n, err := tx.Count(ctx, r.Table, where, args...)
	if err != nil {
		return err
	}
	if n > 0 {
		return PublicError("Record already exists: " + label(r.Table, columns[len(columns)-1]))
	}
	return nil
}
