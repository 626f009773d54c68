package textcache_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/textcache"
)

// Whatever is forgotten, a text stays what it was.
func TestTextsStayTheSame(t *testing.T) {
	t.Parallel()
	c := textcache.New()
	for i := range 60_000 {
		want := fmt.Sprintf("Text %d", i%40_000)
		if text, same := c.String(want), c.Bytes([]byte(want)); text != want || same != want {
			t.Fatalf("got %q and %q, want %q", text, same, want)
		}
	}
	assert.Empty(t, c.String(""))
	assert.Empty(t, c.Bytes(nil))
	assert.Equal(t, "c0d26ad1-0b3c-4a8e-8a3e-000000000001", c.Bytes([]byte("c0d26ad1-0b3c-4a8e-8a3e-000000000001")))
}

// Equal texts share their memory, and bytes may change afterwards.
func TestTextsAreShared(t *testing.T) {
	t.Parallel()
	c := textcache.New()
	first, bytes := c.String(strings.Clone("Description")), []byte("Description")
	second := c.Bytes(bytes)
	bytes[0] = 'X'
	assert.Equal(t, "Description", second)
	assert.Same(t, unsafe.StringData(first), unsafe.StringData(second))
}
