package recorded

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
)

// Scenario is a list of requests that belong together, each with the response
// it is to have.
type Scenario struct {
	ID   string `json:"id"`
	Area string `json:"area"`
	// Recorded is when the responses were made; times near it stand for now.
	Recorded string `json:"recorded"`
	// As is the body of the login whose token the requests carry; null for none.
	As     json.RawMessage `json:"as"`
	Writes bool            `json:"writes"` // whether it needs a server of its own
	Steps  []Step          `json:"steps"`
}

// Step is one request and its response.
type Step struct {
	Method  string             `json:"method"`
	Path    string             `json:"path"`              // below the API's base
	Query   string             `json:"query,omitempty"`   // as it is sent
	Headers map[string]*string `json:"headers,omitempty"` // null removes one
	NoAuth  bool               `json:"noAuth,omitempty"`  // without the token

	// At most one of them is the body. "{{name}}" in it, in the path and the
	// query is replaced by what a step before captured under that name.
	Body       json.RawMessage `json:"body,omitempty"`
	BodyText   *string         `json:"bodyText,omitempty"`
	BodyBase64 []byte          `json:"bodyBase64,omitempty"`
	BodyRepeat []any           `json:"bodyRepeat,omitempty"` // begin, repeated text, how often, end

	Capture map[string]string `json:"capture,omitempty"` // name: path of a member
	Pause   float64           `json:"pause,omitempty"`   // seconds before it

	Status          int               `json:"status"`
	ContentType     string            `json:"contentType,omitempty"`
	Response        json.RawMessage   `json:"response,omitempty"`
	ResponseText    *string           `json:"responseText,omitempty"`
	ResponseBinary  *Binary           `json:"responseBinary,omitempty"`
	ResponseHeaders map[string]string `json:"responseHeaders,omitempty"`

	// Compare is "status" or "shape" (names and types only); empty is everything.
	Compare string   `json:"compare,omitempty"`
	Ignore  []string `json:"ignore,omitempty"` // paths of members that may differ
	// Rig is set when the response says more about where it was recorded than
	// about the server: the request is sent and not compared.
	Rig  any    `json:"rig,omitempty"`
	Note string `json:"note,omitempty"`
}

// Binary is what is known of a response that is not a text.
type Binary struct {
	Length int    `json:"length"`
	Magic  string `json:"magic"` // its first bytes, in hexadecimal
	Exact  bool   `json:"exact"` // whether the length has to be equal
}

// counted reports whether the step is compared.
func (s *Step) counted() bool { return s.Rig == nil || s.Rig == false || s.Rig == "" }

func (s *Step) String() string {
	text := s.Method + " " + s.Path
	if s.Query != "" {
		text += "?" + s.Query
	}
	return text
}

// noToken stands for every token in what is recorded: comparing takes one for another.
const noToken = "eyJ0b2tlbg.e30.c2lnbmVk"

// record takes a response as the one the step is to have.
func (s *Step) record(r *response) {
	s.Status, s.Response, s.ResponseText, s.ResponseBinary = r.status, nil, nil, nil
	s.ContentType, s.ResponseHeaders = "", nil
	if len(r.body) == 0 {
		return
	}
	s.ContentType, _, _ = mime.ParseMediaType(r.header.Get("Content-Type"))
	for name := range r.header {
		if strings.HasPrefix(name, "X-") {
			if s.ResponseHeaders == nil {
				s.ResponseHeaders = map[string]string{}
			}
			s.ResponseHeaders[name] = r.header.Get(name)
		}
	}
	text := webToken.ReplaceAllString(string(r.body), noToken)
	if _, err := decode(r.body); err == nil {
		s.Response = json.RawMessage(text)
		return
	}
	s.ResponseText = &text
}

// Load reads the scenarios of a file.
func Load(path string) ([]Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Scenario
	in := bufio.NewReader(bytes.NewReader(text))
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			var s Scenario
			if err := d.Decode(&s); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", filepath.Base(path), n, err)
			}
			all = append(all, s)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
	}
}

// Difference is where a response is not what it is to be. Path is "status",
// "header X" or the place in the body.
type Difference struct {
	Path     string
	Want     string
	Got      string
	Scenario string
	Step     int
	Request  string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s#%d %s\n\t%s: want %s\n\t%s  got %s", d.Scenario, d.Step, d.Request, d.Path, d.Want, strings.Repeat(" ", len(d.Path)), d.Got)
}
