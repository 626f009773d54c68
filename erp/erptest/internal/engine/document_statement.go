package engine

import (
	"context"
	"math/big"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// statementProgram is that of bank statements, which can be voided and not reversed.
func statementProgram() docProgram {
	return docProgram{prepare: prepareLines, complete: completeStatement, void: voidStatement, reverse: voidStatement, noReversal: true, reactivate: reactivateStatement}
}

func beforeStatementLine(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	_, err := lineParent(ctx, tx, r)
	return err
}

// reactivateStatement opens a statement again, whose payments and balance wait for it.
func reactivateStatement(ctx context.Context, d *document) error {
	if _, err := d.mayReactivate(ctx); err != nil {
		return err
	}
	if err := d.eachLine(ctx, func(line store.Row) error { return d.unreconcile(ctx, line) }); err != nil {
		return err
	}
	return d.addToBalance(ctx, new(big.Rat).Neg(rat(d.Row, "StatementDifference")))
}

func (d *document) unreconcile(ctx context.Context, line store.Row) error {
	if id := line.Int("C_Payment_ID"); id != 0 {
		return d.setRow(ctx, "C_Payment", id, store.Row{"IsReconciled": "N"})
	}
	return nil
}

// completeStatement reconciles the payments of the lines, and adds them to the balance of
// the account.
func completeStatement(ctx context.Context, d *document) error {
	sum := new(big.Rat)
	if err := d.eachLine(ctx, func(line store.Row) error {
		sum.Add(sum, rat(line, "StmtAmt"))
		payment, err := OneRow(ctx, d.tx, "C_Payment", line.Int("C_Payment_ID"))
		if err != nil {
			return err
		}
		if payment.Bool("IsReconciled") {
			return documentFails("Payment is already reconciled: " + payment.String("DocumentNo"))
		}
		if payment != nil {
			if err := d.setRow(ctx, "C_Payment", line.Int("C_Payment_ID"), store.Row{"IsReconciled": "Y"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	d.Set("StatementDifference", rounded(sum, 12))
	d.Set("EndingBalance", rounded(new(big.Rat).Add(rat(d.Row, "BeginningBalance"), sum), 12))
	return d.addToBalance(ctx, sum)
}

func (d *document) addToBalance(ctx context.Context, sum *big.Rat) error {
	id := d.Row.Int("C_BankAccount_ID")
	account, err := OneRow(ctx, d.tx, "C_BankAccount", id)
	if err != nil || account == nil {
		return err
	}
	return d.setRow(ctx, "C_BankAccount", id, store.Row{"CurrentBalance": rounded(new(big.Rat).Add(rat(account, "CurrentBalance"), sum), 12)})
}

// voidStatement takes back what completing has done. As in the ERP, a payment on a line
// without an amount stays reconciled.
func voidStatement(ctx context.Context, d *document) error {
	if err := d.eachLine(ctx, func(line store.Row) error {
		was := nonZero(line, "StmtAmt")
		if was == "" {
			return nil
		}
		if err := d.unreconcile(ctx, line); err != nil {
			return err
		}
		return d.changeLine(ctx, line, store.Row{
			"Description": described(line, "Voided (Statement amount="+was+")"), "StmtAmt": "0", "TrxAmt": "0", "ChargeAmt": "0", "InterestAmt": "0", "C_Payment_ID": nil,
		})
	}); err != nil {
		return err
	}
	sum := rat(d.Row, "StatementDifference")
	d.describe("Voided")
	d.SetAll(store.Row{"StatementDifference": "0", "EndingBalance": d.Row["BeginningBalance"]})
	if !d.Row.Bool("Processed") { // a draft, or opened again
		return nil
	}
	return d.addToBalance(ctx, sum.Neg(sum))
}
