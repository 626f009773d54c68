package erp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// What comes back for a creation names the record that was created, or is not a response
// of the ERP.
func TestCreatedRecords(t *testing.T) {
	t.Parallel()
	const uid = "0191b6b0-0000-7000-8000-000000000001"
	for body, want := range map[string]string{
		`{"id":1000003,"uid":"` + uid + `","model-name":"c_bpartner"}`: "1000003",
		`{"id":7}`: "7",
		`{"uid":"` + uid + `","model-name":"ad_access"}`:      uid,
		`{"id":"de_DE","uid":"` + uid + `","model-name":"x"}`: "de_DE",
		`{"model-name":"t_report","SeqNo":1}`:                 "",
		`{"id":"z"}`:                                          "refused",
		`{"id":"z","model-name":"x"}`:                         "refused",
		`{"id":null}`:                                         "refused",
		`{"id":{"id":1}}`:                                     "refused",
		`{}`:                                                  "refused",
		`{"msg":"ok"}`:                                        "refused",
	} {
		_, client := serve(t, always(201, body))
		rec, err := client.Create(t.Context(), "C_BPartner", map[string]any{"Name": "x"})
		if want == "refused" {
			require.ErrorIs(t, err, erp.ErrBadResponse, body)
			continue
		}
		require.NoError(t, err, body)
		assert.Equal(t, want, rec.ID().String(), body)
	}
}
