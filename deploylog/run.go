package deploylog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// The record has no column for how far a failed run came. VersionPrevious tells,
// except for the first deployment to an environment, whose CurrentStep begins
// with deployFailed.
const (
	deployFailed = "failed while deploying"
	buildFailed  = "failed while building"
)

// failedStep is the CurrentStep of a run that failed at a step.
func failedStep(how, step string) string {
	if step == "" {
		return how
	}
	return how + ": " + step
}

// Run is one build or deploy run for one environment, a record of
// XX_Deploy_Log. Times are in UTC; a zero time or number means that the record
// has none.
type Run struct {
	ID              erp.ID        `json:"id"`             // XX_Deploy_Log_ID
	UUID            string        `json:"uuid,omitempty"` // XX_Deploy_Log_UU
	Client          erp.Ref       `json:"-"`              // AD_Client_ID, the tenant
	Organization    erp.Ref       `json:"-"`              // AD_Org_ID
	Environment     Environment   `json:"environment"`
	Status          State         `json:"status"`
	Progress        int           `json:"progress"` // percent, 0 to 100
	CurrentStep     string        `json:"currentStep,omitempty"`
	Version         string        `json:"version,omitempty"`
	VersionPrevious string        `json:"versionPrevious,omitempty"` // what ran before; empty if nothing did
	Components      string        `json:"components,omitempty"`
	Changes         string        `json:"changes,omitempty"`
	DateStarted     time.Time     `json:"dateStarted,omitzero"`
	DateCompleted   time.Time     `json:"dateCompleted,omitzero"` // zero while in progress
	Duration        time.Duration `json:"-"`                      // whole seconds, computed on completion
	ErrorMessage    string        `json:"errorMessage,omitempty"`
	BuildNo         string        `json:"ciBuildNo,omitempty"`       // Ci_BuildNo
	BuildURL        string        `json:"ciUrl,omitempty"`           // Ci_URL
	AutomationJobID string        `json:"automationJobId,omitempty"` // Automation_JobID
	AutomationURL   string        `json:"automationUrl,omitempty"`
	DeployedBy      string        `json:"deployedBy,omitempty"`
	Active          bool          `json:"active"`
	Created         time.Time     `json:"created,omitzero"`
	CreatedBy       erp.Ref       `json:"-"`
	Updated         time.Time     `json:"updated,omitzero"`
	UpdatedBy       erp.Ref       `json:"-"`
}

// runColumns are the columns a Run is made of, for $select.
func runColumns() []string {
	return []string{
		"AD_Client_ID", "AD_Org_ID", "Environment", "Status", "Progress", "CurrentStep", "Version", "VersionPrevious",
		"Components", "Changes", "DateStarted", "DateCompleted", "Duration", "ErrorMessage", "Ci_BuildNo", "Ci_URL",
		"Automation_JobID", "Automation_URL", "DeployedBy", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy",
	}
}

// ParseRun reads a record of XX_Deploy_Log. Columns that are absent stay zero;
// a status the table does not know is an error.
func ParseRun(rec erp.Record) (Run, error) {
	r := Run{ID: rec.ID(), UUID: rec.UUID(), Active: true}
	text := func(column string, into *string) { *into, _ = rec.Text(column) }
	at := func(column string, into *time.Time) {
		if t, ok := rec.Time(column); ok {
			*into = t.UTC()
		}
	}
	r.Client, _ = rec.Ref("AD_Client_ID")
	r.Organization, _ = rec.Ref("AD_Org_ID")
	r.CreatedBy, _ = rec.Ref("CreatedBy")
	r.UpdatedBy, _ = rec.Ref("UpdatedBy")
	if code, ok := rec.Code("Environment"); ok {
		r.Environment = Environment(code)
	}
	if code, ok := rec.Code("Status"); ok {
		state, err := ParseState(code)
		if err != nil {
			return Run{}, fmt.Errorf("run %s: %w", rec.ID(), err)
		}
		r.Status = state
	}
	if n, ok := rec.Int("Progress"); ok {
		r.Progress = int(min(max(n, 0), 100))
	}
	if n, ok := rec.Int("Duration"); ok {
		r.Duration = time.Duration(n) * time.Second
	}
	text("CurrentStep", &r.CurrentStep)
	text("Version", &r.Version)
	text("VersionPrevious", &r.VersionPrevious)
	text("Components", &r.Components)
	text("Changes", &r.Changes)
	text("ErrorMessage", &r.ErrorMessage)
	text("Ci_BuildNo", &r.BuildNo)
	text("Ci_URL", &r.BuildURL)
	text("Automation_JobID", &r.AutomationJobID)
	text("Automation_URL", &r.AutomationURL)
	text("DeployedBy", &r.DeployedBy)
	at("DateStarted", &r.DateStarted)
	at("DateCompleted", &r.DateCompleted)
	at("Created", &r.Created)
	at("Updated", &r.Updated)
	if active, ok := rec.Bool("IsActive"); ok {
		r.Active = active
	}
	return r, nil
}

// Elapsed is the time that the run took, or has been running at the time given.
func (r *Run) Elapsed(now time.Time) time.Duration {
	switch {
	case r.Duration > 0:
		return r.Duration
	case r.DateStarted.IsZero():
		return 0
	case !r.DateCompleted.IsZero():
		return max(r.DateCompleted.Sub(r.DateStarted), 0)
	}
	return max(now.Sub(r.DateStarted), 0)
}

// By is who triggered the run: DeployedBy, else the user whose login recorded it.
func (r *Run) By() string {
	return cmp.Or(r.DeployedBy, r.CreatedBy.Identifier)
}

// RunningAfter is the version that runs in the environment once the run has
// ended: its own after SUCCESS, the one it went back to after ROLLED_BACK. It
// is empty for a run that says nothing about it.
func (r *Run) RunningAfter() string {
	switch r.Status {
	case Success:
		return r.Version
	case RolledBack:
		return r.VersionPrevious
	}
	return ""
}

// rollbackStep is the text of CurrentStep after a rollback; it carries the time
// because the record has no column for it.
func rollbackStep(version string, at time.Time) string {
	return fmt.Sprintf("rolled back to %s at %s", version, at.UTC().Format(time.RFC3339))
}

// RolledBackAt is the time when the run was rolled back: what the call recorded, else
// the record's last change. It is zero for a run that was not.
func (r *Run) RolledBackAt() time.Time {
	if r.Status != RolledBack {
		return time.Time{}
	}
	if i := strings.LastIndex(r.CurrentStep, " at "); i >= 0 {
		if at, err := time.Parse(time.RFC3339, r.CurrentStep[i+len(" at "):]); err == nil {
			return at.UTC()
		}
	}
	return r.Updated
}

// refJSON is a reference as it is shown in JSON.
type refJSON struct {
	ID   erp.ID `json:"id"`
	Name string `json:"name,omitempty"`
}

func refToJSON(r erp.Ref) *refJSON {
	if r.IsZero() {
		return nil
	}
	return &refJSON{r.ID, r.Identifier}
}

// MarshalJSON writes the run with its times in RFC 3339, its length in seconds
// and its references as id and name.
func (r Run) MarshalJSON() ([]byte, error) {
	type plain Run
	return json.Marshal(struct {
		plain
		Client       *refJSON `json:"client,omitempty"`
		Organization *refJSON `json:"organization,omitempty"`
		CreatedBy    *refJSON `json:"createdBy,omitempty"`
		UpdatedBy    *refJSON `json:"updatedBy,omitempty"`
		Duration     *int64   `json:"duration,omitempty"`
	}{
		plain: plain(r), Client: refToJSON(r.Client), Organization: refToJSON(r.Organization),
		CreatedBy: refToJSON(r.CreatedBy), UpdatedBy: refToJSON(r.UpdatedBy), Duration: r.seconds(),
	})
}

// seconds is the length of a run that has ended.
func (r *Run) seconds() *int64 {
	if r.DateCompleted.IsZero() {
		return nil
	}
	n := int64(r.Duration / time.Second)
	return &n
}
