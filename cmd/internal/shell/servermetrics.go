package shell

import (
	"time"

	"github.com/erphub/erphub/tokens"
)

// FuncMetrics is where numbers are shown that are asked for when somebody looks.
type FuncMetrics interface {
	GaugeFunc(name, help string, value func() float64)
	CounterFunc(name, help string, value func() float64)
}

// TokenMetrics shows how often this run's own login was made and refreshed.
func (sh *Shell) TokenMetrics(m FuncMetrics) {
	for _, n := range []struct {
		name, help string
		of         func(tokens.Counts) int64
	}{
		{"erp_token_refreshes_total", "Refreshes of the server's own token that brought a new one.", func(c tokens.Counts) int64 { return c.Refreshes }},
		{"erp_token_refreshes_failed_total", "Refreshes of the server's own token that did not.", func(c tokens.Counts) int64 { return c.RefreshesFailed }},
		{"erp_logins_total", "Logins of the server itself.", func(c tokens.Counts) int64 { return c.Logins }},
		{"erp_logins_failed_total", "Logins of the server itself that failed.", func(c tokens.Counts) int64 { return c.LoginsFailed }},
	} {
		m.CounterFunc(n.name, n.help, func() float64 { return float64(n.of(sh.refreshes.counts())) })
	}
}

// DictionaryMetric shows when the dictionary was last right; the zero time is
// shown as 0.
func DictionaryMetric(m FuncMetrics, checked func() time.Time) {
	m.GaugeFunc("dictionary_checked_timestamp_seconds", "When the ERP's dictionary was last read, or compared without an error, in Unix seconds; 0: not yet.", func() float64 {
		at := checked()
		if at.IsZero() {
			return 0
		}
		return float64(at.UnixMilli()) / 1000
	})
}
