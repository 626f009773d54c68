package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// twinIn describes the twin in a folder, nil when there is none.
func twinIn(ctx context.Context, dir string) (*twin.Info, error) {
	path := twin.InFolder(dir)
	if _, err := os.Stat(path); err != nil {
		return nil, nil // opening it says what is wrong
	}
	info, err := twin.Inspect(ctx, path)
	if errors.Is(err, twin.ErrVersion) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return info, nil
}

// talkToTwin says whose twin is served and who logs in to it.
func talkToTwin(url string, info *twin.Info) string {
	var b strings.Builder
	masked := "masked"
	if !info.Masked {
		masked = "not masked"
	}
	fmt.Fprintf(&b, "a twin of %s of %s, %s; its users log in with the password that sandbox clone printed:\n",
		shell.Printable(info.Origin), info.Made.Local().Format(time.DateTime), masked)
	for _, l := range info.Report.Logins {
		fmt.Fprintf(&b, "  ERP_URL=%s ERP_CLIENT_ID=%d ERP_ROLE_ID=%d ERP_USERNAME='%s'\n", url, l.Client, l.Role, shell.Printable(l.User))
	}
	return b.String()
}
