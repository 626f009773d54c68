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

// rulesOf are the rules of a table's program. Tables the ERP has no program
// for have none.
func rulesOf(t *store.Table) tableRules {
	switch strings.ToUpper(t.Name) {
	case "AD_TABLE":
		return tableRules{before: beforeTable, after: afterTable, afterDelete: afterTableDelete}
	case "AD_COLUMN":
		return tableRules{defaults: columnDefaults, before: beforeColumn}
	case "AD_ELEMENT":
		return tableRules{before: beforeElement, after: afterElement}
	case "AD_FIELD":
		return tableRules{before: beforeField}
	case "AD_TAB":
		return tableRules{before: beforeTab}
	case "AD_WINDOW":
		return tableRules{after: afterWindow}
	case "AD_MENU":
		return tableRules{before: beforeMenu, after: afterMenu, afterDelete: afterMenuDelete}
	case "AD_PROCESS":
		return tableRules{before: beforeProcess, after: afterProcess}
	case "AD_PROCESS_PARA":
		return tableRules{before: beforeParameter}
	case "AD_REF_TABLE":
		return tableRules{before: beforeTableReference}
	case "AD_TABLEINDEX":
		return tableRules{before: beforeTableIndex}
	case "AD_ENTITYTYPE":
		return tableRules{before: beforeEntityType, beforeDelete: beforeEntityTypeDelete}
	case "AD_ROLE":
		return tableRules{before: beforeRole, after: afterRole}
	}
	return businessRules(t)
}

// businessRules are those of tables outside the dictionary.
func businessRules(t *store.Table) tableRules {
	switch strings.ToUpper(t.Name) {
	case "AD_USER":
		return tableRules{before: beforeUser}
	case "AD_ORG":
		return tableRules{after: afterOrganization}
	case "M_MOVEMENTLINE":
		return tableRules{before: beforeMovementLine}
	case "M_INVENTORYLINE":
		return tableRules{before: beforeInventoryLine}
	case "C_BPARTNER":
		return tableRules{before: beforePartner}
	case "C_BPARTNER_LOCATION":
		return tableRules{before: beforePartnerLocation}
	case "C_LOCATION":
		return tableRules{construct: addressDefaults, before: beforeAddress}
	case "C_ORDER":
		return tableRules{callout: partnerCallout(orderPartner), before: beforeOrder, after: afterOrder, beforeDelete: beforeOrderDelete}
	case "C_INVOICE":
		return tableRules{callout: partnerCallout(invoicePartner), before: beforeInvoice}
	case "C_ORDERLINE":
		return tableRules{callout: beforeLine, before: beforeLine, after: afterLine, beforeDelete: beforeOrderLineDelete, afterDelete: afterLine}
	case "C_INVOICELINE":
		return tableRules{callout: beforeLine, before: beforeLine, after: afterLine, afterDelete: afterLine}
	case "C_PAYMENT":
		return tableRules{before: beforePayment}
	case "M_INOUT":
		return tableRules{before: beforeShipment}
	case "M_INOUTLINE":
		return tableRules{before: beforeShipmentLine, beforeDelete: beforeShipmentLineDelete}
	case "M_MOVEMENT":
		return tableRules{before: beforeMovement}
	case "M_PRODUCT":
		return tableRules{before: beforeProduct, beforeDelete: beforeProductDelete}
	case "M_WAREHOUSE":
		return tableRules{before: beforeWarehouse}
	case "R_REQUEST":
		return tableRules{before: beforeRequest}
	}
	return tableRules{}
}

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
