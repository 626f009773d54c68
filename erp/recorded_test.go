package erp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/testkit/recorded"
)

// Whatever the ERP responds, the client decodes without loss. For every response
// that was recorded with the real server's code, and for the golden ones of the
// embedded ERP, the property is:
//
//   - What the method that makes the request decodes, written as JSON again, is
//     the response: no member is missing, none was added, no number, text or
//     reference has changed.
//   - Every column of every record, of children and of records inside records too,
//     is read by the accessor of its kind, digit by digit.
//   - Status 400 and above is an *erp.Error with the status, title and detail of
//     the response.
func TestRecordedResponsesDecode(t *testing.T) {
	t.Parallel()
	t.Run("golden", func(t *testing.T) {
		t.Parallel()
		decodeFiles(t, recorded.GoldenFiles())
	})
	t.Run("real server", func(t *testing.T) {
		t.Parallel()
		files := recorded.ReferenceFiles()
		if len(files) == 0 {
			t.Skip("SKIPPED: the recorded responses of the real server are not here; set ERPHUB_REFERENCE to the folder that has them")
		}
		decodeFiles(t, files)
	})
}

func decodeFiles(t *testing.T, files []string) {
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			scenarios, err := recorded.Load(file)
			require.NoError(t, err)
			decodeScenarios(t, scenarios)
		})
	}
}

// decodeScenarios has the client make the request of every step and compares what
// it makes of the recorded response.
func decodeScenarios(t *testing.T, scenarios []recorded.Scenario) {
	var now atomic.Pointer[recorded.Step]
	_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) { replyWith(w, now.Load()) },
		erp.WithTokenSource(erp.StaticToken("eyJ0ZXN0.e30.c2lnbmVk")), erp.WithRetryPolicy(erp.RetryPolicy{}))
	steps, methods, skipped := 0, map[string]int{}, map[string]int{}
	for i := range scenarios {
		for n := range scenarios[i].Steps {
			step := &scenarios[i].Steps[n]
			steps++
			call, reason := callOf(step)
			if reason != "" {
				skipped[reason]++
				continue
			}
			methods[call.method]++
			now.Store(step)
			got, err := call.do(t.Context(), client)
			for _, problem := range checkDecoded(step, got, err) {
				t.Errorf("%s#%d %s by %s: %s", scenarios[i].ID, n, step, call.method, problem)
			}
		}
	}
	t.Logf("%d steps\n\tcompared: %s\n\tnot applicable: %s", steps, counts(methods), counts(skipped))
	assert.NotEmpty(t, methods, "methods")
}

func counts(of map[string]int) string {
	sum, parts := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		sum += of[name]
		parts = append(parts, fmt.Sprintf("%s %d", name, of[name]))
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}

// replyWith sends the response of a step.
func replyWith(w http.ResponseWriter, step *recorded.Step) {
	for name, value := range step.ResponseHeaders {
		w.Header().Set(name, value)
	}
	if step.ContentType != "" {
		w.Header().Set("Content-Type", step.ContentType)
	}
	w.WriteHeader(step.Status)
	_, _ = io.WriteString(w, bodyOf(step))
}

func bodyOf(step *recorded.Step) string {
	if step.ResponseText != nil {
		return *step.ResponseText
	}
	return string(step.Response)
}

// checkDecoded tells what is wrong with what a call made of the response.
func checkDecoded(step *recorded.Step, got any, err error) []string {
	if results, ok := got.([]erp.BatchResult); ok {
		return checkBatch(step, results, err)
	}
	if step.Status >= http.StatusBadRequest {
		var refused *erp.Error
		if !errors.As(err, &refused) {
			return []string{fmt.Sprintf("the error is %v, want an *erp.Error", err)}
		}
		return checkRefusal(step, refused)
	}
	var failed *erp.ProcessError
	if errors.As(err, &failed) && failed.Result.IsError {
		err = nil // the result is compared
	}
	if step.Status == http.StatusNoContent && errors.Is(err, erp.ErrNotFound) {
		return nil // a file that is not there
	}
	if err != nil {
		return []string{err.Error()}
	}
	if got == nil { // the method says no more than that it worked
		return nil
	}
	if file, ok := got.(download); ok {
		if want := bodyOf(step); file.text != want || file.contentType != step.ContentType {
			return []string{fmt.Sprintf("the download is %q (%s), the response %q (%s)", file.text, file.contentType, want, step.ContentType)}
		}
		return nil
	}
	return append(lostOf(step, got), checkRecords(got)...)
}

// lostOf writes what was decoded as JSON again and compares.
func lostOf(step *recorded.Step, got any) []string {
	again, err := json.Marshal(wireValue(got))
	if err != nil {
		return []string{err.Error()}
	}
	lost, err := recorded.Lost(step.Response, again)
	if err != nil {
		return []string{err.Error()}
	}
	return slices.DeleteFunc(lost, func(text string) bool {
		return strings.HasPrefix(text, "$.sql-command-") // a page has its own statement, not those of what is expanded
	})
}

// checkBatch compares the results of a batch, and its error with the result that
// made all be undone.
func checkBatch(step *recorded.Step, results []erp.BatchResult, err error) []string {
	found := append(lostOf(step, results), checkRecords(results)...)
	var entries []struct {
		StatusCode int
		Body       json.RawMessage
	}
	if err := json.Unmarshal(step.Response, &entries); err != nil {
		return append(found, err.Error())
	}
	for i, result := range results {
		var refused *erp.Error
		if errors.As(result.Err(), &refused) {
			entry := recorded.Step{Status: entries[i].StatusCode, Response: entries[i].Body}
			found = append(found, checkRefusal(&entry, refused)...)
		}
	}
	var failed *erp.BatchError
	if errors.As(err, &failed) != (step.Status >= http.StatusBadRequest) {
		found = append(found, fmt.Sprintf("the error is %v, the status %d", err, step.Status))
	}
	return found
}

// checkRefusal compares an error with the response it was made of.
func checkRefusal(step *recorded.Step, got *erp.Error) []string {
	var found []string
	if got.Status != step.Status {
		found = append(found, fmt.Sprintf("the error's status is %d", got.Status))
	}
	var want struct {
		Title, Detail, Error, Message *string
	}
	if step.ResponseText != nil && strings.HasPrefix(*step.ResponseText, "<") {
		if !got.Page {
			found = append(found, "the error does not say that the response is a page")
		}
		return found
	}
	if step.Response == nil || json.Unmarshal(step.Response, &want) != nil {
		if step.ResponseText != nil && !strings.Contains(oneLine(got.Error()), oneLine(*step.ResponseText)) {
			found = append(found, fmt.Sprintf("the error %q does not say %q", got, *step.ResponseText))
		}
		return found
	}
	if want.Title != nil && oneLine(got.Title) != oneLine(*want.Title) {
		found = append(found, fmt.Sprintf("the error's title is %q, the response's %q", got.Title, *want.Title))
	}
	if want.Detail != nil && oneLine(got.Detail) != oneLine(*want.Detail) {
		found = append(found, fmt.Sprintf("the error's detail is %q, the response's %q", got.Detail, *want.Detail))
	}
	for _, text := range []*string{want.Error, want.Message} {
		if text != nil && !strings.Contains(oneLine(got.Error()), oneLine(*text)) {
			found = append(found, fmt.Sprintf("the error %q does not say %q", got, *text))
		}
	}
	return found
}

// oneLine is a text with every run of white space as one blank, as errors show it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
