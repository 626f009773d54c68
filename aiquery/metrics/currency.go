package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// The days whose rates convert amounts, besides a day that is named.
const (
	RateDocument = "document" // the one that the definition names, of each record
	RateAsOf     = "asOf"     // the day that is asked about: as of, the last of the period, else today
)

// PerRecord is [Counted].Currency where amounts are not converted.
const PerRecord = "that of each row"

// perRecord reports whether amounts stay in the currency of their record.
func (q *Query) perRecord(d *Definition) bool {
	return d.Currency != nil && !q.Records && slices.ContainsFunc(q.Dimensions, func(name string) bool { return key(name) == CurrencyDimension })
}

// rateDay makes the rate date of a query a day, or [RateDocument].
func (q *Query) rateDay(d *Definition, today string) (string, error) {
	given := strings.TrimSpace(q.RateDate)
	if given != "" && d.Currency == nil {
		return "", &Error{Kind: Invalid, Message: d.Name + " has no amounts to convert", Hint: "leave the rate date out"}
	}
	switch {
	case d.Currency != nil && d.Currency.Date == "" && (given == "" || strings.EqualFold(given, RateDocument)):
		return today, nil
	case given == "", strings.EqualFold(given, RateDocument):
		return RateDocument, nil
	case strings.EqualFold(given, RateAsOf):
		for _, day := range []string{q.AsOf, q.To} {
			if day != "" {
				return day, nil
			}
		}
		return today, nil
	}
	return given, nil // Compile checks that it is a day
}

func notRateDay(given string) error {
	return &Error{
		Kind: Invalid, Message: fmt.Sprintf("%q is not a date for rates", clip(given)),
		Hint: "write document for the day of each record, asOf for the day that is asked about, or a day as 2026-01-31",
	}
}

// recordCurrency has the currency of each fact.
const recordCurrency = `
  LEFT JOIN (
    SELECT c_currency_id AS record_currency_id, iso_code AS record_currency, CAST(stdprecision AS integer) AS record_digits FROM c_currency
  ) record_currencies ON record_currencies.record_currency_id = fact.`

// converted is the WITH clause over the facts of a metric with amounts.
func (c *compiler) converted(facts, where string) string {
	cur := c.d.Currency
	head, from := "WITH fact AS (\n"+facts+"\n)", "FROM fact"+recordCurrency+cur.Column
	rate, digits, day := "CASE WHEN record_currencies.record_currency IS NOT NULL THEN 1 END", "record_currencies.record_digits", "CAST(NULL AS timestamp)"
	if !c.q.perRecord(c.d) {
		head += ", target AS (\n  SELECT c_currency_id AS target_currency_id, CAST(stdprecision AS integer) AS target_digits FROM c_currency WHERE iso_code = " +
			c.named("currency", c.q.Currency) + "\n)"
		from = "FROM fact CROSS JOIN target" + recordCurrency + cur.Column
		switch day = column(cur.Date); {
		case c.q.RateDate != "" && c.q.RateDate != RateDocument:
			day = "CAST(" + c.named("rate_day", c.q.RateDate) + " AS timestamp)"
		case cur.Date == "":
			day = "now()"
		}
		rate = fmt.Sprintf("currencyRate(fact.%s, target.target_currency_id, %s, %s, fact.ad_client_id, fact.ad_org_id)", cur.Column, day, column(cur.Type))
		digits = "target.target_digits"
	}
	var converted strings.Builder
	for _, a := range cur.Amounts {
		fmt.Fprintf(&converted, ",\n    round(rated.%[1]s * rated.conversion_rate, rated.amount_digits) AS converted_%[1]s", a)
	}
	return head + ", rated AS MATERIALIZED (\n  SELECT fact.*, record_currencies.record_currency, " + digits + " AS amount_digits, " + rate + " AS conversion_rate, " + day + " AS rate_day\n  " +
		from + where + "\n), counted AS (\n  SELECT rated.*" + converted.String() + "\n  FROM rated\n)\n"
}

// column is an argument of a rate.
func column(name string) string {
	if name == "" {
		return "NULL"
	}
	return "fact." + name
}
