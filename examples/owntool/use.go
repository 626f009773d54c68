package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// use calls tools as a client without a session does, and looks at /metrics.
func use(ctx context.Context, out io.Writer, address string) error {
	for _, call := range [][2]string{
		{"creditOf", `{"partner":"Joe Block"}`},
		{"creditOf", `{"partner":"Joe Blok"}`},
		{"queryMetric", `{"name":"drafts","by":["partner"],"top":3}`},
	} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"example","version":"1"},`+
			`"io.modelcontextprotocol/clientCapabilities":{}}}}`, call[0], call[1])
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/mcp", strings.NewReader(body))
		if err != nil {
			return err
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": call[0],
		} {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return err
		}
		text = text[max(0, strings.Index(string(text), "{")):] // an event has its name before it
		var response struct {
			Result struct {
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(text, &response); err != nil || len(response.Result.Content) == 0 {
			return fmt.Errorf("%s: %s: %s", call[0], res.Status, text)
		}
		fmt.Fprintln(out, call[0], response.Result.Content[0].Text)
	}
	res, err := http.Get(address + "/metrics")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), `tool="creditOf"`) {
			fmt.Fprintln(out, lines.Text())
		}
	}
	return nil
}
