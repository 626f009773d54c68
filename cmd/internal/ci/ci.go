// Package ci reads from the environment of a build server what a deployment run
// wants to know about the build: its number, where to look at it, and who
// triggered it.
package ci

import (
	"net/url"
	"strings"
)

// Build is what a build server says about the build that is running. Texts it
// does not tell are empty.
type Build struct {
	// System names the build server, such as "GitHub Actions"; empty if it
	// is not a known one.
	System string
	// Number is the number of the build. Where the server runs a build again
	// under the same number, the attempt follows after a dot.
	Number string
	URL    string // where people look at the build; only http and https addresses count
	User   string // who triggered it
}

// Detected reports whether the program runs on a build server, known or not:
// others set CI.
func Detected(getenv func(string) string) bool {
	if Detect(getenv).System != "" {
		return true
	}
	switch strings.ToLower(getenv("CI")) {
	case "", "false", "0", "no":
		return false
	}
	return true
}

// Detect reads the environment; getenv is usually os.Getenv. The names are those
// the build servers document.
func Detect(getenv func(string) string) Build {
	b := detect(getenv)
	if u, err := url.Parse(b.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		b.URL = ""
	}
	return b
}

func detect(e env) Build {
	switch {
	case e.is("GITHUB_ACTIONS"):
		return e.gitHub()
	case e.is("GITLAB_CI"):
		return Build{"GitLab CI", e.first("CI_PIPELINE_IID", "CI_PIPELINE_ID"), e.first("CI_JOB_URL", "CI_PIPELINE_URL"), e.first("GITLAB_USER_LOGIN", "GITLAB_USER_NAME")}
	case e.is("CIRCLECI"):
		return Build{"CircleCI", e("CIRCLE_BUILD_NUM"), e("CIRCLE_BUILD_URL"), e("CIRCLE_USERNAME")}
	case e.is("TF_BUILD"):
		return e.azure()
	case e("BITBUCKET_BUILD_NUMBER") != "":
		return e.bitbucket()
	case e("TEAMCITY_VERSION") != "":
		return Build{"TeamCity", e("BUILD_NUMBER"), e("BUILD_URL"), e("TEAMCITY_BUILD_TRIGGEREDBY_USERNAME")}
	case e.is("TRAVIS"):
		return Build{"Travis CI", e.first("TRAVIS_BUILD_NUMBER", "TRAVIS_JOB_NUMBER"), e.first("TRAVIS_BUILD_WEB_URL", "TRAVIS_JOB_WEB_URL"), ""}
	case e("CI") == "woodpecker" || e("CI_SYSTEM_NAME") == "woodpecker":
		return Build{"Woodpecker", e.first("CI_PIPELINE_NUMBER", "CI_BUILD_NUMBER"), e.first("CI_PIPELINE_URL", "CI_BUILD_LINK"), e("CI_COMMIT_AUTHOR")}
	case e.is("DRONE"):
		return Build{"Drone", e("DRONE_BUILD_NUMBER"), e("DRONE_BUILD_LINK"), e.first("DRONE_BUILD_TRIGGER", "DRONE_COMMIT_AUTHOR")}
	case e("JENKINS_URL") != "" || e("JENKINS_HOME") != "":
		return Build{"Jenkins", e("BUILD_NUMBER"), e("BUILD_URL"), e.first("BUILD_USER_ID", "BUILD_USER", "CHANGE_AUTHOR")}
	}
	return Build{}
}

// env looks variables up.
type env func(string) string

func (e env) is(name string) bool {
	value := strings.ToLower(e(name))
	return value == "true" || value == "1" || value == "yes"
}

// first is the first of the variables that is set.
func (e env) first(names ...string) string {
	for _, name := range names {
		if value := e(name); value != "" {
			return value
		}
	}
	return ""
}

func (e env) gitHub() Build {
	b := Build{System: "GitHub Actions", Number: e("GITHUB_RUN_NUMBER"), User: e.first("GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR")}
	if server, repo, id := e("GITHUB_SERVER_URL"), e("GITHUB_REPOSITORY"), e("GITHUB_RUN_ID"); server != "" && repo != "" && id != "" {
		b.URL = server + "/" + repo + "/actions/runs/" + id
	}
	b.Number = attempt(b.Number, e("GITHUB_RUN_ATTEMPT"))
	return b
}

func (e env) azure() Build {
	b := Build{System: "Azure Pipelines", Number: attempt(e.first("BUILD_BUILDNUMBER", "BUILD_BUILDID"), e("SYSTEM_STAGEATTEMPT")), User: e("BUILD_REQUESTEDFOR")}
	server, project, id := e.first("SYSTEM_COLLECTIONURI", "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"), e("SYSTEM_TEAMPROJECT"), e("BUILD_BUILDID")
	if server != "" && project != "" && id != "" {
		b.URL = strings.TrimSuffix(server, "/") + "/" + url.PathEscape(project) + "/_build/results?buildId=" + url.QueryEscape(id)
	}
	return b
}

func (e env) bitbucket() Build {
	b := Build{System: "Bitbucket Pipelines", Number: e("BITBUCKET_BUILD_NUMBER"), User: e("BITBUCKET_STEP_TRIGGERER_UUID")}
	origin := e("BITBUCKET_GIT_HTTP_ORIGIN")
	if repo := e("BITBUCKET_REPO_FULL_NAME"); origin == "" && repo != "" {
		origin = "https://bitbucket.org/" + repo
	}
	if origin != "" {
		origin = strings.Replace(origin, "http://bitbucket.org/", "https://bitbucket.org/", 1)
		b.URL = origin + "/pipelines/results/" + b.Number
	}
	return b
}

// attempt tells a build that runs again from its first run.
func attempt(number, attempt string) string {
	if number == "" || attempt == "" || attempt == "1" {
		return number
	}
	return number + "." + attempt
}
