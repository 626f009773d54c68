package objectstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// MaxArtifact is the size of the largest file that an [Artifacts] keeps, in bytes.
const MaxArtifact = 32 << 20

// remember is the time for which an id whose time is over is reported as expired.
const remember = 30 * 24 * time.Hour

// Artifacts keeps files in a bucket as an [generator.ArtifactStore] that any number of
// servers share. It is safe for concurrent use.
//
// What its access key needs is in the documentation of package generator/delivery.
// The room is the bucket's: a quota there is the limit.
type Artifacts struct{ store *Store }

var _ generator.ArtifactStore = (*Artifacts)(nil)

// NewArtifacts returns a store of files in a bucket. Nothing is connected to before
// the first call.
func NewArtifacts(opts Options) (*Artifacts, error) {
	s, err := New(opts)
	if err != nil {
		return nil, err
	}
	return &Artifacts{s}, nil
}

const (
	stampForm = "20060102T150405Z"
	// Metadata of an object.
	metaFilename = "X-Amz-Meta-Filename" // escaped: headers are ASCII
	metaSHA256   = "X-Amz-Meta-Sha256"
	metaCreated  = "X-Amz-Meta-Created"
)

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newID returns an id: when its time is over in seconds since 1970, and 256 random bits.
func newID(expires time.Time) string {
	var b [40]byte
	binary.BigEndian.PutUint64(b[:8], uint64(expires.Unix()))
	_, _ = rand.Read(b[8:]) // does not fail
	return encoding.EncodeToString(b[:])
}

// objectOf returns where the file of an id is, and when its time is over.
func (s *Artifacts) objectOf(id string) (key string, expires time.Time, ok bool) {
	var b [40]byte
	if len(id) != encoding.EncodedLen(len(b)) {
		return "", time.Time{}, false
	}
	if _, err := encoding.Decode(b[:], []byte(id)); err != nil {
		return "", time.Time{}, false
	}
	seconds := binary.BigEndian.Uint64(b[:8])
	if seconds > uint64(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) {
		return "", time.Time{}, false
	}
	expires = time.Unix(int64(seconds), 0).UTC()
	sum := sha256.Sum256([]byte(id))
	return s.store.opts.Prefix + expires.Format(stampForm) + "-" + hex.EncodeToString(sum[:]) + ".zip", expires, true
}

// Put stores a file. Its time is in whole seconds, at most [generator.MaxArtifactTTL].
func (s *Artifacts) Put(ctx context.Context, filename string, content []byte, ttl time.Duration) (string, generator.StoredArtifact, error) {
	doing := "storing " + failure.Words(filename)
	var none generator.StoredArtifact
	switch {
	case ttl <= 0 || ttl > generator.MaxArtifactTTL:
		return "", none, &failure.Error{Kind: failure.Invalid, Doing: doing, Why: fmt.Sprintf("it cannot be kept for %v", ttl), Next: "use a time of at most a year"}
	case len(content) > MaxArtifact:
		return "", none, &failure.Error{Kind: failure.TooLarge, Doing: doing, Why: fmt.Sprintf("it has %d bytes, and %d are kept at most", len(content), MaxArtifact), Next: "generate less at once, or use the output object_store"}
	}
	created := s.store.opts.Now().UTC().Truncate(time.Second)
	id := newID(created.Add(ttl))
	key, expires, _ := s.objectOf(id)
	sum := sha256.Sum256(content)
	a := generator.StoredArtifact{Filename: filename, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Created: created, Expires: expires}
	_, _, err := s.call(ctx, doing, request{method: http.MethodPut, key: key, body: content, header: map[string]string{
		"Content-Type": "application/zip", metaFilename: url.PathEscape(filename), metaSHA256: a.SHA256, metaCreated: created.Format(time.RFC3339),
	}})
	if err != nil {
		return "", none, err
	}
	return id, a, nil
}

// call sends a request with the credentials of now, and explains its failure.
func (s *Artifacts) call(ctx context.Context, doing string, r request) (http.Header, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.store.opts.Timeout)
	defer cancel()
	client, secrets, err := s.store.login(ctx, doing)
	if err != nil {
		return nil, nil, err
	}
	header, body, err := client.do(ctx, r)
	if err != nil {
		return nil, nil, s.store.explain(ctx, doing, err, secrets)
	}
	return header, body, nil
}

// Open returns a stored file, which it has read whole.
func (s *Artifacts) Open(ctx context.Context, id string) (generator.StoredArtifact, io.ReadSeekCloser, error) {
	const doing = "looking for the artifact"
	var none generator.StoredArtifact
	unknown := &failure.Error{Kind: failure.NotFound, Doing: doing, Why: "there is none under this link", Next: "check the link, or generate it again"}
	key, expires, ok := s.objectOf(id)
	over := s.store.opts.Now().Sub(expires)
	switch {
	case !ok || over > remember:
		return none, nil, unknown
	case over >= 0:
		return none, nil, &failure.Error{Kind: failure.Expired, Doing: doing, Why: "its link has expired at " + expires.Format(time.RFC3339), Next: "generate it again"}
	}
	header, body, err := s.call(ctx, doing, request{method: http.MethodGet, key: key})
	var refused *storeError
	if errors.As(err, &refused) && refused.Code == "NoSuchKey" {
		return none, nil, unknown
	}
	if err != nil {
		return none, nil, err
	}
	a := generator.StoredArtifact{Size: int64(len(body)), SHA256: header.Get(metaSHA256), Expires: expires}
	var bad [2]error
	a.Filename, bad[0] = url.PathUnescape(header.Get(metaFilename))
	a.Created, bad[1] = time.Parse(time.RFC3339, header.Get(metaCreated))
	if sum := sha256.Sum256(body); errors.Join(bad[:]...) != nil || a.Filename == "" || hex.EncodeToString(sum[:]) != a.SHA256 {
		return none, nil, &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "the object is not the one that was stored", Next: "generate it again, and look at who writes to the bucket", Err: errors.Join(bad[:]...)}
	}
	return a, closer{bytes.NewReader(body)}, nil
}

// closer is a reader with nothing to close.
type closer struct{ *bytes.Reader }

func (closer) Close() error { return nil }

// listing is a page of the objects in a bucket.
type listing struct {
	Contents []struct{ Key string }
	More     bool   `xml:"IsTruncated"`
	Next     string `xml:"NextContinuationToken"`
}

var ourObject = lazyregexp.New(`^([0-9]{8}T[0-9]{6}Z)-[0-9a-f]{64}\.zip$`)

// Sweep removes the files whose time is over. Servers may do it at the same time.
func (s *Artifacts) Sweep(ctx context.Context) (int, error) {
	const doing = "removing old downloads"
	prefix, now, removed := s.store.opts.Prefix, s.store.opts.Now(), 0
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	for {
		_, body, err := s.call(ctx, doing, request{method: http.MethodGet, query: query})
		if err != nil {
			return removed, err
		}
		var page listing
		if err := xml.Unmarshal(body, &page); err != nil || page.More && page.Next == query.Get("continuation-token") {
			return removed, &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "the list of objects in the bucket " + s.store.opts.Bucket + " cannot be read", Next: "check the endpoint", Err: err}
		}
		for _, o := range page.Contents {
			name, _ := strings.CutPrefix(o.Key, prefix)
			ours := ourObject().FindStringSubmatch(name)
			if ours == nil {
				continue
			}
			if expires, err := time.Parse(stampForm, ours[1]); err != nil || now.Before(expires) {
				continue
			}
			if _, _, err := s.call(ctx, doing, request{method: http.MethodDelete, key: o.Key}); err != nil {
				return removed, err
			}
			removed++
		}
		if !page.More {
			return removed, nil
		}
		query.Set("continuation-token", page.Next)
	}
}
