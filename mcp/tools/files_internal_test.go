package tools

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
)

// Wherever files are kept: their owner finds them, nobody else does, and they do not
// fill the memory. The oldest of an owner go first, then the oldest of all.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	shared, err := redisstore.Open(testredis.Start(t).URL(), "")
	require.NoError(t, err)
	defer shared.Close()
	for name, f := range map[string]mcp.FileStore{"in memory": &memoryFiles{now: time.Now}, "in Redis": shared} {
		t.Run(name, func(t *testing.T) {
			data := make([]byte, 4<<20)
			var keys []string
			keep := func(owner string, data []byte) string {
				t.Helper()
				key := rand.Text()
				require.NoError(t, f.KeepFile(t.Context(), key, owner, mcp.File{MIMEType: "text/plain", Data: data}, time.Hour))
				keys = append(keys, key)
				return key
			}
			found := func(owner, key string) (mcp.File, bool) {
				t.Helper()
				file, ok, err := f.FindFile(t.Context(), key, owner)
				require.NoError(t, err)
				return file, ok
			}
			first := keep("one", []byte("\x00a file\xff"))
			file, ok := found("one", first)
			assert.True(t, ok)
			assert.Equal(t, mcp.File{MIMEType: "text/plain", Data: []byte("\x00a file\xff")}, file)

			var own []string
			for range 7 {
				own = append(own, keep("one", data))
			}
			for i, key := range own {
				_, ok := found("one", key)
				assert.Equal(t, i >= 2, ok, "20 MB of 4 MB each: file %d", i)
				_, ok = found("another", key)
				assert.False(t, ok)
			}
			for i := range 30 {
				keep(fmt.Sprint("caller ", i), data)
			}
			size := 0
			for i, key := range keys {
				owner := "one"
				if i > len(own) {
					owner = fmt.Sprint("caller ", i-len(own)-1)
				}
				file, _ := found(owner, key)
				size += len(file.Data)
			}
			assert.LessOrEqual(t, size, mcp.MaxAllFiles)
			assert.Greater(t, size, mcp.MaxAllFiles/2)
			_, ok = found("one", own[6])
			assert.False(t, ok, "others came after it")
			// What made room for others counts no more against its owner.
			small := keep("one", []byte("x"))
			_, ok = found("one", small)
			assert.True(t, ok)
			require.NoError(t, f.KeepFile(t.Context(), "short", "one", mcp.File{Data: []byte("x")}, time.Millisecond))
			require.Eventually(t, func() bool { _, ok := found("one", "short"); return !ok }, 10*time.Second, time.Millisecond)
		})
	}
}
