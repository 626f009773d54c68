package gitrepo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/erphub/erphub/generator/internal/reach"
	"github.com/erphub/erphub/internal/failure"
)

// maxResponse bounds how much of a response of the forge is read.
const maxResponse = 1 << 20

// forge is the part of a forge's API that creates and removes repositories.
type forge struct {
	kind  Kind
	base  *url.URL // as people see it
	api   *url.URL
	http  *http.Client
	token string
}

// repository is what the forge says about one that it created.
type repository struct {
	FullName string `json:"full_name"`
	HTMLURL  string `json:"html_url"`
	CloneURL string `json:"clone_url"`
}

// response is a forge's response to one request.
type response struct {
	status int
	body   []byte
	moved  bool
}

// create makes an empty repository. When sent is true in an error, the forge
// may have created it nevertheless.
func (f *forge) create(ctx context.Context, doing, owner, name string, private bool, branch string) (r *repository, sent bool, err error) {
	body := map[string]any{"name": name, "private": private, "auto_init": false}
	if f.kind == Gitea {
		body["default_branch"] = branch
	}
	path := []string{"user", "repos"}
	if owner != "" {
		path = []string{"orgs", owner, "repos"}
	}
	a, sent, err := f.call(ctx, doing, http.MethodPost, body, path...)
	if err == nil && a.status == http.StatusNotFound && owner != "" && f.isUser(ctx, doing, owner) {
		a, sent, err = f.call(ctx, doing, http.MethodPost, body, "user", "repos")
	}
	if err != nil {
		return nil, sent, err
	}
	if a.status != http.StatusCreated {
		return nil, a.status >= 500, f.refusal(doing, a, owner, name)
	}
	r = new(repository)
	parts := []string{"", ""}
	if json.Unmarshal(a.body, r) == nil {
		parts = strings.Split(r.FullName, "/")
	}
	if len(parts) != 2 || !segment().MatchString(parts[0]) || !strings.EqualFold(parts[1], name) || owner != "" && !strings.EqualFold(parts[0], owner) {
		return nil, true, &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "the forge says that it created it, but not where", Next: "check that the address is the one of a forge of the kind " + string(f.kind)}
	}
	r.HTMLURL = f.shown(r.HTMLURL, r.FullName)
	r.CloneURL = f.shown(r.CloneURL, r.FullName+".git")
	return r, false, nil
}

// shown is a link of the forge's response when it can be shown as it is, and else
// the one that follows from the forge's address.
func (f *forge) shown(link, path string) string {
	u, err := url.Parse(link)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return link
	}
	return f.base.JoinPath(strings.Split(path, "/")...).String()
}

// isUser reports whether the token is the owner's own.
func (f *forge) isUser(ctx context.Context, doing, owner string) bool {
	a, _, err := f.call(ctx, doing, http.MethodGet, nil, "user")
	var user struct {
		Login string `json:"login"`
	}
	return err == nil && a.status == http.StatusOK && json.Unmarshal(a.body, &user) == nil && strings.EqualFold(user.Login, owner)
}

// remove removes a repository.
func (f *forge) remove(ctx context.Context, doing, fullName string) error {
	owner, name, _ := strings.Cut(fullName, "/")
	a, _, err := f.call(ctx, doing, http.MethodDelete, nil, "repos", owner, name)
	if err == nil && a.status != http.StatusNoContent && a.status != http.StatusOK {
		err = f.refusal(doing, a, owner, name)
	}
	return err
}

// call does one request of the API. Sent says whether the request reached the
// forge, or may have.
func (f *forge) call(ctx context.Context, doing, method string, body any, path ...string) (a response, sent bool, err error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return a, false, fmt.Errorf("%s: %w", doing, err)
		}
		content = bytes.NewReader(data)
	}
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent = true }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), method, f.api.JoinPath(path...).String(), content)
	if err != nil {
		return a, false, fmt.Errorf("%s: %w", doing, err)
	}
	req.Header.Set("User-Agent", "erphub")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	switch f.kind {
	case GitHub:
		req.Header.Set("Accept", "application/vnd.github+json")
		req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
		req.Header.Set("Authorization", "Bearer "+f.token)
	default:
		req.Header.Set("Accept", "application/json")
		req.Header.Set("Authorization", "token "+f.token)
	}
	resp, err := f.http.Do(req)
	if err == nil {
		a.status, a.moved = resp.StatusCode, resp.StatusCode >= 300 && resp.StatusCode < 400
		a.body, err = io.ReadAll(io.LimitReader(resp.Body, maxResponse))
		_ = resp.Body.Close() // read already
	}
	if err != nil {
		return a, sent, f.network(ctx, doing, err)
	}
	return a, sent, nil
}

func (f *forge) network(ctx context.Context, doing string, err error) error {
	if e := reach.Failure(ctx, doing, "the forge "+f.base.Host, err); e != nil {
		return e
	}
	return &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "the forge " + f.base.Host + " did not respond as one does", Next: "check its address", Err: err}
}

// refusal makes an error of a response.
func (f *forge) refusal(doing string, a response, owner, name string) error {
	e := &failure.Error{Doing: doing}
	words := f.words(a.body)
	switch {
	case a.moved:
		e.Kind, e.Why, e.Next = failure.NotConfigured, "the forge sends its callers to another address, which is not followed", "set the address it has now"
	case a.status == http.StatusUnauthorized:
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the forge does not know the token", "make a new one and set it"
	case a.status == http.StatusForbidden, a.status == http.StatusTooManyRequests:
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the token may not do this: "+words, "use one with the scope for it (GitHub: repo or Administration, Gitea: write:repository and write:organization)"
		if strings.Contains(strings.ToLower(words), "rate limit") || a.status == http.StatusTooManyRequests {
			e.Kind, e.Why, e.Next = failure.Unreachable, "too many requests were made with the token", "try again later"
		}
	case a.status == http.StatusConflict, a.status == http.StatusUnprocessableEntity && strings.Contains(strings.ToLower(words), "already exist"):
		e.Kind, e.Why, e.Next = failure.Exists, "a repository "+name+" already exists", "choose another artifact id, or remove or rename that one"
	case a.status == http.StatusNotFound && owner != "":
		e.Kind, e.Why, e.Next = failure.NotFound, "there is no organization "+owner+" that the token can see", "set hub.repository.default-org to one, or to nothing for the token's own user"
	case a.status == http.StatusNotFound:
		e.Kind, e.Why, e.Next = failure.NotFound, "there is no forge of the kind "+string(f.kind)+" at this address", "check address and kind"
	case a.status == http.StatusUnprocessableEntity, a.status == http.StatusBadRequest:
		e.Kind, e.Why, e.Next = failure.Refused, "the forge does not take it: "+words, "choose another artifact id"
	case a.status == http.StatusInsufficientStorage, a.status == http.StatusRequestEntityTooLarge:
		e.Kind, e.Why, e.Next = failure.Full, "the forge has no room for it: "+words, "remove old repositories or raise the quota"
	case a.status >= 500:
		e.Kind, e.Why, e.Next = failure.Unreachable, fmt.Sprintf("the forge cannot do it now (%d %s)", a.status, words), "try again later"
	default:
		e.Kind, e.Why, e.Next = failure.Unexpected, fmt.Sprintf("the forge responded with %d %s", a.status, words), "check address and kind"
	}
	return e
}

// words is what the forge says in its error, with the details.
func (f *forge) words(body []byte) string {
	var said struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &said) != nil {
		return "no reason given"
	}
	parts := []string{said.Message}
	for _, raw := range said.Errors {
		var detail struct {
			Message string `json:"message"`
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			parts = append(parts, text)
		} else if json.Unmarshal(raw, &detail) == nil && detail.Message != "" {
			parts = append(parts, detail.Message)
		}
	}
	return failure.Words(strings.Join(parts, "; "), f.token)
}
