package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/erphub/erphub/generator/internal/reach"
	"github.com/erphub/erphub/internal/failure"
)

// A repository that was just created can be unknown to the forge's git side for
// a moment, and one that was just pushed to can be busy.
const (
	tries = 6
	pause = 150 * time.Millisecond // grows with each try
)

// remote is the git side of one repository.
type remote struct {
	client   transport.Transport
	endpoint *transport.Endpoint
	auth     *githttp.BasicAuth
	ref      plumbing.ReferenceName
}

func (f *forge) remote(fullName, branch string) (*remote, error) {
	// The address follows from the operator's, not from the forge's response: the
	// token goes there.
	endpoint, err := transport.NewEndpoint(f.base.JoinPath(strings.Split(fullName+".git", "/")...).String())
	if err != nil {
		return nil, err
	}
	return &remote{
		client:   githttp.NewClientWithOptions(f.http, &githttp.ClientOptions{RedirectPolicy: githttp.NoFollowRedirects}),
		endpoint: endpoint,
		auth:     &githttp.BasicAuth{Username: "x-access-token", Password: f.token},
		ref:      plumbing.NewBranchReferenceName(branch),
	}, nil
}

// push sends the commit to an empty repository.
func (r *remote) push(ctx context.Context, c *commit) error {
	session, err := r.client.NewReceivePackSession(r.endpoint, r.auth)
	if err != nil {
		return err
	}
	defer session.Close()
	var adv *packp.AdvRefs
	err = again(ctx, func() (bool, error) {
		adv, err = session.AdvertisedReferencesContext(ctx)
		return errors.Is(err, transport.ErrRepositoryNotFound), err
	})
	if err != nil {
		return err
	}
	req := packp.NewReferenceUpdateRequestFromCapabilities(adv.Capabilities)
	req.Commands = []*packp.Command{{Name: r.ref, Old: plumbing.ZeroHash, New: c.hash}}
	req.Packfile = io.NopCloser(bytes.NewReader(c.pack))
	_, err = session.ReceivePack(ctx, req) // the report's errors are part of err
	return err
}

// head returns the branch's commit as the forge has it, and whether there are
// other references than it.
func (r *remote) head(ctx context.Context) (hash plumbing.Hash, others bool, err error) {
	session, err := r.client.NewUploadPackSession(r.endpoint, r.auth)
	if err != nil {
		return hash, false, err
	}
	defer session.Close()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return hash, false, nil
	}
	if err != nil {
		return hash, false, err
	}
	for name, h := range adv.References {
		if name == r.ref.String() {
			hash = h
		} else if name != plumbing.HEAD.String() {
			others = true
		}
	}
	return hash, others, nil
}

// again retries what fails for a moment.
func again(ctx context.Context, do func() (retry bool, err error)) error {
	for try := 1; ; try++ {
		retry, err := do()
		if err == nil || !retry || try == tries {
			return err
		}
		timer := time.NewTimer(time.Duration(try) * pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// explainPush turns an error of the git side into one for people.
func (f *forge) explainPush(ctx context.Context, doing string, err error) error {
	var wrapped *plumbing.UnexpectedError
	if errors.As(err, &wrapped) { // it hides its cause from errors.As
		err = wrapped.Err
	}
	e := &failure.Error{Doing: doing, Err: err}
	var httpErr *githttp.Err
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired):
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the forge created the repository but does not take the token for pushing", "use a token that may write to repositories"
	case errors.Is(err, transport.ErrAuthorizationFailed):
		e.Kind, e.Why, e.Next = failure.NotAuthorized, "the token may create repositories but not push to them", "use a token that may write to their contents"
	case errors.Is(err, transport.ErrRepositoryNotFound):
		e.Kind, e.Why, e.Next = failure.NotFound, "the forge created the repository but has none at its address", "check that the forge's address is the one that repositories are cloned from"
	default:
		if errors.As(err, &httpErr) && httpErr.Response != nil {
			status := httpErr.Response.StatusCode
			e.Kind, e.Why, e.Next = failure.Refused, "the forge responded to the push with "+http.StatusText(status), "look at the forge's log"
			if status == http.StatusRequestEntityTooLarge {
				e.Kind, e.Next = failure.TooLarge, "raise the forge's limit for a push"
			}
			return e
		}
		if network := reach.Failure(ctx, doing, "the forge "+f.base.Host, err); network != nil {
			return network
		}
		e.Kind, e.Why, e.Next = failure.Refused, "the forge refused the push: "+failure.Words(err.Error(), f.token), "look at its rules for pushes (hooks, protected branches, quota)"
	}
	return e
}
