package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// AddressText is what a C_Location is displayed as.
func (s *Session) AddressText(ctx context.Context, tx *store.Tx, address store.Row) (string, error) {
	country, err := OneRow(ctx, tx, "C_Country", address.Int("C_Country_ID"))
	if err != nil {
		return "", err
	}
	region, err := OneRow(ctx, tx, "C_Region", address.Int("C_Region_ID"))
	if err != nil {
		return "", err
	}
	return addressText(address, country, region.String("Name")), nil
}

// addressText is an address in one line, as the ERP shows it: the lines, then
// city, region and postal code in the order of the country; the other way round
// where the country says so. region is the name of the address's region, empty
// for none.
func addressText(address, country store.Row, region string) string {
	region = cmp.Or(region, address.String("RegionName"))
	place := strings.NewReplacer(
		"@C@", address.String("City"), "@R@", region, "@P@", address.String("Postal"),
		"@A@", prefixed("-", address.String("Postal_Add")), `\n`, "\n",
	).Replace(country.String("DisplaySequence"))
	if country == nil {
		place = "CountryNotFound"
	} else if !strings.Contains(country.String("DisplaySequence"), "@R@") && address.String("RegionName") != "" {
		place += " " + region
	}
	lines := []string{"Address1", "Address2", "Address3", "Address4", "Address5"}
	var text strings.Builder
	if country.String("IsAddressLinesReverse") == "Y" {
		text.WriteString(place)
		for i := len(lines) - 1; i >= 0; i-- {
			text.WriteString(prefixed(", ", address.String(lines[i])))
		}
		return text.String()
	}
	text.WriteString(address.String(lines[0]))
	for _, line := range lines[1:] {
		text.WriteString(prefixed(", ", address.String(line)))
	}
	text.WriteString(", " + place)
	return text.String()
}

// prefixed is a text with something before it, or nothing.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
