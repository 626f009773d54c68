package board

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

const (
	defaultPeriod = "30d"
	maxDays       = 366
	// measureTimeout bounds the reading of a period.
	measureTimeout = 25 * time.Second
)

// measuresKey is what measures were requested for.
type measuresKey struct {
	env    deploylog.Environment
	client erp.ID
	period time.Duration
}

// measuresResponse is the body of /api/deployments/measures.
type measuresResponse struct {
	From         time.Time            `json:"from"`
	To           time.Time            `json:"to"`
	Environments []deploylog.Measures `json:"environments"`
}

func (b *Board) getMeasures(ctx context.Context, _ *http.Request, q url.Values) (any, error) {
	var key measuresKey
	var err error
	if key.env, err = environment(q); err != nil {
		return nil, err
	}
	if key.client, err = clientID(q); err != nil {
		return nil, err
	}
	if key.period, err = period(q.Get("period")); err != nil {
		return nil, err
	}
	return b.measures.get(ctx, key, func(ctx context.Context) (measuresResponse, error) {
		if err := b.probe(ctx); err != nil { // it takes long, which is in vain when the ERP does not respond
			return measuresResponse{}, err
		}
		now := time.Now().UTC().Truncate(time.Second)
		a := measuresResponse{From: now.Add(-key.period), To: now}
		// What ends in this second counts, too.
		mq := deploylog.MeasureQuery{From: a.From, To: now.Add(time.Second), Environment: key.env, Client: key.client}
		var err error
		a.Environments, err = b.runs.Measure(ctx, mq)
		return a, err
	})
}

// period reads a number of hours or days, such as 24h or 30d.
func period(text string) (time.Duration, error) {
	text = cmp.Or(text, defaultPeriod)
	bad := invalidf("period is a number of hours or days, such as 24h or 30d, up to %dd", maxDays)
	unit := time.Hour
	digits, ok := strings.CutSuffix(text, "h")
	if !ok {
		unit = 24 * time.Hour
		if digits, ok = strings.CutSuffix(text, "d"); !ok {
			return 0, bad
		}
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if d := time.Duration(n) * unit; err == nil && n > 0 && d <= maxDays*24*time.Hour {
		return d, nil
	}
	return 0, bad
}
