package rest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/rest"
	"github.com/erphub/erphub/internal/testkit/contracttest"
	"github.com/erphub/erphub/internal/testkit/recorded"
)

// Whatever the ERP responds, the generated client decodes without loss. For every
// response that was recorded with the real server's code, and for the golden ones of
// the embedded ERP, the property is: the operation of the contract decodes it into
// the field of its status (JSON200, JSON404, JSONDefault, …), and what is in the
// field, written as JSON again, is the response.
func TestRecordedResponsesDecode(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][]string{"golden": recorded.GoldenFiles(), "real server": recorded.ReferenceFiles()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(files) == 0 {
				t.Skip("SKIPPED: the recorded responses of the real server are not here; set ERPHUB_REFERENCE to the folder that has them")
			}
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
					t.Parallel()
					scenarios, err := recorded.Load(file)
					require.NoError(t, err)
					decodeScenarios(t, scenarios)
				})
			}
		})
	}
}

// captured are the places in a path for what a response before had.
var captured = regexp.MustCompile(`\{\{[\w.-]+\}\}`)

func decodeScenarios(t *testing.T, scenarios []recorded.Scenario) {
	var now atomic.Pointer[recorded.Step]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		step := now.Load()
		w.Header().Set("Content-Type", step.ContentType)
		w.WriteHeader(step.Status)
		_, _ = w.Write(step.Response)
	}))
	t.Cleanup(srv.Close)
	client, err := rest.New(srv.URL, srv.Client())
	require.NoError(t, err)
	compared, skipped := 0, map[string]int{}
	for i := range scenarios {
		for n := range scenarios[i].Steps {
			step := &scenarios[i].Steps[n]
			id, params, ok := contracttest.Operation(step.Method, captured.ReplaceAllString(step.Path, "1000000"))
			call := methodOf(client, id)
			switch {
			case !ok:
				skipped["no operation of the contract"]++
				continue
			case !call.IsValid():
				skipped["hand-written in package erp"]++
				continue
			case step.Response == nil || step.ContentType != "application/json":
				skipped["no JSON"]++
				continue
			}
			now.Store(step)
			decoded, err := decodedBy(t, call, params)
			if errors.Is(err, errSegment) {
				skipped["a path that the client does not send"]++
				continue
			}
			compared++
			lost := []string{fmt.Sprint(err)}
			if err == nil {
				lost, err = recorded.Lost(step.Response, decoded)
				require.NoError(t, err)
			}
			for _, problem := range lost {
				t.Errorf("%s#%d %s by %s, status %d: %s", scenarios[i].ID, n, step, id, step.Status, problem)
			}
		}
	}
	parts := []string{}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		parts = append(parts, fmt.Sprintf("%s %d", reason, skipped[reason]))
	}
	t.Logf("compared: %d\n\tnot applicable: %s", compared, strings.Join(parts, ", "))
	assert.Positive(t, compared)
}

// methodOf is the method that makes the request of an operation and decodes its
// response. Where it has a body, the one that takes any.
func methodOf(client *rest.ClientWithResponses, operation string) reflect.Value {
	if operation == "" {
		return reflect.Value{}
	}
	name := strings.ToUpper(operation[:1]) + operation[1:]
	if m := reflect.ValueOf(client).MethodByName(name + "WithBodyWithResponse"); m.IsValid() {
		return m
	}
	return reflect.ValueOf(client).MethodByName(name + "WithResponse")
}

// errSegment is a request that the client refuses to send.
var errSegment = errors.New("a segment is refused")

// decodedBy calls a method and returns what it decoded, as JSON.
func decodedBy(t *testing.T, method reflect.Value, params []string) ([]byte, error) {
	t.Helper()
	var args []reflect.Value
	for i := range method.Type().NumIn() - 1 { // the last one are the editors
		switch in := method.Type().In(i); {
		case in == contextType:
			args = append(args, reflect.ValueOf(t.Context()))
		case in == segmentType:
			if rest.Segment(params[0]).Check() != nil {
				return nil, errSegment
			}
			args = append(args, reflect.ValueOf(rest.Segment(params[0])))
			params = params[1:]
		case in.Kind() == reflect.Int:
			args = append(args, reflect.ValueOf(1).Convert(in))
			params = params[1:]
		case in == readerType:
			args = append(args, reflect.ValueOf(io.Reader(strings.NewReader("{}"))))
		case in.Kind() == reflect.String:
			args = append(args, reflect.ValueOf("application/json"))
		default: // parameters
			args = append(args, reflect.Zero(in))
		}
	}
	out := method.Call(args)
	if err, ok := out[1].Interface().(error); ok {
		return nil, err
	}
	response := out[0].Elem()
	for i := range response.NumField() {
		field := response.Type().Field(i)
		if value := response.Field(i); strings.HasPrefix(field.Name, "JSON") && !value.IsNil() {
			return json.Marshal(value.Interface())
		}
	}
	return nil, errors.New("no field has the decoded response")
}
