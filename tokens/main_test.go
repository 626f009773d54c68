package tokens_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestMain lets the test binary be another process of the tests with several
// processes, and looks through everything that was logged for secrets.
func TestMain(m *testing.M) {
	if what := os.Getenv("TOKENS_TEST_HELPER"); what != "" {
		os.Exit(helper(what))
	}
	code := m.Run()
	logged := testLogged.String()
	planted.Range(func(secret, _ any) bool {
		if strings.Contains(logged, secret.(string)) {
			fmt.Println("FAIL: a secret was logged")
			code = 1
			return false
		}
		return true
	})
	if strings.Contains(logged, "CANARY") {
		fmt.Println("FAIL: a planted secret was logged")
		code = 1
	}
	os.Exit(code)
}

// planted holds every token and refresh token the tests have seen.
var planted sync.Map

func plant(secret string) {
	if len(secret) > 20 {
		planted.Store(secret, true)
	}
}
