package httpserver_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// pair makes a certificate of that name and its key, in PEM.
func pair(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// A certificate that is replaced is used for new connections, while old ones go on;
// one that cannot be used changes nothing and is told once.
func TestCertificateIsReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put := func(name string, content []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(name+".new", content, 0o600))
		require.NoError(t, os.Rename(name+".new", name))
	}
	cert, key := pair(t, "first")
	put(certFile, cert)
	put(keyFile, key)
	var log syncbuffer.Buffer
	c, err := httpserver.LoadCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	srv := httpserver.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }), nil)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, c.Listener(ln)) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-served)
	})
	url := "https://" + ln.Addr().String() + "/x"
	connect := func(config *tls.Config) (client *http.Client, name func() string) {
		config.InsecureSkipVerify = true //nolint:gosec // made for this test
		transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
		t.Cleanup(transport.CloseIdleConnections)
		client = &http.Client{Transport: transport}
		return client, func() string {
			resp, err := client.Get(url) //nolint:noctx // ends with the server
			require.NoError(t, err)
			defer resp.Body.Close()
			proto, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, "HTTP/2.0", string(proto))
			return resp.TLS.PeerCertificates[0].Subject.CommonName
		}
	}
	fresh := func() string {
		_, name := connect(&tls.Config{})
		return name()
	}
	_, old := connect(&tls.Config{})
	assert.Equal(t, "first", old())

	cert, key = pair(t, "second")
	put(certFile, cert) // with the key of the first
	require.Eventually(t, func() bool {
		return assert.Equal(t, "first", fresh()) && bytes.Contains([]byte(log.String()), []byte("stays in use"))
	}, 20*time.Second, 50*time.Millisecond)
	put(keyFile, key)
	require.Eventually(t, func() bool { return fresh() == "second" }, 20*time.Second, 50*time.Millisecond)
	assert.Equal(t, "first", old(), "a connection goes on")
	require.NoError(t, os.Remove(keyFile))
	require.Eventually(t, func() bool {
		return fresh() == "second" && bytes.Contains([]byte(log.String()), []byte("no such file"))
	}, 20*time.Second, 50*time.Millisecond)
	assert.NotContains(t, log.String(), "PRIVATE KEY")

	client, _ := connect(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	_, err = client.Get(url) //nolint:bodyclose,noctx // there is no response
	assert.ErrorContains(t, err, "protocol version")
}

func TestCertificateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := pair(t, "one")
	_, other := pair(t, "other")
	for name, content := range map[string][]byte{"cert": cert, "key": key, "other": other, "text": []byte("text")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	for _, tt := range []struct{ name, cert, key, says string }{
		{"no file", "nowhere", "key", "nowhere"},
		{"no certificate", "text", "key", "PEM"},
		{"key of another", "cert", "other", "private key does not match"},
	} {
		_, err := httpserver.LoadCertificate(filepath.Join(dir, tt.cert), filepath.Join(dir, tt.key), nil)
		assert.ErrorContains(t, err, tt.says, tt.name)
	}
}
