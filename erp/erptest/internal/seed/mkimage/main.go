// Command mkimage makes the demo database that package seed carries, from the files in
// this folder:
//
//		go generate ./erp/erptest/internal/seed
//
//	  - dictionary/: tables with their columns, elements, references, processes
//	    and windows that the server's own code and the demo data depend on, one line
//	    per thing, facts only; parse.go and parse_others.go tell the forms.
//	    descriptions.txt says in words of our own what tables and columns are for;
//	  - facts/: what is known of all tables, elements, references, processes and
//	    windows, in the same forms, compressed: gunzip, change, gzip -9n;
//	  - data/: rows of any table, see [builder.addData];
//	  - trade/: orders, from which shipments, invoices, payments and their
//	    sums are made;
//	  - follow/: rows of the same form as those of data/ that come after the orders:
//	    payments on invoices, stock counts, productions;
//	  - menu/: the menu.
//
// What dictionary/ describes is taken from there; facts/ supplies the rest
// ([model.supply]). A test holds that the two do not contradict each other.
//
// What follows from the dictionary is not in the files: the records of
// AD_Column, AD_Field and AD_Sequence, the seven standard columns, UUIDs that are not known, and
// the permissions of roles that are not kept by hand. What follows from other rows
// is not there either: movements of stock, whether an invoice is paid, and the
// controls of periods. Views of the ERP have their
// columns and no rows; virtual columns that dictionary/ does not describe are NULL.
//
// # Ids
//
// Ids and names are those of the ERP where they are known. Where they are
// not, they come from ranges the ERP does not use, all below 1,000,000:
// columns, elements, references and tables of the text files from 900,001, columns of
// facts/ from 910,101, its elements from 912,001, its references from 920,001, and list
// values, parameters, sequences, menu entries and fields from the numbers in
// build.go. The second tenant's records begin at 1,000,000. UUIDs are the ERP's where
// they are known; others are made from table and key (version 5), so that every
// database has the same.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/erphub/erphub/erp/erptest/internal/packed"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mkimage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: mkimage <file to write>")
	}
	content, err := build(ctx)
	if err != nil {
		return err
	}
	file, err := packed.Pack(content)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], file, 0o644)
}
