package objectstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		endpoint, region, bucket, key string
		want                          string
	}{
		"Amazon":                    {"", "eu-central-1", "plugins", "a/b.zip", "https://plugins.s3.eu-central-1.amazonaws.com/a/b.zip"},
		"Amazon in China":           {"", "cn-north-1", "plugins", "a.zip", "https://plugins.s3.cn-north-1.amazonaws.com.cn/a.zip"},
		"a bucket with a dot":       {"", "us-east-1", "plug.ins", "a.zip", "https://s3.us-east-1.amazonaws.com/plug.ins/a.zip"},
		"another store":             {"http://127.0.0.1:9000", "us-east-1", "plugins", "a.zip", "http://127.0.0.1:9000/plugins/a.zip"},
		"another store with a path": {"https://store.example.com/s3/", "us-east-1", "plugins", "a.zip", "https://store.example.com/s3/plugins/a.zip"},
		"characters to escape":      {"http://127.0.0.1:9000", "us-east-1", "plugins", "a b+c/ö%/d&e=f#g?~.zip", "http://127.0.0.1:9000/plugins/a%20b%2Bc/%C3%B6%25/d%26e%3Df%23g%3F~.zip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := New(Options{Endpoint: c.endpoint, Region: c.region, Bucket: c.bucket, Credentials: Static("key", "secret")})
			require.NoError(t, err)
			assert.Equal(t, c.want, s.address(c.key).String())
		})
	}
}
