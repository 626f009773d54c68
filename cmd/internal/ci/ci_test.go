package ci_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/ci"
)

// The environments are those the systems' documentation gives as examples.
func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want ci.Build
	}{
		{map[string]string{"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_RUN_NUMBER": "3", "GITHUB_RUN_ID": "1658821493", "GITHUB_RUN_ATTEMPT": "1",
			"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "octocat/Hello-World", "GITHUB_ACTOR": "octocat"},
			ci.Build{"GitHub Actions", "3", "https://github.com/octocat/Hello-World/actions/runs/1658821493", "octocat"}},
		{map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_RUN_NUMBER": "3", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_TRIGGERING_ACTOR": "hubot", "GITHUB_ACTOR": "octocat"},
			ci.Build{"GitHub Actions", "3.2", "", "hubot"}},
		{map[string]string{"CI": "true", "GITLAB_CI": "true", "CI_PIPELINE_IID": "123", "CI_PIPELINE_URL": "https://gitlab.com/a/b/-/pipelines/9",
			"CI_JOB_URL": "https://gitlab.com/a/b/-/jobs/50", "GITLAB_USER_LOGIN": "anna"},
			ci.Build{"GitLab CI", "123", "https://gitlab.com/a/b/-/jobs/50", "anna"}},
		{map[string]string{"JENKINS_URL": "https://ci/", "BUILD_NUMBER": "153", "BUILD_URL": "https://ci/job/base/153/", "BUILD_USER_ID": "anna"},
			ci.Build{"Jenkins", "153", "https://ci/job/base/153/", "anna"}},
		{map[string]string{"JENKINS_URL": "https://ci/", "BUILD_NUMBER": "154", "BUILD_URL": "unconfigured-jenkins/job/base/154/"}, ci.Build{"Jenkins", "154", "", ""}},
		{map[string]string{"CI": "true", "CIRCLECI": "true", "CIRCLE_BUILD_NUM": "7", "CIRCLE_BUILD_URL": "https://circleci.com/gh/a/b/7", "CIRCLE_USERNAME": "anna"},
			ci.Build{"CircleCI", "7", "https://circleci.com/gh/a/b/7", "anna"}},
		{map[string]string{"TF_BUILD": "True", "BUILD_BUILDNUMBER": "20260309.1", "BUILD_BUILDID": "42", "SYSTEM_COLLECTIONURI": "https://dev.azure.com/fabrikam/",
			"SYSTEM_TEAMPROJECT": "Our ERP", "BUILD_REQUESTEDFOR": "Anna A", "SYSTEM_STAGEATTEMPT": "2"},
			ci.Build{"Azure Pipelines", "20260309.1.2", "https://dev.azure.com/fabrikam/Our%20ERP/_build/results?buildId=42", "Anna A"}},
		{map[string]string{"CI": "true", "BITBUCKET_BUILD_NUMBER": "5", "BITBUCKET_REPO_FULL_NAME": "a/b", "BITBUCKET_STEP_TRIGGERER_UUID": "{u}"},
			ci.Build{"Bitbucket Pipelines", "5", "https://bitbucket.org/a/b/pipelines/results/5", "{u}"}},
		{map[string]string{"BITBUCKET_BUILD_NUMBER": "5", "BITBUCKET_GIT_HTTP_ORIGIN": "http://bitbucket.org/a/b"},
			ci.Build{"Bitbucket Pipelines", "5", "https://bitbucket.org/a/b/pipelines/results/5", ""}},
		{map[string]string{"TEAMCITY_VERSION": "2025.07", "BUILD_NUMBER": "88", "BUILD_URL": "https://tc/build/1"}, ci.Build{"TeamCity", "88", "https://tc/build/1", ""}},
		{map[string]string{"CI": "true", "TRAVIS": "true", "TRAVIS_BUILD_NUMBER": "4", "TRAVIS_BUILD_WEB_URL": "https://travis/4"}, ci.Build{"Travis CI", "4", "https://travis/4", ""}},
		{map[string]string{"CI": "true", "DRONE": "true", "DRONE_BUILD_NUMBER": "6", "DRONE_BUILD_LINK": "https://drone/6", "DRONE_BUILD_TRIGGER": "anna"},
			ci.Build{"Drone", "6", "https://drone/6", "anna"}},
		{map[string]string{"CI": "woodpecker", "CI_PIPELINE_NUMBER": "8", "CI_PIPELINE_URL": "https://wp/8", "CI_COMMIT_AUTHOR": "anna"},
			ci.Build{"Woodpecker", "8", "https://wp/8", "anna"}},
		{map[string]string{"CI": "true", "BUILD_NUMBER": "9"}, ci.Build{}},
		{nil, ci.Build{}},
	} {
		getenv := func(name string) string { return c.env[name] }
		assert.Equal(t, c.want, ci.Detect(getenv))
		assert.Equal(t, len(c.env) > 0, ci.Detected(getenv), c.env)
	}
	for _, off := range []string{"", "false", "0", "no", "False"} {
		assert.False(t, ci.Detected(func(name string) string { return map[string]string{"CI": off}[name] }), off)
	}
}
