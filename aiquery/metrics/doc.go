// Package metrics has the numbers people ask an ERP for, each defined once: open
// receivables, revenue, orders to deliver, stock, cash. A definition says in words
// what is counted, by which date, in which currency; its SQL makes one row per record
// that counts, and everything else is computed from these rows: the number, its
// parts by dimension, and the records behind it.
//
//	set, err := metrics.Load(os.DirFS("/etc/erphub/metrics"))
//	engine := metrics.NewEngine(set, runner, nil)
//	result, err := engine.Query(ctx, metrics.Query{
//		Metric: "revenue", Dimensions: []string{"customer"}, From: "2026-01-01", To: "2026-03-31", Top: 10,
//	})
//
// # Permissions
//
// The SQL runs as a governed statement of the caller's role, so a number counts the
// rows that the role sees, and no others. What a caller gives (names, filters,
// dates) is looked up or travels as a parameter; no text of a caller becomes SQL.
//
// # Currencies
//
// All amounts of a result are in one currency: the one the query names, else that
// of the tenant's primary accounting schema. Each record is converted by the ERP's
// rates of the day, conversion type, tenant and organization that its definition
// names, or of the day that the query names, and rounded to the currency's digits.
// Divided by the currency, amounts are not converted. [Counted] says which rates were
// used, and how many records are in no sum because they have no rate.
//
// # Definitions
//
// The built-in definitions are YAML files in the folder builtin. Those of a folder
// replace built-in ones of the same name, or add to them; [Set.Check] tells what is
// wrong with them. See docs/metric-files.md for the format.
package metrics
