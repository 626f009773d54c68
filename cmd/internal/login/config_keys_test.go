package login

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/internal/config"
)

// What deliveries read can be set by `erphub config`, and means the same there.
func TestConfigKnowsDeliveries(t *testing.T) {
	keys := config.Keys()
	for _, want := range delivery.Keys() {
		i := slices.IndexFunc(keys, func(k config.Key) bool { return k.Name == want.Name })
		if !assert.GreaterOrEqual(t, i, 0, want.Name) {
			continue
		}
		got := keys[i]
		assert.Equal(t, want, delivery.Key{Name: got.Name, Env: got.Env, Default: got.Default, Secret: got.Secret, About: got.About})
	}
}

// The modes that `erphub config` takes are those there are.
func TestConfigKnowsModes(t *testing.T) {
	k, ok := config.Lookup(delivery.KeyMode)
	assert.True(t, ok)
	var modes []string
	for _, m := range generator.Modes() {
		modes = append(modes, string(m))
	}
	assert.Equal(t, modes, k.Values)
}
