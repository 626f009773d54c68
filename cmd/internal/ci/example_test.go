package ci_test

import (
	"fmt"

	"github.com/erphub/erphub/cmd/internal/ci"
)

func ExampleDetect() {
	environment := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_RUN_NUMBER": "42", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_ACTOR": "ann",
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/erp", "GITHUB_RUN_ID": "9001",
	}
	build := ci.Detect(func(name string) string { return environment[name] }) // usually os.Getenv
	fmt.Println(build.System, build.Number, build.User)
	fmt.Println(build.URL)
	// Output:
	// GitHub Actions 42.2 ann
	// https://github.com/acme/erp/actions/runs/9001
}
