package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

// The events of messages.
const (
	EventSucceeded  = "deployment.succeeded"
	EventFailed     = "deployment.failed"
	EventRolledBack = "deployment.rolled_back"
)

// payloadVersion is that of the body.
const payloadVersion = 1

// Payload is the body of a message. It has no member "type", because Mattermost
// gives that a meaning of its own.
type Payload struct {
	Version   int           `json:"version"`
	ID        string        `json:"id"` // that of the header webhook-id
	Event     string        `json:"event"`
	Timestamp time.Time     `json:"timestamp"`
	Text      string        `json:"text"` // for people
	Run       deploylog.Run `json:"run"`
}

// event is what the state of a run is called, empty for one that tells nobody
// anything.
func event(state deploylog.State) string {
	switch state {
	case deploylog.Success:
		return EventSucceeded
	case deploylog.Failed:
		return EventFailed
	case deploylog.RolledBack:
		return EventRolledBack
	}
	return ""
}

// payload is the message about a run; the same for the same run and state, as
// far as its id goes.
func payload(run deploylog.Run) Payload {
	p := Payload{Version: payloadVersion, Event: event(run.Status), Timestamp: run.DateCompleted, Run: run}
	if run.Status == deploylog.RolledBack {
		p.Timestamp = run.RolledBackAt()
	}
	name := run.UUID
	if name == "" {
		name = run.ID.String() + " " + run.DateStarted.UTC().Format(time.RFC3339)
	}
	p.ID = string(dict.UUIDv5(dict.Namespace, "webhook/"+name+"/"+string(run.Status)))
	p.Text = chatText(describe(&run))
	return p
}

// describe says in one line how a run ended.
func describe(run *deploylog.Run) string {
	version := cmp.Or(run.Version, "a version without a name")
	var b strings.Builder
	switch run.Status {
	case deploylog.Success:
		fmt.Fprintf(&b, "%s is running in %s", version, run.Environment.Name())
		if run.VersionPrevious != "" {
			fmt.Fprintf(&b, " (before: %s)", run.VersionPrevious)
		}
	case deploylog.RolledBack:
		fmt.Fprintf(&b, "%s was rolled back in %s", version, run.Environment.Name())
		if run.VersionPrevious != "" {
			fmt.Fprintf(&b, ", %s is running again", run.VersionPrevious)
		}
	default:
		what := "the deployment of %s to %s failed"
		if !run.ReachedDeployment() {
			what = "the build of %s for %s failed"
		}
		fmt.Fprintf(&b, what, version, run.Environment.Name())
	}
	if reason := firstLine(run.ErrorMessage); reason != "" {
		b.WriteString(": " + reason)
	}
	if by := run.By(); by != "" {
		b.WriteString("; by " + by)
	}
	if run.Duration > 0 {
		b.WriteString(", took " + run.Duration.String())
	}
	if changes := firstLine(run.Changes); changes != "" && run.Status == deploylog.Success {
		b.WriteString(". Changes: " + changes)
	}
	if run.BuildURL != "" {
		b.WriteString(" " + run.BuildURL)
	}
	return b.String()
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return text.Shorten(strings.TrimSpace(line), 300)
}

// chatText is text for a chat: one line in which nothing is a link with another
// name, a command or a mention.
func chatText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b").Replace(text.Printable(text.OneLine(s)))
}
