package objectstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/erphub/erphub/internal/netguard"
)

// Four requests of the protocol are needed, and a signed link. The vendor's signer
// signs them; its client for all of the protocol is ten times as large.

const (
	// attempts is how often a request is sent; each has the same effect every time.
	attempts = 3
	// maxErrorBody bounds what is read of a response that says why not.
	maxErrorBody = 64 << 10
	service      = "s3"
)

// storeError is a response of the store that is not a success.
type storeError struct {
	Status  int    `xml:"-"`
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
}

func (e *storeError) Error() string {
	return fmt.Sprintf("the store responded with %d %s", e.Status, e.Code)
}

// caller makes requests with the credentials of now.
type caller struct {
	store       *Store
	credentials aws.Credentials
	signer      *v4.Signer
}

func (s *Store) caller(c Credentials) *caller {
	return &caller{
		store:       s,
		credentials: aws.Credentials{AccessKeyID: c.AccessKey, SecretAccessKey: c.SecretKey, SessionToken: c.SessionToken},
		signer:      v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }), // address escapes it
	}
}

// address is where an object is.
func (s *Store) address(key string) *url.URL {
	u := &url.URL{Scheme: "https", Host: s.amazonHost()}
	if s.endpoint != nil {
		u.Scheme, u.Host, u.Path = s.endpoint.Scheme, s.endpoint.Host, strings.TrimRight(s.endpoint.Path, "/")
	}
	// A dot in the bucket's name would not match the certificate.
	if s.endpoint != nil || strings.Contains(s.opts.Bucket, ".") {
		u.Path += "/" + s.opts.Bucket
	} else {
		u.Host = s.opts.Bucket + "." + u.Host
	}
	u.Path += "/" + key
	u.RawPath = escapePath(u.Path)
	return u
}

// amazonHost is Amazon's address in the region.
func (s *Store) amazonHost() string {
	host := "s3." + s.opts.Region + ".amazonaws.com"
	if strings.HasPrefix(s.opts.Region, "cn-") {
		host += ".cn"
	}
	return host
}

// escapePath escapes all that the signature has escaped: more than an address needs.
func escapePath(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/', c == '-', c == '.', c == '_', c == '~', '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// request is one to the bucket, or to an object in it.
type request struct {
	method, key string
	query       url.Values
	header      map[string]string
	body        []byte
}

// put stores data under a key, to be downloaded as a file of that name.
func (c *caller) put(ctx context.Context, key, filename string, data []byte) error {
	_, _, err := c.do(ctx, request{method: http.MethodPut, key: key, body: data, header: map[string]string{
		"Content-Type": "application/zip", "Content-Disposition": "attachment; filename=" + filename,
	}})
	return err
}

// do sends a request, and returns header and body of its response.
func (c *caller) do(ctx context.Context, r request) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "https://store", bytes.NewReader(r.body))
	if err != nil {
		return nil, nil, err
	}
	req.URL = c.store.address(r.key)
	req.URL.RawQuery = r.query.Encode()
	req.Host = req.URL.Host
	sum := sha256.Sum256(r.body)
	hash := hex.EncodeToString(sum[:])
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("X-Amz-Content-Sha256", hash)
	if err := c.signer.SignHTTP(ctx, c.credentials, req, hash, service, c.store.opts.Region, time.Now()); err != nil {
		return nil, nil, err
	}
	retries := &retryablehttp.Client{
		HTTPClient: c.store.http, Logger: slog.New(slog.DiscardHandler), RetryMax: attempts - 1, RetryWaitMin: 50 * time.Millisecond, RetryWaitMax: time.Second,
		CheckRetry: retry, Backoff: retryablehttp.LinearJitterBackoff, ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, nil, err
	}
	resp, err := retries.Do(again)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		body, err := io.ReadAll(resp.Body) // the client bounds it
		return resp.Header, body, err
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	failed := &storeError{}
	if xml.Unmarshal(body, failed) != nil {
		failed = &storeError{} // a page of a proxy, for example
	}
	failed.Status = resp.StatusCode
	return nil, nil, failed
}

// retry tells what may pass when it is sent again.
func retry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		if netguard.Permanent(err) {
			return false, nil
		}
		again, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
		return again, nil
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, nil
	}
	return false, nil
}

// link signs a link to an object, and says when it ends: the store counts from the
// second in the signature.
func (c *caller) link(ctx context.Context, key string, life time.Duration) (string, time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://store", nil)
	if err != nil {
		return "", time.Time{}, err
	}
	req.URL = c.store.address(key)
	req.Host = req.URL.Host
	req.URL.RawQuery = url.Values{"X-Amz-Expires": {strconv.Itoa(int(life.Seconds()))}}.Encode()
	now := time.Now().UTC().Truncate(time.Second)
	signed, _, err := c.signer.PresignHTTP(ctx, c.credentials, req, "UNSIGNED-PAYLOAD", service, c.store.opts.Region, now)
	return signed, now.Add(life), err
}
