package objectstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
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

// Place names the bucket that an artifact goes to.
func (s *Store) Place(*generator.Artifact) string { return "bucket " + s.opts.Bucket }

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
	client, secrets, err := s.login(ctx, doing)
	if err != nil {
		return nil, err
	}
	key := s.key(a, data)
	// Signed first, since that can fail without leaving an object behind.
	link, expires, err := client.link(ctx, key, s.opts.TTL)
	if err != nil {
		return nil, &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "the link cannot be signed", Next: "check the credentials", Err: err}
	}
	progress.Report(1, 2, "uploading "+a.Filename())
	if err := client.put(ctx, key, a.Filename(), data); err != nil {
		return nil, s.explain(ctx, doing, err, secrets)
	}
	progress.Report(2, 2, "uploaded "+a.Filename())
	s.opts.Logger.InfoContext(ctx, "artifact uploaded", "bucket", s.opts.Bucket, "key", key, "bytes", len(data))
	return &generator.Receipt{Mode: generator.ModeObjectStore, URL: link, Bucket: s.opts.Bucket, Key: key, ExpiresAt: expires, Filename: a.Filename()}, nil
}

// login returns what calls with the credentials of now, and what must not be
// shown.
func (s *Store) login(ctx context.Context, doing string) (*caller, []string, error) {
	c, err := s.opts.Credentials(ctx)
	if err == nil && (c.AccessKey == "" || c.SecretKey == "") {
		err = failure.NotConfigured
	}
	if err != nil {
		return nil, nil, &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "there is no access key or no secret key", Next: "set both", Err: err}
	}
	return s.caller(c), []string{c.SecretKey, c.SessionToken}, nil
}

// key names the object by its content.
func (s *Store) key(a *generator.Artifact, data []byte) string {
	sum := sha256.Sum256(data)
	return s.opts.Prefix + a.Name + "/" + hex.EncodeToString(sum[:8]) + "/" + a.Filename()
}
