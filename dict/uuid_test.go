package dict

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestUUIDv5(t *testing.T) {
	t.Parallel()
	// The DNS namespace and the first value are the example of RFC 9562, A.4.
	const dns UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	assert.Equal(t, UUID("2ed6657d-e927-568b-95e1-2665a8aea6a2"), UUIDv5(dns, "www.example.com"))
	assert.NotEqual(t, UUIDv5(dns, "a"), UUIDv5(dns, "b"))
	const url UUID = "6ba7b811-9dad-11d1-80b4-00c04fd430c8"
	assert.Equal(t, Namespace, UUIDv5(url, "https://github.com/erphub/erphub"))
}

func TestUUIDv7(t *testing.T) {
	t.Parallel()
	// The time of the example of RFC 9562, A.6.
	at := time.UnixMilli(0x017F22E279B0)
	u := uuidV7(at)
	assert.Equal(t, "017f22e2-79b0-7", string(u[:15]))
	assert.Contains(t, "89ab", string(u[19]))
	assert.Less(t, u, uuidV7(at.Add(time.Millisecond)))
	_, ok := ParseUUID(string(NewUUID()))
	assert.True(t, ok)
}

func TestParseUUID(t *testing.T) {
	t.Parallel()
	u, ok := ParseUUID("60F8218D-B98A-57A9-B626-E86A2306C327")
	assert.True(t, ok)
	assert.Equal(t, Namespace, u)
	for _, bad := range []string{"", "60f8218d", "60f8218db98a57a9b626e86a2306c327", "60f8218d-b98a-57a9-b626-e86a2306c32g",
		"60f8218d-b98a-57a9-b626-e86a2306c327 ", "60f8218d_b98a_57a9_b626_e86a2306c327"} {
		_, ok := ParseUUID(bad)
		assert.False(t, ok, bad)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"XX_Deploy_Log":     "Deploy Log",
		"CurrentStep":       "Current Step",
		"C_BPartner_ID":     "B Partner",
		"XX_Remark":         "Remark",
		"IsSold":            "Sold",
		"Island":            "Island",
		"Automation_URL":    "Automation URL",
		"HTTPStatus":        "HTTP Status",
		"Bill_BPartner_ID":  "Bill B Partner",
		"_ID":               "ID",
		"XX_":               "XX",
		"AD_Client_ID":      "Tenant",
		"Line2Text":         "Line2 Text",
		"IsInvoicedAlready": "Invoiced Already",
	} {
		assert.Equal(t, want, labelOf(name), name)
	}
}
