package engine

import (
	"context"
	"math/big"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// decimalsOf are the decimals of amounts in the currency of a document.
func decimalsOf(ctx context.Context, tx *store.Tx, header store.Row) (int, error) {
	currency, err := OneRow(ctx, tx, "C_Currency", header.Int("C_Currency_ID"))
	if err != nil || currency["StdPrecision"] == nil {
		return 2, err
	}
	return int(currency.Int("StdPrecision")), nil
}

// taxLines makes the tax rows of an order or invoice anew from its lines, and
// stores and returns its totals.
func (s *Session) taxLines(ctx context.Context, tx *store.Tx, table string, header store.Row) (store.Row, error) {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	key := table + "_ID"
	lines, err := RowsWhere(ctx, tx, table+"Line", "Line", sqlquote.Name(key)+"=? AND IsActive='Y'", header.Int(key))
	if err != nil {
		return nil, err
	}
	decimals, err := decimalsOf(ctx, tx, header)
	if err != nil {
		return nil, err
	}
	total, digits := new(big.Rat), 0
	amounts, order := map[int64][]*big.Rat{}, []int64{}
	for _, line := range lines {
		net := rat(line, "LineNetAmt")
		total.Add(total, net)
		digits = max(digits, min(decimals, scale(line.String("LineNetAmt"))))
		id := line.Int("C_Tax_ID")
		if amounts[id] == nil {
			order = append(order, id)
		}
		amounts[id] = append(amounts[id], net)
	}
	if err := clearTaxes(ctx, tx, table, header.Int(key)); err != nil {
		return nil, err
	}
	grand := new(big.Rat).Add(total, rat(header, "ChargeAmt"))
	totals := store.Row{"TotalLines": total.FloatString(digits)}
	digits = max(digits, scale(header.String("ChargeAmt")))
	for _, id := range order {
		taxes, err := partsOfTax(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		for _, tax := range taxes {
			value, err := s.taxLine(ctx, tx, table, header, tax, amounts[id], decimals)
			if err != nil {
				return nil, err
			}
			if !header.Bool("IsTaxIncluded") {
				grand.Add(grand, value)
				digits = decimals
			}
		}
	}
	totals["GrandTotal"] = grand.FloatString(min(digits, decimals))
	_, err = tx.Set(ctx, t, totals, sqlquote.Name(key)+"=?", header.Int(key))
	return totals, err
}

// taxLine writes and returns one tax on the amounts of a document. Of a tax for the
// whole document the sum is taxed, of others each amount.
func (s *Session) taxLine(ctx context.Context, tx *store.Tx, table string, header, tax store.Row, amounts []*big.Rat, decimals int) (*big.Rat, error) {
	base := new(big.Rat)
	for _, n := range amounts {
		base.Add(base, n)
	}
	if tax.Bool("IsDocumentLevel") {
		amounts = []*big.Rat{base}
	}
	included := header.Bool("IsTaxIncluded")
	value := new(big.Rat)
	for _, n := range amounts {
		part, err := taxOf(ctx, tx, tax, n, included, decimals)
		if err != nil {
			return nil, err
		}
		value.Add(value, part)
	}
	if value.Sign() == 0 && table == "C_Order" {
		return value, nil // invoices have a row of each tax
	}
	if included {
		base = new(big.Rat).Sub(base, value)
	}
	if exists, err := tx.TableExists(ctx, table+"Tax"); err != nil || !exists {
		return value, err
	}
	_, err := s.InsertRow(ctx, tx, table+"Tax", store.Row{
		table + "_ID": header.Int(table + "_ID"), "C_Tax_ID": tax.Int("C_Tax_ID"), "AD_Client_ID": header.Int("AD_Client_ID"), "AD_Org_ID": header.Int("AD_Org_ID"),
		"TaxAmt": rounded(value, decimals), "TaxBaseAmt": rounded(base, 12), "IsTaxIncluded": yesNo(included), "Processed": yesNo(header.Bool("Processed")),
	})
	return value, err
}

// clearTaxes removes the tax rows of a document.
func clearTaxes(ctx context.Context, tx *store.Tx, table string, id int64) error {
	t, err := NamedTable(ctx, tx, table+"Tax")
	if err != nil || t == nil {
		return err
	}
	_, err = tx.Delete(ctx, t, sqlquote.Name(table+"_ID")+"=?", id)
	return err
}

// partsOfTax are the taxes a line's tax stands for: itself, or those it is made of.
func partsOfTax(ctx context.Context, tx *store.Tx, id int64) ([]store.Row, error) {
	tax, err := OneRow(ctx, tx, "C_Tax", id)
	if err != nil || tax == nil {
		return nil, err
	}
	if !tax.Bool("IsSummary") {
		return []store.Row{tax}, nil
	}
	return RowsWhere(ctx, tx, "C_Tax", "C_Tax_ID", "Parent_Tax_ID=? AND IsActive='Y'", id)
}
