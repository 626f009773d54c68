package deploylog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp/erptest"
)

// A search finds the runs that have all its words, whatever characters they
// consist of, and no others.
func TestHistorySearch(t *testing.T) {
	t.Parallel()
	clock := newClock()
	_, client := start(t, erptest.Options{Clock: clock.Now})
	log := deploylog.New(client, &deploylog.Options{Clock: clock})
	for _, n := range []deploylog.NewRun{
		{Environment: deploylog.Production, Version: "12.0.3", Components: "org.example.shipping 1.4", Changes: "SHIP-12 Labels in three languages", DeployedBy: "Anna O'Hara"},
		{Environment: deploylog.Staging, Version: "12.0.4", Components: "org.example.sales_core", Changes: "discount of 5% (retail)", DeployedBy: "Jörg"},
		{Environment: deploylog.Development, Version: "12.0.5", Components: "org.example.salesXcore", Changes: `path C:\erp`, DeployedBy: "Anna Ohara", CurrentStep: "compiling", BuildNo: "b4711"},
	} {
		_, err := log.Start(t.Context(), n)
		require.NoError(t, err)
		clock.advance(time.Minute)
	}
	for name, tt := range map[string]struct {
		search string
		want   []string
	}{
		"nothing":             {"  ", []string{"12.0.5", "12.0.4", "12.0.3"}},
		"version":             {"12.0.4", []string{"12.0.4"}},
		"component":           {"org.example.SHIPPING", []string{"12.0.3"}},
		"text of the changes": {"labels", []string{"12.0.3"}},
		"all words":           {"anna ship-12", []string{"12.0.3"}},
		"words of two runs":   {"anna discount", nil},
		"by whom":             {"jörg", []string{"12.0.4"}},
		"capital umlaut":      {"JÖRG", []string{"12.0.4"}},
		"environment by name": {"produc", []string{"12.0.3"}},
		"environment by code": {"dev", []string{"12.0.5"}},
		"status":              {"building anna", []string{"12.0.5", "12.0.3"}},
		"step and build":      {"compiling b4711", []string{"12.0.5"}},
		"quote":               {"o'hara", []string{"12.0.3"}},
		"underscore":          {"sales_core", []string{"12.0.4"}},
		"percent sign":        {"5%", []string{"12.0.4"}},
		"only a wildcard":     {"%", []string{"12.0.4"}},
		"parentheses":         {"(retail)", []string{"12.0.4"}},
		"backslash":           {`c:\erp`, []string{"12.0.5"}},
		"quote and or":        {"' or 1=1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{0, 1} {
				var got []string
				for run, err := range log.History(t.Context(), deploylog.HistoryQuery{Search: tt.search, PageSize: size}) {
					require.NoError(t, err)
					got = append(got, run.Version)
				}
				assert.Equal(t, tt.want, got, "pages of %d", size)
			}
		})
	}
	page, err := log.HistoryPage(t.Context(), deploylog.HistoryQuery{Search: "sales_core"}, "")
	require.NoError(t, err)
	assert.Equal(t, -1, page.Total, "the server counts another run, too")
	for _, bad := range []string{strings.Repeat("x", 101), "a b c d e f g h i", "a\x00b", "a\xffb"} {
		_, err := log.HistoryPage(t.Context(), deploylog.HistoryQuery{Search: bad}, "")
		require.ErrorIs(t, err, deploylog.ErrInvalid, "%q", bad)
	}
}
