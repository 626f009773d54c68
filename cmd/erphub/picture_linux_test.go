package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/erphub/erphub/internal/testkit/picture"
)

// The picture of a terminal in the documents is what these commands print now:
// go test ./cmd/erphub -run TestPictureOfATerminal -update.
func TestPictureOfATerminal(t *testing.T) {
	t.Parallel()
	env, url, work := recordingHome(t)
	env = append(env, "ERPHUB_PROFILE=garden")
	var steps []picture.Step
	for _, command := range []string{
		`erphub record list C_Order --filter "DocStatus eq 'CO'" --orderby "DateOrdered desc" --top 4`,
		`erphub record update C_BPartner JoeBlock SO_CreditLimit=7500 --dry-run`,
		`erphub --profile system add column C_Order XX_Note --type String --length 40 --field`,
		`erphub record update C_Order DocumentNo=80031 XX_Note="call before delivery"`,
		`erphub metrics query revenue --by partner --top 3`,
	} {
		steps = append(steps, picture.Step{Kind: picture.Command, Text: command})
		if printed := recorded(t, work, env, url, command); printed != "" {
			steps = append(steps, picture.Step{Kind: picture.Output, Text: strings.Trim(printed, "\n")})
		}
	}
	drawn := picture.Draw("A terminal: orders are listed, a change is tried, a column is added to a table of the ERP and filled, revenue by customer", 100, steps)
	picture.Check(t, filepath.Join("..", "..", "docs", "images", "terminal.svg"), drawn, *update)
}
