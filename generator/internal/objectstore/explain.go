package objectstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/erphub/erphub/generator/internal/reach"
	"github.com/erphub/erphub/internal/failure"
)

// explain turns the client's error into one for people.
func (s *Store) explain(ctx context.Context, doing string, err error, secrets []string) error {
	where := "the object storage"
	if s.endpoint != nil {
		where += " " + s.endpoint.Host
	}
	f := &failure.Error{Doing: doing, Err: err}
	var store *storeError
	if !errors.As(err, &store) {
		if network := reach.Failure(ctx, doing, where, err); network != nil {
			return network
		}
		f.Kind, f.Why, f.Next = failure.Unexpected, where+" did not respond as one does", "check the endpoint"
		return f
	}
	code, status, words := store.Code, store.Status, failure.Words(store.Message, secrets...)
	f.Kind, f.Why, f.Next = reason(code, status)
	if f.Kind == "" {
		f.Kind, f.Why, f.Next = failure.Unexpected, fmt.Sprintf("%s responded with %d %s %s", where, status, failure.Words(code, secrets...), words), "look at the store's log"
	}
	return f
}

var reasons = []struct {
	codes     []string
	kind      failure.Kind
	why, next string
}{
	{[]string{"NoSuchBucket"}, failure.NotFound, "there is no such bucket", "create it, or configure one that exists"},
	{[]string{"SignatureDoesNotMatch"}, failure.NotAuthorized, "the secret key is not the one of the access key", "set the right pair"},
	{[]string{"InvalidAccessKeyId", "XAdminUserNotFound"}, failure.NotAuthorized, "the access key is not known to the store", "set the right pair, or check the endpoint"},
	{[]string{"ExpiredToken", "TokenRefreshRequired", "InvalidToken"}, failure.NotAuthorized, "the temporary credentials are over or wrong", "get new ones"},
	{[]string{"AccessDenied", "AllAccessDisabled", "AccountProblem"}, failure.NotAuthorized, "the access key may not do this", "grant it s3:PutObject and s3:GetObject on the prefix; a store of downloads needs s3:DeleteObject and s3:ListBucket as well"},
	{[]string{"RequestTimeTooSkewed", "RequestExpired"}, failure.NotAuthorized, "this machine's clock differs too much from the store's", "set the clock"},
	{[]string{"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}, failure.NotConfigured, "the bucket is in another region or behind another address, which is not followed", "set the region and the endpoint of the bucket"},
	{[]string{"EntityTooLarge", "EntityTooSmall", "MaxMessageLengthExceeded"}, failure.TooLarge, "the store does not take a file of this size", "generate less at once"},
	{[]string{"QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage", "ServiceQuotaExceededException"}, failure.Full, "the store or the bucket is full", "remove old artifacts or raise the quota"},
	{[]string{"InvalidBucketName"}, failure.NotConfigured, "the store does not take the name of the bucket", "configure another one"},
	{[]string{"SlowDown", "ServiceUnavailable", "RequestTimeout", "InternalError"}, failure.Unreachable, "the store cannot do it now", "try again later"},
}

// reason tells what an error code, or else a status, means for us.
func reason(code string, status int) (kind failure.Kind, why, next string) {
	for _, r := range reasons {
		if slices.Contains(r.codes, code) {
			return r.kind, r.why, r.next
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return failure.NotAuthorized, "the store refuses the credentials", "check the access key, the secret key and what they may do"
	case status == http.StatusNotFound:
		return failure.NotFound, "there is no such bucket, or no object storage at this address", "check bucket and endpoint"
	case status == http.StatusInsufficientStorage:
		return failure.Full, "the store is full", "remove old artifacts"
	case status >= 300 && status < 400:
		return failure.NotConfigured, "the store sends its callers to another address, which is not followed", "set the endpoint and region of the bucket"
	case status == http.StatusServiceUnavailable, status == http.StatusBadGateway, status == http.StatusGatewayTimeout, status == http.StatusTooManyRequests:
		return failure.Unreachable, "the store cannot do it now", "try again later"
	}
	return "", "", ""
}
