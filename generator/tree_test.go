package generator

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestTree(t *testing.T) {
	t.Parallel()
	var tree Tree
	require.NoError(t, tree.Add("b/c.txt", []byte("c")))
	require.NoError(t, tree.AddExecutable("mvnw", []byte("#!/bin/sh\n")))
	require.NoError(t, tree.Add("b/d/e.txt", nil))
	require.NoError(t, fstest.TestFS(&tree, "b/c.txt", "mvnw", "b/d/e.txt"))
	require.Equal(t, []string{"b/c.txt", "b/d/e.txt", "mvnw"}, tree.Names())

	var other Tree
	for i := tree.Len() - 1; i >= 0; i-- {
		f := tree.Files()[i]
		require.NoError(t, other.add(&f))
	}
	var one, two bytes.Buffer
	require.NoError(t, tree.Zip(&one, "top"))
	require.NoError(t, other.Zip(&two, "top"))
	require.Equal(t, one.Bytes(), two.Bytes())
}
