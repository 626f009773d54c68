package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		code int
		out  string // a pattern
		err  string
	}{
		"story":             {nil, 0, `(?s)^1\. Start an embedded ERP\n.*XX_Deploy_Log with 26 columns.*one run: 12\.0\.3 to Production`, `^$`},
		"JSON":              {[]string{"--json"}, 0, `(?s)^\{\n.*"what": "Start an embedded ERP"`, `^$`},
		"help":              {[]string{"--help"}, 0, `^$`, `-listen address`},
		"no such flag":      {[]string{"--nothing"}, 2, `^$`, `flag provided but not defined: -nothing`},
		"arguments":         {[]string{"now"}, 2, `^$`, `takes no arguments, got "now"; see erphub-demo --help`},
		"address of no one": {[]string{"--listen", "203.0.113.1:80"}, 1, `^$`, `listening on 203\.0\.113\.1:80.*choose another address`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			assert.Equal(t, c.code, run(t.Context(), c.args, &out, &errs), "%s", &errs)
			assert.Regexp(t, c.out, out.String())
			assert.Regexp(t, c.err, errs.String())
		})
	}
}

// With --serve the ERP responds until the program is asked to end.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs syncbuffer.Buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"--serve"}, &out, &errs) }()
	require.Eventually(t, func() bool { return strings.Contains(errs.String(), "erphub add table") }, time.Minute, 5*time.Millisecond)
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(errs.String())
	resp, err := http.Post(url+"/api/v1/auth/tokens", "application/json", strings.NewReader(`{"userName":"SuperUser","password":"System"}`))
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusOK, resp.StatusCode, "%s", body)
	cancel()
	assert.Equal(t, 0, <-code, "%s", errs.String())
}
