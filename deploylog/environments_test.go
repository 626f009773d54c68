package deploylog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// addEnvironment adds an entry to the ERP's list, as an administrator does in the
// window Reference.
func addEnvironment(t *testing.T, srv *erptest.Server, code, name string) {
	t.Helper()
	system := connect(t, srv, "SuperUser", 0, 0, 0)
	list, err := system.Query(t.Context(), "AD_Reference", &erp.Query{Filter: erp.Eq("Name", deploylog.EnvironmentList)})
	require.NoError(t, err)
	require.Len(t, list.Records, 1)
	_, err = system.Create(t.Context(), "AD_Ref_List", map[string]any{"AD_Reference_ID": list.Records[0].ID(), "Value": code, "Name": name, "EntityType": "U"})
	require.NoError(t, err)
}

// Whoever adds an entry to the ERP's list has one more environment, everywhere.
func TestEnvironmentsOfTheList(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	ctx := t.Context()
	_, err := log.Start(ctx, deploylog.NewRun{Environment: "QA"})
	require.ErrorIs(t, err, deploylog.ErrInvalid)
	require.ErrorContains(t, err, `there is no environment "QA"; the list "XX_Deploy_Log Environment" of the ERP has PROD, STAGING, DEV`)

	addEnvironment(t, srv, "QA", "Quality Assurance")
	_, err = log.Start(ctx, deploylog.NewRun{Environment: "QA"})
	require.ErrorIs(t, err, deploylog.ErrInvalid, "the list was read a moment ago")
	clock.advance(time.Minute)
	all, err := log.Environments(ctx)
	require.NoError(t, err)
	assert.Equal(t, []deploylog.NamedEnvironment{
		{Environment: "PROD", Name: "Production"}, {Environment: "STAGING", Name: "Staging"},
		{Environment: "DEV", Name: "Development"}, {Environment: "QA", Name: "Quality Assurance"},
	}, all)

	for _, name := range []deploylog.Environment{"QA", "qa", "quality assurance"} {
		t.Run(string(name), func(t *testing.T) {
			run, err := log.Start(ctx, deploylog.NewRun{Environment: name, Version: "1", BuildNo: "7"})
			require.NoError(t, err)
			assert.Equal(t, deploylog.Environment("QA"), run.Environment)
		})
	}
	page, err := log.HistoryPage(ctx, deploylog.HistoryQuery{Environment: "qa"}, "")
	require.NoError(t, err)
	require.Len(t, page.Runs, 1, "a build is recorded once, however its environment is called")
	run, err := log.Update(ctx, page.Runs[0].ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	_, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)

	clock.advance(time.Minute)
	page, err = log.HistoryPage(ctx, deploylog.HistoryQuery{Search: "quality"}, "")
	require.NoError(t, err)
	assert.Len(t, page.Runs, 1)
	status, err := log.Status(ctx, deploylog.StatusQuery{})
	require.NoError(t, err)
	require.Len(t, status, 4)
	assert.Equal(t, "1", status[3].Running)
	measures, err := log.Measure(ctx, deploylog.MeasureQuery{From: clock.Now().Add(-time.Hour), Environment: "QA"})
	require.NoError(t, err)
	require.Len(t, measures, 1)
	assert.Equal(t, 1, measures[0].Deployments)
	compared, err := log.Compare(ctx, deploylog.CompareQuery{To: "PROD", From: "quality assurance"})
	require.NoError(t, err)
	require.Len(t, compared, 1)
	assert.Equal(t, deploylog.Environment("QA"), compared[0].From.Environment)
	_, err = log.Compare(ctx, deploylog.CompareQuery{To: "QA", From: "qa"})
	require.ErrorIs(t, err, deploylog.ErrInvalid)
}

// Where the ERP does not show the list, the environments are those that the table
// comes with. Where it is away, nobody guesses.
func TestEnvironmentsWithoutAList(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	for name, c := range map[string]struct {
		status  int
		refused bool
	}{
		"not installed": {404, false},
		"no access":     {403, false},
		"broken":        {500, true},
	} {
		t.Run(name, func(t *testing.T) {
			srv.Faults().Reset()
			srv.Faults().On(erptest.Match{Path: "/reference/..."}, erptest.Fail(c.status))
			list, err := deploylog.New(client, nil).Environments(t.Context())
			if c.refused {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Len(t, list, 3)
		})
	}
}

func TestParseEnvironment(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]deploylog.Environment{
		"prod": deploylog.Production, " Staging ": deploylog.Staging, "development": deploylog.Development, "QA": "QA",
		"": "", "\x1b[2J": "", "a name that is longer than any list of the ERP would take for one": "",
	} {
		got, err := deploylog.ParseEnvironment(name)
		assert.Equal(t, want, got, name)
		assert.Equal(t, want == "", err != nil, name)
	}
}
