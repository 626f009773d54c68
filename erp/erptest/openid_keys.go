package erptest

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"
)

// configurationURL is where the provider's configuration is.
func (p *OpenIDProvider) configurationURL() string {
	if p.ConfigurationURL != "" {
		return p.ConfigurationURL
	}
	return strings.TrimSuffix(p.Issuer, "/") + "/.well-known/openid-configuration"
}

// openIDClient gets configurations and keys.
var openIDClient = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}}

// getOpenID reads a JSON document of a provider.
func getOpenID(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return unauthorized("The address of the OpenID provider cannot be used")
	}
	res, err := openIDClient.Do(req)
	if err != nil {
		return unauthorized("The OpenID provider does not respond at " + address)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(into) != nil {
		return unauthorized("The response of the OpenID provider at " + address + " cannot be read")
	}
	return nil
}

// openIDKey is a key as a provider publishes it.
type openIDKey struct {
	ID      string `json:"kid"`
	Type    string `json:"kty"`
	Modulus string `json:"n"`
	E       string `json:"e"`
}

// openIDKeyOf gets the key of a provider that a token names.
func openIDKeyOf(ctx context.Context, p *OpenIDProvider, id string) (*rsa.PublicKey, error) {
	var configuration struct {
		Keys string `json:"jwks_uri"`
	}
	if err := getOpenID(ctx, p.configurationURL(), &configuration); err != nil {
		return nil, err
	}
	if configuration.Keys == "" {
		return nil, unauthorized("Configuration endpoint did not return jwks_uri")
	}
	var set struct {
		Keys []openIDKey `json:"keys"`
	}
	if err := getOpenID(ctx, configuration.Keys, &set); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(set.Keys, func(k openIDKey) bool { return k.ID == id && k.Type == "RSA" })
	if i < 0 {
		return nil, unauthorized("No key found in " + configuration.Keys + " with kid " + id)
	}
	n, err1 := base64.RawURLEncoding.DecodeString(set.Keys[i].Modulus)
	e, err2 := base64.RawURLEncoding.DecodeString(set.Keys[i].E)
	exponent := new(big.Int).SetBytes(e)
	if err1 != nil || err2 != nil || len(n) == 0 || !exponent.IsInt64() || exponent.BitLen() > 31 || exponent.Sign() == 0 {
		return nil, unauthorized("Invalid public key")
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}, nil
}
