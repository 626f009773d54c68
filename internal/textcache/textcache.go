// Package textcache makes equal texts share their memory, without the cost of a
// map that knows all of them: it forgets.
package textcache

import "hash/maphash"

// size is how many texts are known, a power of two. It is more than the texts of
// a dictionary that are there often.
const size = 1 << 14

// Cache knows texts that were there lately. It is not safe for concurrent use.
type Cache struct {
	seed  maphash.Seed
	texts []string
}

// New makes an empty cache, of a quarter of a megabyte.
func New() *Cache { return &Cache{seed: maphash.MakeSeed(), texts: make([]string, size)} }

// String is s, or a text that is equal to it.
func (c *Cache) String(s string) string {
	if s == "" || unique(s) {
		return s
	}
	known := &c.texts[maphash.String(c.seed, s)%size]
	if *known != s {
		*known = s
	}
	return *known
}

// Bytes is b as a text; it allocates when that is not known.
func (c *Cache) Bytes(b []byte) string {
	if len(b) == 0 || unique(b) {
		return string(b)
	}
	known := &c.texts[maphash.Bytes(c.seed, b)%size]
	if *known != string(b) {
		*known = string(b)
	}
	return *known
}

// unique reports whether a text looks like a UUID, which is there once.
func unique[T string | []byte](s T) bool { return len(s) == 36 && s[8] == '-' && s[23] == '-' }
