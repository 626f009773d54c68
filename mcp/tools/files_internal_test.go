package tools

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Files do not fill the memory: the oldest of a caller go first, then the oldest of
// all.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	f := &files{now: time.Now}
	data := make([]byte, 4<<20)
	keep := func(owner string) string { return f.keep(&madeFile{owner: owner, name: "x", data: data}) }
	var own []string
	for range 7 {
		own = append(own, keep("one"))
	}
	for i, key := range own {
		assert.Equal(t, i >= 2, f.find("one", key) != nil, "20 MB of 4 MB each: file %d", i)
		assert.Nil(t, f.find("another", key))
	}
	for i := range 30 {
		keep(fmt.Sprint("caller ", i))
	}
	size := 0
	for _, file := range f.kept {
		size += len(file.data)
	}
	assert.LessOrEqual(t, size, allFiles)
	assert.Nil(t, f.find("one", own[6]), "others came after it")
}
