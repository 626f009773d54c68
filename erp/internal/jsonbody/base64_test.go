package jsonbody

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBase64(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 3, 4, chunk - 1, chunk, chunk + 1, 2*chunk + 5} {
		data := bytes.Repeat([]byte("\x00\xffabc"), size/5+1)[:size]
		body := Base64{Head: `{"data":"`, Data: bytes.NewReader(data), Size: int64(size), Tail: `","overwrite":true}`}
		for range 2 { // it can be opened again
			r, err := body.Open()
			require.NoError(t, err)
			text, err := io.ReadAll(iotest.HalfReader(r))
			require.NoError(t, err)
			assert.EqualValues(t, body.Length(), len(text))
			var got struct {
				Data      []byte
				Overwrite bool
			}
			require.NoError(t, json.Unmarshal(text, &got))
			assert.True(t, bytes.Equal(data, got.Data), "size %d", size)
			assert.True(t, got.Overwrite)
		}
	}
}

func TestBase64ShortFile(t *testing.T) {
	t.Parallel()
	body := Base64{Data: bytes.NewReader([]byte("abc")), Size: 5}
	r, err := body.Open()
	require.NoError(t, err)
	_, err = io.ReadAll(r)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
