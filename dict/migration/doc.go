// Package migration writes a plan of package dict as migration scripts, the
// form in which the ERP's own releases change a database, and applies them.
//
//	scripts, err := migration.Scripts(plan, &migration.Options{Release: "iD12", Time: time.Now()})
//	for _, s := range scripts {
//		write(s.Path(), s.Text())  // migration-local/iD12/postgresql/202608010900_XX_Demo.sql, …/oracle/…
//	}
//	result, err := migration.Apply(ctx, db, scripts[0], nil)
//
// # What a script holds
//
// The same statements in the same order for both databases, with the same file
// name and the same UUIDs: the call that registers the script, then the rows of
// the dictionary, then the statements of package ddl. Nothing in it is a number
// of one installation: new ids come from the ERP's sequences, and records are
// referred to by their UUID, or by what they are found by when they are not
// made here. Official ids, below 1,000,000, stand as they are.
//
// What the ERP's program does besides when a record is saved is in the script
// too: the sequence of a table, the names and texts that a column takes from its
// element, the place of a menu entry in every menu. Translations, access rows and
// counters are not; the ERP's post-migration scripts make them.
//
// Statements can be run again: a record that is there is not made twice. A
// script that refers to something the ERP does not have, such as a validation
// rule, says so and stops.
//
// # Lines
//
// Every statement is one line with its terminator alone on the next, which the
// ERP's own runner needs; line breaks within texts are written as CHR(10). For
// Oracle, lines are broken before they reach what SQL*Plus can read.
//
// # Applying
//
// [Apply] keeps account in AD_MigrationScript, where the ERP's own tools look,
// and refuses a script that is there as completed. On PostgreSQL everything is
// one transaction: a script that fails, or whose process dies, leaves the
// database as it was, and may be applied again. Oracle ends a transaction with
// every DDL statement, so there a failed script is half done; it can be applied
// again because its statements can be.
package migration
