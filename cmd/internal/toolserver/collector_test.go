package toolserver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCollectorSettings(t *testing.T) {
	t.Parallel()
	noPEM := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(noPEM, []byte("no certificate"), 0o600))
	for name, tc := range map[string]struct {
		set       map[string]string // after OTEL_EXPORTER_OTLP_
		url, fail string
	}{
		"an address":                    {map[string]string{"ENDPOINT": "http://c:4318"}, "http://c:4318/v1/traces", ""},
		"a path is kept":                {map[string]string{"ENDPOINT": "https://c/in/"}, "https://c/in/v1/traces", ""},
		"that of traces as it is":       {map[string]string{"ENDPOINT": "http://c", "TRACES_ENDPOINT": "http://d/x"}, "http://d/x", ""},
		"no scheme":                     {map[string]string{"ENDPOINT": "c:4318"}, "", "begins with http:// or https://"},
		"gRPC":                          {map[string]string{"ENDPOINT": "http://c", "PROTOCOL": "grpc"}, "", `is "grpc"`},
		"an unknown compression":        {map[string]string{"ENDPOINT": "http://c", "TRACES_COMPRESSION": "zip"}, "", "gzip or none"},
		"a limit in words":              {map[string]string{"ENDPOINT": "http://c", "TIMEOUT": "10s"}, "", "number of milliseconds"},
		"a secret without its name":     {map[string]string{"ENDPOINT": "http://c", "HEADERS": "hush"}, "", "name=value"},
		"a file that is not there":      {map[string]string{"ENDPOINT": "http://c", "CERTIFICATE": noPEM + "x"}, "", "OTLP_CERTIFICATE"},
		"a file without a certificate":  {map[string]string{"ENDPOINT": "http://c", "CERTIFICATE": noPEM}, "", "no certificate in PEM"},
		"a certificate without its key": {map[string]string{"ENDPOINT": "http://c", "CLIENT_CERTIFICATE": noPEM}, "", "CLIENT_CERTIFICATE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := collectorSettings(func(v string) string { return tc.set[v[len("OTEL_EXPORTER_OTLP_"):]] })
			c, err := settings.client()
			if tc.fail != "" {
				require.ErrorContains(t, err, tc.fail)
				assert.NotContains(t, err.Error(), "hush")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.url, c.url)
		})
	}
}
