package testsmtp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// Certificate is a certificate with its key, and a pool that trusts it.
type Certificate struct {
	Cert, Key []byte // PEM
	TLS       tls.Certificate
	Roots     *x509.CertPool
}

// NewCertificate makes a certificate for the names, or for this machine's
// loopback names when there are none.
func NewCertificate(t testing.TB, end time.Time, names ...string) *Certificate {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatalf("make a certificate: %v", err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: end.Add(-48 * time.Hour), NotAfter: end,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if len(names) > 0 {
		template.DNSNames, template.IPAddresses = names, nil
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	c := &Certificate{
		Cert:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:   pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
		Roots: x509.NewCertPool(),
	}
	c.TLS, err = tls.X509KeyPair(c.Cert, c.Key)
	must(err)
	c.Roots.AppendCertsFromPEM(c.Cert)
	return c
}
