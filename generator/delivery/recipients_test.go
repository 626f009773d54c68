package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/internal/failure"
)

// Mails go to whom the settings name, without a list to the sender's domain, and
// to everybody only where the user made the settings.
func TestRecipients(t *testing.T) {
	t.Parallel()
	const from, list = delivery.KeyFrom, delivery.KeyRecipients
	tests := []struct {
		name     string
		settings map[string]string
		any      bool
		to       string
		want     failure.Kind // "" when it may be sent
	}{
		{"sender's domain", map[string]string{from: "Hub <hub@example.com>"}, false, "dev@example.com", ""},
		{"another domain", map[string]string{from: "hub@example.com"}, false, "dev@example.org", failure.Invalid},
		{"below the sender's domain", map[string]string{from: "hub@example.com"}, false, "dev@mail.example.com", failure.Invalid},
		{"a name that ends like it", map[string]string{from: "hub@example.com"}, false, "dev@badexample.com", failure.Invalid},
		{"no domain to go by", nil, false, "dev@localhost", failure.NotConfigured},
		{"at a terminal", nil, true, "dev@example.org", ""},
		{"a list at a terminal", map[string]string{list: "example.com"}, true, "dev@example.org", failure.Invalid},
		{"an address", map[string]string{list: "qa@example.net, dev@example.org"}, false, "Dev@Example.org", ""},
		{"another of its domain", map[string]string{list: "dev@example.org"}, false, "boss@example.org", failure.Invalid},
		{"the list is all", map[string]string{from: "hub@example.com", list: "example.org"}, false, "dev@example.com", failure.Invalid},
		{"below a domain", map[string]string{list: ".example.org"}, false, "dev@a.b.example.org", ""},
		{"not the domain itself", map[string]string{list: ".example.org"}, false, "dev@example.org", failure.Invalid},
		{"everybody", map[string]string{list: "*"}, false, "dev@example.org", ""},
		{"another domain within the name", map[string]string{list: "example.com"}, false, "dev%example.org@example.com", failure.Invalid},
		{"a path within the name", map[string]string{list: "example.com"}, false, "example.org!dev@example.com", failure.Invalid},
		{"two addresses", map[string]string{list: "example.com"}, false, "dev@example.com,x@example.org", failure.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.settings = merge(map[string]string{delivery.KeySMTPHost: "smtp.example.com"}, tt.settings)
			_, made, err := open(t, delivery.Options{Setting: of(tt.settings), AnyRecipient: tt.any}).Choose(t.Context(), "email", tt.to)
			if tt.want == "" {
				require.NoError(t, err)
				assert.NotNil(t, made)
				return
			}
			require.ErrorIs(t, err, tt.want)
			assert.Nil(t, made)
		})
	}
	for _, text := range []string{"@example.com", "exa mple.com\x00", "http://example.com", "a@b@c", "example.com;example.org", "*.example.com", "."} {
		_, err := delivery.New(delivery.Options{Setting: of(map[string]string{list: text})})
		require.ErrorIs(t, err, failure.NotConfigured, text)
		require.ErrorContains(t, err, "ERPHUB_EMAIL_RECIPIENTS")
	}
}

func merge(all ...map[string]string) map[string]string {
	merged := map[string]string{}
	for _, m := range all {
		for k, v := range m {
			merged[k] = v
		}
	}
	return merged
}
