//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/erp/erptest"
)

// pipelineJob is what is run of a job: of GitHub its steps, of GitLab its scripts.
type pipelineJob struct {
	Steps       []struct{ If, Run string }
	Script      []string
	AfterScript []string `yaml:"after_script"`
}

// pipelines are the example pipelines: their jobs in the order in which a build server
// starts them.
var pipelines = []struct {
	file   string
	jobs   []string
	notRun map[string]string // other jobs, with the reason
	// commands of others that a job calls, and what they do here
	commands map[string]string
	env      []string
	fails    bool     // the script deploy.sh does
	left     []string // files that must have been written
	holds    string   // what the ERP must have one of afterwards
}{
	{
		file: "dictcode/github.yml", jobs: []string{"review", "apply", "drift"},
		notRun:   map[string]string{"twin": "TestDocuments clones", "rehearse": "TestDocuments rehearses"},
		commands: map[string]string{"gh": `[ "$1 $2 $3" = "pr comment 7" ] && cp "$5" commented`},
		env:      []string{"NUMBER=7"},
		left:     []string{"commented", "summary"},
		holds:    "AD_Table WHERE TableName = 'XX_Machine'",
	},
	{
		file: "dictcode/gitlab.yml", jobs: []string{"review", "apply", "drift"},
		commands: map[string]string{"curl": `case "$*" in *"--data-urlencode body@comment.md https://gitlab.example.com/api/v4/projects/3/merge_requests/7/notes") cp comment.md commented;; *) exit 1;; esac`},
		env:      []string{"CI_API_V4_URL=https://gitlab.example.com/api/v4", "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7", "COMMENT_TOKEN=x"},
		left:     []string{"commented"},
		holds:    "AD_Table WHERE TableName = 'XX_Machine'",
	},
	{file: "ci-github/deploy.yml", jobs: []string{"deploy"}, commands: ownScripts, env: onGitHub, holds: "XX_Deploy_Log WHERE Status = 'S'"},
	{file: "ci-github/deploy.yml", jobs: []string{"deploy"}, commands: ownScripts, env: onGitHub, fails: true, holds: "XX_Deploy_Log WHERE Status = 'F'"},
	{file: "ci-gitlab/.gitlab-ci.yml", jobs: []string{"build", "deploy"}, commands: ownScripts, env: onGitLab, holds: "XX_Deploy_Log WHERE Status = 'S'"},
	{file: "ci-gitlab/.gitlab-ci.yml", jobs: []string{"build", "deploy"}, commands: ownScripts, env: onGitLab, fails: true, holds: "XX_Deploy_Log WHERE Status = 'F'"},
}

// What build servers tell jobs.
var (
	onGitHub = []string{"GITHUB_ACTIONS=true", "GITHUB_REF_NAME=v1.2.3", "GITHUB_REPOSITORY=acme/plugins", "GITHUB_RUN_NUMBER=5",
		"GITHUB_SERVER_URL=https://github.com", "GITHUB_RUN_ID=9"}
	onGitLab = []string{"GITLAB_CI=true", "CI_COMMIT_TAG=v1.2.3", "CI_PROJECT_PATH=acme/plugins", "CI_COMMIT_SHORT_SHA=abc1234", "CI_PIPELINE_IID=5",
		"CI_COMMIT_TIMESTAMP=2026-03-09T10:00:00Z", "CI_COMMIT_TAG_MESSAGE=Machines", "CI_JOB_URL=https://gitlab.example.com/job/9"}
)

// ownScripts stand for the scripts of a project that deploys, and for its history.
var ownScripts = map[string]string{
	"build.sh": "true", "deploy.sh": `[ -z "$FAILS" ]`, "check.sh": "true",
	"git": `case "$*" in *%cI*) echo "abc1234 2026-03-09T10:00:00Z";; *) echo "Machines have a description";; esac`,
}

// What the example pipelines run works, to the letter, with an ERP and the variables of
// the build server; also when a deployment fails.
func TestPipelines(t *testing.T) {
	if testing.Short() {
		t.Skip("runs what the scripts run")
	}
	t.Parallel()
	for _, p := range pipelines {
		t.Run(fmt.Sprintf("%s fails=%t", p.file, p.fails), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("..", "..", "examples", p.file))
			require.NoError(t, err)
			jobs := pipelineJobs(t, text, p.fails)
			known := append(slices.Collect(maps.Keys(p.notRun)), p.jobs...)
			assert.ElementsMatch(t, known, slices.Collect(maps.Keys(jobs)), "every job is run, or there is a reason why not")

			srv := erptest.New(t)
			token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, time.Hour)
			require.NoError(t, err)
			dir, bin, home := t.TempDir(), t.TempDir(), t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(dir, "tables"), os.DirFS(filepath.Join("..", "..", "examples", "dictcode", "tables"))))
			for name, does := range p.commands {
				where := bin
				if strings.HasSuffix(name, ".sh") {
					where = dir
				}
				require.NoError(t, os.WriteFile(filepath.Join(where, name), []byte("#!/usr/bin/env bash\n"+does+"\n"), 0o755))
			}
			env := append([]string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "NO_COLOR=1", "CI=true", "ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token,
				"ERPHUB_SPOOL=" + filepath.Join(home, "spool"), "GITHUB_ENV=" + filepath.Join(dir, "env"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary")}, p.env...)
			if p.fails {
				env = append(env, "FAILS=yes")
			}

			script := "set -eEo pipefail\ntrap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\ntouch env run.env\n"
			if strings.HasPrefix(p.file, "ci-") {
				script += "erphub env deploy install >&2\n"
			}
			for _, name := range p.jobs {
				script += "echo JOB " + name + " >&2\n" + jobs[name]
			}
			runScript(t, dir, script, env...)

			for _, file := range p.left {
				content, err := os.ReadFile(filepath.Join(dir, file))
				require.NoError(t, err)
				assert.Contains(t, string(content), "Dictionary changes", file)
			}
			database := srv.Database()
			defer database.Close()
			var records int
			require.NoError(t, database.QueryRowContext(t.Context(), "SELECT count(*) FROM "+p.holds).Scan(&records))
			assert.Equal(t, 1, records, p.holds)
		})
	}
}

// pipelineJobs are the jobs of a pipeline with the commands that each runs, when all
// goes well or when one of its commands fails.
func pipelineJobs(t *testing.T, text []byte, fails bool) map[string]string {
	t.Helper()
	scripts := map[string]string{}
	add := func(name string, work, after []string) {
		end := "[ $code = 0 ]\nCI_JOB_STATUS=success\n"
		if fails && strings.Contains(strings.Join(work, ""), "deploy.sh") {
			end = "[ $code = 1 ]\nCI_JOB_STATUS=failed\n"
		}
		scripts[name] = ". ./run.env\nset +e\n(set -e\n" + strings.Join(work, "\n") + "\n)\ncode=$?\nset -e\n" + end + strings.Join(after, "\n") + "\n"
	}
	var github struct{ Jobs map[string]pipelineJob }
	require.NoError(t, yaml.Unmarshal(text, &github))
	for name, job := range github.Jobs {
		var work, after []string
		for _, s := range job.Steps {
			require.NotContains(t, s.Run, "${{", "an expression within a command can become another command")
			step := "set -a; . ./env; set +a\n" + s.Run
			switch {
			case s.Run == "" || strings.HasPrefix(s.Run, "go install "):
			case s.If == "always()" || fails && strings.HasPrefix(s.If, "(failure()"):
				after = append(after, step)
			case s.If == "" || s.If == "success()":
				work = append(work, step)
			}
		}
		add(name, work, after)
	}
	if len(github.Jobs) > 0 {
		return scripts
	}
	var gitlab map[string]yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &gitlab))
	for name, part := range gitlab {
		if part.Kind != yaml.MappingNode || strings.HasPrefix(name, ".") {
			continue
		}
		var job pipelineJob
		require.NoError(t, part.Decode(&job))
		for i, line := range job.AfterScript {
			job.AfterScript[i] = strings.ReplaceAll(line, ".bin/erphub", "erphub")
		}
		add(name, job.Script, job.AfterScript)
	}
	return scripts
}
