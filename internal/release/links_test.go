package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAbsoluteLinks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"document", "see [the guide](docs/guide.md#first), or", "see [the guide](https://github.com/erphub/erphub/blob/v1.2.3/docs/guide.md#first), or"},
		{"picture", "![board](docs/board.png)", "![board](https://github.com/erphub/erphub/raw/v1.2.3/docs/board.png)"},
		{"elsewhere", "[Go](https://go.dev/)", "[Go](https://go.dev/)"},
		{"within the page", "[below](#below)", "[below](#below)"},
		{"code in the text", "package [`erp`](erp)", "package [`erp`](https://github.com/erphub/erphub/blob/v1.2.3/erp)"},
		{"no link", "list[0](x", "list[0](x"},
	} {
		assert.Equal(t, tt.want, string(absoluteLinks([]byte(tt.text), "v1.2.3")), tt.name)
	}
}
