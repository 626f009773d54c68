package recorded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Player sends scenarios to a server.
type Player struct {
	Base   string // of the API, "http://127.0.0.1:8080/api/v1"
	Client *http.Client
	// Pause is called where a scenario waits.
	Pause func(time.Duration)
	// Descriptions are texts that the server's dictionary has and that of the recording
	// had not: where a member Description or Help has one of them, and the recording
	// nothing, they are equal. Nil: no texts.
	Descriptions map[string]bool
	// Record has every step take the response it gets instead of comparing it.
	Record bool
}

// Outcome is what playing a scenario showed.
type Outcome struct {
	Compared int   // steps
	Unequal  []int // numbers of the steps that are not equal
	// Differences has all of them, several of one step.
	Differences []Difference
}

// response is one as it came.
type response struct {
	status int
	header http.Header
	body   []byte
}

var placeholder = regexp.MustCompile(`\{\{([\w.-]+)\}\}`)

// withBody names the step with its body, where that is short.
func (s *Step) withBody() string {
	if len(s.Body) == 0 || len(s.Body) >= 300 {
		return s.String()
	}
	return s.String() + " " + string(s.Body)
}

func (p *Player) login(ctx context.Context, s *Scenario) (string, error) {
	login := Step{Method: http.MethodPost, Path: "/auth/tokens", Body: s.As, NoAuth: true}
	r, err := p.send(ctx, &login, nil)
	if err != nil {
		return "", err
	}
	var got struct{ Token string }
	if err := json.Unmarshal(r.body, &got); err != nil || got.Token == "" {
		return "", fmt.Errorf("scenario %s: the login failed with status %d", s.ID, r.status)
	}
	return got.Token, nil
}

// Play sends the steps in order and compares the responses.
func (p *Player) Play(ctx context.Context, s *Scenario) (*Outcome, error) {
	known := map[string]any{}
	if len(s.As) > 0 && string(s.As) != "null" {
		token, err := p.login(ctx, s)
		if err != nil {
			return nil, err
		}
		known["token"] = token
	}
	c, err := newComparison(s.Recorded)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.ID, err)
	}
	c.descriptions = p.Descriptions
	out := &Outcome{}
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Pause > 0 {
			p.Pause(time.Duration(step.Pause * float64(time.Second)))
		}
		c.binds = c.binds || !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, step.Method)
		r, err := p.send(ctx, step, known)
		var missing *missingError
		if err != nil && !errors.As(err, &missing) {
			return nil, fmt.Errorf("scenario %s, step %d: %w", s.ID, i, err)
		}
		var found []Difference
		if missing != nil {
			found = []Difference{{Path: "request", Want: "what an earlier response had", Got: missing.Error()}}
		} else {
			capture(step, r, known)
			if p.Record {
				step.record(r)
			}
			found = c.response(step, r)
		}
		if !step.counted() {
			continue
		}
		out.Compared++
		if len(found) > 0 {
			out.Unequal = append(out.Unequal, i)
		}
		for _, d := range found {
			d.Scenario, d.Step, d.Request = s.ID, i, step.withBody()
			out.Differences = append(out.Differences, d)
		}
	}
	return out, nil
}

// missingError is that of a step that needs what no response had.
type missingError struct{ name string }

func (e *missingError) Error() string { return "no response had " + e.name }

// fill replaces the placeholders of a text; quote makes a value fit for it.
func fill(text string, known map[string]any, quote func(any) string) (string, error) {
	var err error
	filled := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := strings.Trim(m, "{}")
		v, ok := known[name]
		if !ok {
			err = &missingError{name}
			return m
		}
		return quote(v)
	})
	return filled, err
}

// fillValue replaces the placeholders in a JSON value. A text that is one
// placeholder becomes the captured value, with its type.
func fillValue(v any, known map[string]any) (_ any, err error) {
	switch v := v.(type) {
	case string:
		if m := placeholder.FindStringSubmatch(v); m != nil && m[0] == v {
			if got, ok := known[m[1]]; ok {
				return got, nil
			}
			return nil, &missingError{m[1]}
		}
		return fill(v, known, plain)
	case []any:
		for i := range v {
			if v[i], err = fillValue(v[i], known); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name, member := range v {
			if name, err = fill(name, known, plain); err != nil {
				return nil, err
			}
			if filled[name], err = fillValue(member, known); err != nil {
				return nil, err
			}
		}
		return filled, nil
	}
	return v, nil
}

func plain(v any) string { return fmt.Sprint(v) }

// send makes the request of a step.
func (p *Player) send(ctx context.Context, s *Step, known map[string]any) (*response, error) {
	body, err := s.body(known)
	if err != nil {
		return nil, err
	}
	path, err := fill(s.Path, known, plain)
	if err != nil {
		return nil, err
	}
	query, err := fill(s.Query, known, func(v any) string { return url.QueryEscape(plain(v)) })
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, s.Method, p.Base, body)
	if err != nil {
		return nil, err
	}
	decoded := req.URL.Path + path
	if unescaped, err := url.PathUnescape(path); err == nil && unescaped != path {
		req.URL.RawPath = req.URL.Path + path
		decoded = req.URL.Path + unescaped
	}
	req.URL.Path, req.URL.RawQuery = decoded, query
	req.Header.Set("Accept", "*/*")
	switch {
	case s.BodyBase64 != nil:
		req.Header.Set("Content-Type", "application/octet-stream")
	case body != nil:
		req.Header.Set("Content-Type", "application/json")
	}
	if token, ok := known["token"]; ok && !s.NoAuth {
		req.Header.Set("Authorization", "Bearer "+plain(token))
	}
	for name, value := range s.Headers {
		req.Header.Del(name)
		if value != nil {
			text, err := fill(*value, known, plain)
			if err != nil {
				return nil, err
			}
			req.Header.Set(name, text)
		}
	}
	resp, err := p.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return &response{status: resp.StatusCode, header: resp.Header, body: got}, err
}

// body is the body of the request, nil for none.
func (s *Step) body(known map[string]any) (io.Reader, error) {
	switch {
	case s.Body != nil:
		d := json.NewDecoder(bytes.NewReader(s.Body))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if !placeholder.Match(s.Body) {
			return bytes.NewReader(s.Body), nil // with the order of its members
		}
		v, err := fillValue(v, known)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(v)
		return bytes.NewReader(text), err
	case s.BodyText != nil:
		text, err := fill(*s.BodyText, known, plain)
		return strings.NewReader(text), err
	case s.BodyBase64 != nil:
		return bytes.NewReader(s.BodyBase64), nil
	case len(s.BodyRepeat) == 4:
		n, _ := s.BodyRepeat[2].(float64)
		return strings.NewReader(plain(s.BodyRepeat[0]) + strings.Repeat(plain(s.BodyRepeat[1]), int(n)) + plain(s.BodyRepeat[3])), nil
	}
	return nil, nil
}

// capture remembers members of a response.
func capture(s *Step, r *response, known map[string]any) {
	if len(s.Capture) == 0 {
		return
	}
	body, err := decode(r.body)
	if err != nil {
		return // what needs it says so
	}
	for name, path := range s.Capture {
		if v := member(body, path); v != nil {
			known[name] = v
		}
	}
}

var pathPart = regexp.MustCompile(`\.([^.\[]+)|\[(-?\d+)\]|\['([^']+)'\]`)

// member finds what a path such as "$.lines[0].id" names; nil when nothing is
// there.
func member(v any, path string) any {
	for _, m := range pathPart.FindAllStringSubmatch(path, -1) {
		switch {
		case m[2] != "":
			list, _ := v.([]any)
			var i int
			_, _ = fmt.Sscan(m[2], &i)
			if i < 0 {
				i += len(list)
			}
			if i < 0 || i >= len(list) {
				return nil
			}
			v = list[i]
		default:
			object, _ := v.(map[string]any)
			v = object[m[1]+m[3]]
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// decode reads a JSON value with its numbers as they are written.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}
