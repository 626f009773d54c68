package deploylog

import "github.com/erphub/erphub/dict"

// TableName is the table that deployment runs are kept in.
const TableName = "XX_Deploy_Log"

// Table is the definition of the deployment log: one row is one build or deploy
// run for one environment. Rows may belong to any tenant or to the system
// itself, because a build server may be logged in as either.
func Table() dict.Table {
	return dict.NewTable(TableName).
		WithLabel("Deployment Log").
		WithDescription("One build or deployment run for one environment").
		WithAccessLevel(dict.AccessAll).
		With(dict.Standard).
		Column(
			dict.Column{Name: "Environment", Type: dict.TypeList, Length: 10, Mandatory: true, Identifier: true, Selection: true,
				Reference: dict.List("XX_Deploy_Log Environment",
					dict.ListValue{Value: "PROD", Name: "Production"},
					dict.ListValue{Value: "STAGING", Name: "Staging"},
					dict.ListValue{Value: "DEV", Name: "Development"}),
				Description: "Where the run builds for or deploys to"},
			dict.Column{Name: "Status", Type: dict.TypeList, Length: 1, Mandatory: true, Selection: true, Default: "B",
				Reference: dict.List("XX_Deploy_Log Status",
					dict.ListValue{Value: "B", Name: "BUILDING", Description: "Artifacts are being built"},
					dict.ListValue{Value: "D", Name: "DEPLOYING", Description: "Deployment to the server is running"},
					dict.ListValue{Value: "S", Name: "SUCCESS", Description: "Completed successfully"},
					dict.ListValue{Value: "F", Name: "FAILED", Description: "Something went wrong"},
					dict.ListValue{Value: "R", Name: "ROLLED_BACK", Description: "Reverted to the previous version"}),
				Description: "State of the run"},
			dict.Column{Name: "Progress", Type: dict.TypeInteger, Length: 10, Min: "0", Max: "100",
				Description: "How far the run is, in percent"},
			dict.Column{Name: "CurrentStep", Type: dict.TypeString, Length: 255, Description: "What the run is doing"},
			dict.Column{Name: "Version", Type: dict.TypeString, Length: 40, Identifier: true, Selection: true,
				Description: "Version that is built or deployed"},
			dict.Column{Name: "VersionPrevious", Label: "Previous Version", Type: dict.TypeString, Length: 40,
				Description: "Version that was running before"},
			dict.Column{Name: "Components", Type: dict.TypeText, Description: "What is updated"},
			dict.Column{Name: "Changes", Type: dict.TypeText, Description: "Summary of what changed"},
			dict.Column{Name: "DateStarted", Type: dict.TypeDateTime, Selection: true, Description: "When the run began"},
			dict.Column{Name: "DateCompleted", Type: dict.TypeDateTime, Description: "When the run ended; empty while it is in progress"},
			dict.Column{Name: "Duration", Type: dict.TypeInteger, Length: 10, Description: "Length of the run in seconds"},
			dict.Column{Name: "ErrorMessage", Type: dict.TypeText, Description: "Why the run failed"},
			dict.Column{Name: "Ci_BuildNo", Label: "Build No", Type: dict.TypeString, Length: 50,
				Description: "Number of the build on the build server"},
			dict.Column{Name: "Ci_URL", Label: "Build URL", Type: dict.TypeURL, Description: "Link to the build"},
			dict.Column{Name: "Automation_JobID", Label: "Automation Job", Type: dict.TypeString, Length: 50,
				Description: "Job of the deployment automation"},
			dict.Column{Name: "Automation_URL", Label: "Automation URL", Type: dict.TypeURL, Description: "Link to that job"},
			dict.Column{Name: "DeployedBy", Type: dict.TypeString, Length: 100, Description: "User who triggered the run"},
		).
		Index(indexes()...)
}

// indexes are what the log's own questions need to stay fast in a long log:
// history, that of an environment or status, version running, runs in progress, changes, runs of a build.
func indexes() []dict.Index {
	return []dict.Index{
		{Name: "xx_deploy_log_started", Columns: []string{"DateStarted", "XX_Deploy_Log_ID"}},
		{Name: "xx_deploy_log_environment", Columns: []string{"Environment", "DateStarted"}},
		{Name: "xx_deploy_log_status", Columns: []string{"Status", "DateStarted"}},
		{Name: "xx_deploy_log_ended", Columns: []string{"Environment", "DateCompleted"}},
		{Name: "xx_deploy_log_open", Columns: []string{"DateCompleted", "DateStarted"}},
		{Name: "xx_deploy_log_updated", Columns: []string{"Updated"}},
		{Name: "xx_deploy_log_build", Columns: []string{"Ci_BuildNo", "Environment"}},
	}
}
