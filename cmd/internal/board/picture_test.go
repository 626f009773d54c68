package board_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
)

var update = flag.Bool("update", false, "write docs/images/board.png")

// The picture of the board in the documents is a page of a real board on an embedded
// ERP: go test ./cmd/internal/board -run TestPicture -update.
func TestPicture(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "images", "board.png")
	if !*update {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(150<<10), "a page loads it each time")
		return
	}
	w := start(t)
	record(t, w.log)
	run, err := w.log.Start(t.Context(), deploylog.NewRun{
		Environment: deploylog.Production, Version: "12.0.4", BuildNo: "118", BuildURL: "https://ci.example.com/erp/118",
		DeployedBy: "anna", At: time.Now().Add(-14 * time.Minute), Components: "org.example.shipping 1.4.0, org.example.labels 2.0.1", Changes: "SHIP-21 new carrier",
	})
	require.NoError(t, err)
	progress := 65
	_, err = w.log.Update(t.Context(), run.ID, deploylog.Update{
		Status: deploylog.Deploying, At: time.Now().Add(-3 * time.Minute), CurrentStep: ptr("copying plugins"), Progress: &progress})
	require.NoError(t, err)

	b := testbrowser.New(t)
	b.Viewport(1200, 776)
	b.Open(w.url + "/deployments")
	b.Shows("#link", "live")
	b.Shows(prod+" .step", "copying plugins")
	b.Shows("#measures", "per month")
	b.Until("document.querySelectorAll('#timeline .mark').length === 12")
	png := b.Picture()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, png, 0o644))
}
