package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/erphub/erphub/deploylog"
)

// child is what the test's own program does when a test starts it as a process
// of its own.
type child struct {
	Dir, URL, Secret string
	Run              int    // the number of the run, which fails and is rolled back
	Die              string // stage at which it is killed
	DieAt            int    // at that passing of the stage
}

func TestMain(m *testing.M) {
	text := os.Getenv("NOTIFY_TEST_CHILD")
	if text == "" {
		os.Exit(m.Run())
	}
	var c child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	secret, err := ParseSecret(c.Secret)
	if err != nil {
		panic(err)
	}
	n, err := New(c.Dir, &Options{URLs: []string{c.URL}, Secret: secret})
	if err != nil {
		panic(err)
	}
	passed := 0
	n.hook = func(stage string) {
		if stage != c.Die {
			return
		}
		if passed++; passed == c.DieAt {
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				_ = p.Kill()
			}
			select {} // until it is dead
		}
	}
	for _, state := range []deploylog.State{deploylog.Failed, deploylog.RolledBack} {
		if err := n.Add(context.Background(), ended(c.Run, state), nil); err != nil {
			panic(err)
		}
		n.hook("added")
	}
	report := n.Flush(context.Background())
	fmt.Println(report.Delivered, report.Waiting)
}
