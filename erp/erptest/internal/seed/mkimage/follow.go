package main

import "strconv"

// markPaid marks the invoices that allocations cover wholly.
func (b *builder) markPaid() {
	open := map[int64]int64{}
	amount := b.sheets["C_AllocationLine"].cents("Amount")
	b.each("C_AllocationLine", func(at func(string) int64, row []any) { open[at("C_Invoice_ID")] -= amount(row) })
	invoices := b.sheets["C_Invoice"]
	total := invoices.cents("GrandTotal")
	b.each("C_Invoice", func(at func(string) int64, row []any) {
		if total(row)+open[at("C_Invoice_ID")] == 0 {
			row[invoices.index["IsPaid"]] = "Y"
		}
	})
}

// movements are the lines whose quantities move stock, of documents that are done.
var movements = []struct {
	header, line, link string // tables, and the column of M_Transaction that names the line
	in, out            string // movement types
	quantity           func(s *sheet) func(row []any) int64
}{
	{"M_InOut", "M_InOutLine", "M_InOutLine_ID", "", "", quantity("MovementQty", "")},
	{"M_Production", "M_ProductionLine", "M_ProductionLine_ID", "P+", "P-", quantity("MovementQty", "")},
	{"M_Inventory", "M_InventoryLine", "M_InventoryLine_ID", "I+", "I-", quantity("QtyCount", "QtyBook")},
}

// addMovements makes the movements of stock (M_Transaction).
func (b *builder) addMovements() {
	stocked := map[int64]bool{}
	products := b.sheets["M_Product"]
	b.each("M_Product", func(at func(string) int64, row []any) {
		stocked[at("M_Product_ID")] = row[products.index["IsStocked"]] == "Y" && row[products.index["ProductType"]] == "I"
	})
	next := int64(100)
	for _, m := range movements {
		headers, lines := b.sheets[m.header], b.sheets[m.line]
		done := map[int64][]any{}
		b.each(m.header, func(at func(string) int64, row []any) {
			if row[headers.index["Processed"]] == "Y" {
				done[at(m.header+"_ID")] = row
			}
		})
		quantity := m.quantity(lines)
		b.each(m.line, func(at func(string) int64, row []any) {
			header, moved := done[at(m.header+"_ID")], quantity(row)
			if header == nil || moved == 0 || !stocked[at("M_Product_ID")] {
				return
			}
			kind := m.in
			if i, ok := headers.index["MovementType"]; ok {
				if kind, _ = header[i].(string); kind[1:] == "-" {
					moved = -moved
				}
			} else if moved < 0 {
				kind = m.out
			}
			b.add("M_Transaction", "M_Transaction_ID", next, "AD_Client_ID", at("AD_Client_ID"), "AD_Org_ID", at("AD_Org_ID"),
				"MovementType", kind, "MovementDate", header[headers.index["MovementDate"]], "M_Locator_ID", at("M_Locator_ID"),
				"M_Product_ID", at("M_Product_ID"), "M_AttributeSetInstance_ID", at("M_AttributeSetInstance_ID"),
				"MovementQty", strconv.FormatFloat(float64(moved)/100, 'f', -1, 64), m.link, at(m.line+"_ID"))
			next++
		})
	}
}

// each visits the rows of a table as functions of a column's name.
func (b *builder) each(table string, visit func(at func(column string) int64, row []any)) {
	s := b.sheets[table]
	for _, row := range s.rows {
		visit(func(column string) int64 {
			n, _ := row[s.index[column]].(int64)
			return n
		}, row)
	}
}

// cents reads an amount of the table's rows.
func (s *sheet) cents(column string) func(row []any) int64 {
	i := s.index[column]
	return func(row []any) int64 { return cents(row[i]) }
}

// quantity reads how many hundredths a line moves.
func quantity(column, less string) func(s *sheet) func(row []any) int64 {
	return func(s *sheet) func(row []any) int64 {
		plus := s.cents(column)
		if less == "" {
			return plus
		}
		minus := s.cents(less)
		return func(row []any) int64 { return plus(row) - minus(row) }
	}
}
