package toolserver

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector sends spans to an OpenTelemetry collector as protobuf over HTTP. The
// library's own exporter for this links gRPC and its gateway, a hundred packages.
type collector struct {
	http    *retryablehttp.Client
	url     string
	headers http.Header
	gzip    bool
}

// collectorSettings reads the variables of the OTLP exporter's specification. The form
// for traces wins.
type collectorSettings func(string) string

func (s collectorSettings) get(name string) string {
	return cmp.Or(s("OTEL_EXPORTER_OTLP_TRACES_"+name), s("OTEL_EXPORTER_OTLP_"+name))
}

// client fails if a variable has a value that it cannot follow.
func (s collectorSettings) client() (*collector, error) {
	if p := cmp.Or(s.get("PROTOCOL"), "http/protobuf"); p != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q; traces are sent by http/protobuf only", p)
	}
	target := s("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if target == "" {
		target = strings.TrimRight(s("OTEL_EXPORTER_OTLP_ENDPOINT"), "/") + "/v1/traces"
	}
	if u, err := url.Parse(target); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not an address that begins with http:// or https://")
	}
	headers, err := traceHeaders(s.get("HEADERS"))
	if err != nil {
		return nil, err
	}
	limit, err := strconv.Atoi(cmp.Or(s.get("TIMEOUT"), "10000"))
	if err != nil || limit <= 0 {
		return nil, errors.New("OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds above zero")
	}
	compression := cmp.Or(s.get("COMPRESSION"), "none")
	if compression != "none" && compression != "gzip" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q; it can be gzip or none", compression)
	}
	trust, err := s.tls()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	retries := retryablehttp.NewClient() // waits as a 429 or 503 says
	retries.Logger, retries.HTTPClient = nil, &http.Client{Transport: transport, Timeout: time.Duration(limit) * time.Millisecond}
	return &collector{http: retries, url: target, headers: headers, gzip: compression == "gzip"}, nil
}

// traceHeaders reads name=value pairs with commas between them; values are escaped
// like those of addresses.
func traceHeaders(list string) (http.Header, error) {
	headers := http.Header{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil { // neither is shown: a value is often a key
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value pairs with commas between them")
		}
		headers.Set(strings.TrimSpace(name), value)
	}
	return headers, nil
}

// tls is how the collector is trusted, and how it trusts this program.
func (s collectorSettings) tls() (*tls.Config, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := s.get("CERTIFICATE"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s holds no certificate in PEM form", file)
		}
	}
	if file := s.get("CLIENT_CERTIFICATE"); file != "" {
		pair, err := tls.LoadX509KeyPair(file, s.get("CLIENT_KEY"))
		if err != nil {
			return nil, fmt.Errorf("reading OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and _CLIENT_KEY: %w", err)
		}
		trust.Certificates = []tls.Certificate{pair}
	}
	return trust, nil
}

func (c *collector) Start(context.Context) error { return nil }

func (c *collector) Stop(context.Context) error {
	c.http.HTTPClient.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans in one request. What a collector is asked to store has the
// same form on the wire as the traces it holds.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if c.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, c.url, body)
	if err != nil {
		return err
	}
	req.Header = c.headers.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16)) // so that the connection is used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", res.Status)
	}
	return nil
}
