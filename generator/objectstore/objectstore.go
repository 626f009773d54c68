package objectstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/failure"
	"github.com/erphub/erphub/internal/netguard"
)

// Store delivers artifacts to a bucket. It is safe for concurrent use.
type Store struct {
	opts     Options
	endpoint *url.URL // nil: Amazon's
	http     *http.Client
}

// New returns a store. Nothing is connected to before the first delivery.
func New(opts Options) (*Store, error) {
	endpoint, err := opts.check()
	if err != nil {
		return nil, err
	}
	var hosts []string
	switch {
	case opts.Untrusted:
	case endpoint != nil:
		hosts = []string{endpoint.Host}
	default: // may be a private address: Amazon's endpoints within a network
		for _, domain := range []string{"amazonaws.com", "amazonaws.com.cn"} {
			host := "s3." + opts.Region + "." + domain
			hosts = append(hosts, host, opts.Bucket+"."+host)
		}
	}
	return &Store{opts: opts, endpoint: endpoint, http: netguard.New(hosts...).Client(opts.Roots)}, nil
}

// Deliver uploads the artifact's zip and returns a link to it.
func (s *Store) Deliver(ctx context.Context, a *generator.Artifact, progress generator.Progress) (*generator.Receipt, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("uploading an artifact: %w", err)
	}
	doing := fmt.Sprintf("uploading %s to the bucket %s", a.Filename(), s.opts.Bucket)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	progress.Report(0, 2, "packing "+a.Filename())
	data, err := a.Zip()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	client, secrets, err := s.client(ctx, doing)
	if err != nil {
		return nil, err
	}
	key := s.key(a, data)
	// Signed first, since that can fail without leaving an object behind.
	link, expires, err := s.link(ctx, client, key, a.Filename())
	if err != nil {
		return nil, &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "the link cannot be signed", Next: "check the credentials", Err: err}
	}
	progress.Report(1, 2, "uploading "+a.Filename())
	_, err = client.PutObject(ctx, &s3.PutObjectInput{
		Bucket:             aws.String(s.opts.Bucket),
		Key:                aws.String(key),
		Body:               bytes.NewReader(data),
		ContentLength:      aws.Int64(int64(len(data))),
		ContentType:        aws.String("application/zip"),
		ContentDisposition: aws.String("attachment; filename=" + a.Filename()),
	})
	if err != nil {
		return nil, s.explain(ctx, doing, err, secrets)
	}
	progress.Report(2, 2, "uploaded "+a.Filename())
	s.opts.Logger.InfoContext(ctx, "artifact uploaded", "bucket", s.opts.Bucket, "key", key, "bytes", len(data))
	return &generator.Receipt{Mode: generator.ModeObjectStore, URL: link, Bucket: s.opts.Bucket, Key: key, ExpiresAt: expires, Filename: a.Filename()}, nil
}

// client returns a client with the credentials of now, and what must not be
// shown.
func (s *Store) client(ctx context.Context, doing string) (*s3.Client, []string, error) {
	c, err := s.opts.Credentials(ctx)
	if err == nil && (c.AccessKey == "" || c.SecretKey == "") {
		err = failure.NotConfigured
	}
	if err != nil {
		return nil, nil, &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "there is no access key or no secret key", Next: "set both", Err: err}
	}
	o := s3.Options{
		Region:      s.opts.Region,
		HTTPClient:  s.http,
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKey, c.SecretKey, c.SessionToken),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = 3, time.Second
			o.Retryables = slices.Insert(o.Retryables, 0, retry.IsErrorRetryable(retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
				if netguard.Permanent(err) {
					return aws.FalseTernary
				}
				return aws.UnknownTernary
			})))
		}),
		Logger: logging.Nop{},
		// Stores other than Amazon's refuse the checksums of the default.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
		// A dot in the bucket's name would not match the certificate.
		UsePathStyle: s.endpoint != nil || strings.Contains(s.opts.Bucket, "."),
	}
	if s.endpoint != nil {
		o.BaseEndpoint = aws.String(strings.TrimRight(s.endpoint.String(), "/"))
	}
	return s3.New(o), []string{c.SecretKey, c.SessionToken}, nil
}

// key names the object by its content.
func (s *Store) key(a *generator.Artifact, data []byte) string {
	sum := sha256.Sum256(data)
	return s.opts.Prefix + a.Name + "/" + hex.EncodeToString(sum[:8]) + "/" + a.Filename()
}

// link signs a link to the object and says when it ends.
func (s *Store) link(ctx context.Context, client *s3.Client, key, filename string) (string, time.Time, error) {
	req, err := s3.NewPresignClient(client).PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: aws.String(s.opts.Bucket),
		Key:    aws.String(key),
	}, s3.WithPresignExpires(s.opts.TTL))
	if err != nil {
		return "", time.Time{}, err
	}
	u, err := url.Parse(req.URL)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("the signed link of %s is not an address", filename)
	}
	// The store counts from the second in the signature.
	signed, err := time.Parse("20060102T150405Z", u.Query().Get("X-Amz-Date"))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("the signed link of %s has no date", filename)
	}
	return req.URL, signed.Add(s.opts.TTL), nil
}
