package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/erphub/erphub/generator/httpapi"
)

// use is a client of the service: it has a model class made of a table of the ERP, and
// downloads the plugin.
func use(ctx context.Context, out io.Writer, address, token string) error {
	body := `{"artifactId":"com.example.sales","generator":"model","options":{"tables":["C_UOM"]}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+httpapi.GeneratePrefix+"/plugin", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "sales-1") // a retry gets the same link
	text, err := do(req)
	if err != nil {
		return err
	}
	var receipt struct {
		Filename    string `json:"filename"`
		DownloadURL string `json:"download_url"`
	}
	if err := json.Unmarshal(text, &receipt); err != nil {
		return err
	}
	req, err = http.NewRequestWithContext(ctx, http.MethodGet, receipt.DownloadURL, nil) // needs no token: the link is a secret
	if err != nil {
		return err
	}
	content, err := do(req)
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d files, among them\n", receipt.Filename, len(archive.File))
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, ".java") {
			fmt.Fprintln(out, " ", f.Name)
		}
	}
	return nil
}

func do(req *http.Request) ([]byte, error) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", req.Method, req.URL.Path, res.Status, text)
	}
	return text, err
}
