package rest

import (
	"fmt"

	"github.com/erphub/erphub/internal/apiclient"
)

// Decoded returns what a call has decoded, which is nil when the response held
// no JSON: then the error says so, names the call in the words of what, and
// matches erp.ErrBadResponse.
//
//	resp, err := api.ListCachesWithResponse(ctx, nil)
//	if err != nil {
//		return err
//	}
//	list, err := rest.Decoded("list caches", resp.JSON200)
//
// It is for a client whose doer makes errors of all other statuses, as the one
// of package erp does.
func Decoded[T any](what string, value *T) (*T, error) {
	if value == nil {
		return nil, fmt.Errorf("%s: the response holds no JSON; is this the ERP's REST API? %w", what, apiclient.ErrBadResponse)
	}
	return value, nil
}
