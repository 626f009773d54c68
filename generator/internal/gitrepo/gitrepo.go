package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/reach"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/netguard"
)

// tidyTimeout bounds the removal of a repository that could not be filled. It
// goes on when the delivery's context has ended.
const tidyTimeout = 15 * time.Second

// Repositories delivers artifacts as new repositories. It is safe for
// concurrent use.
type Repositories struct {
	opts      Options
	base, api *url.URL
	http      *http.Client
}

// New returns a delivery to one forge. Nothing is connected to before the first
// delivery.
func New(opts Options) (*Repositories, error) {
	base, api, err := opts.check()
	if err != nil {
		return nil, err
	}
	guard := netguard.New()
	if !opts.Untrusted {
		guard = netguard.New(base.Host, api.Host)
	}
	return &Repositories{opts: opts, base: base, api: api, http: guard.Client(opts.Roots)}, nil
}

// Deliver creates a repository named like the artifact and pushes one commit
// with its files.
func (r *Repositories) Deliver(ctx context.Context, a *generator.Artifact, progress generator.Progress) (*generator.Receipt, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("creating a repository: %w", err)
	}
	doing := "creating the repository " + r.place(a.Name)
	if a.Existing {
		return nil, &failure.Error{Kind: failure.Invalid, Doing: doing, Why: "these files are additions to an existing plugin", Next: "write them into its folder with the mode filesystem"}
	}
	if err := repositoryName(a.Name); err != nil {
		return nil, &failure.Error{Kind: failure.Invalid, Doing: doing, Why: err.Error(), Next: "choose another artifact id", Err: err}
	}
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
	defer cancel()
	token, err := r.opts.Token(ctx)
	if err != nil || token == "" || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return nil, &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "there is no usable token for the forge", Next: "set one that may create repositories", Err: err}
	}
	f := &forge{kind: r.opts.Kind, base: r.base, api: r.api, http: r.http, token: token}

	progress.Report(0, 3, "packing "+a.Name)
	c, err := r.pack(ctx, a, r.opts.Now())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	progress.Report(1, 3, "creating the repository "+a.Name)
	if err := ctx.Err(); err != nil {
		return nil, reach.Failure(ctx, doing, r.base.Host, err)
	}
	// A caller that cancels while the forge creates it still has to learn whether it did:
	// else nobody would remove it.
	creating, created := outlast(ctx, tidyTimeout)
	made, sent, err := f.create(creating, doing, r.opts.Owner, a.Name, !r.opts.Public, r.opts.Branch)
	created()
	if err != nil {
		if sent {
			err = withLeft(err, "the forge may have created it before it failed: look for "+r.place(a.Name)+" there")
		}
		return nil, err
	}
	progress.Report(2, 3, "pushing "+c.hash.String()[:12])
	if err := r.fill(ctx, f, made, c); err != nil {
		return nil, withLeft(err, r.tidy(outer, f, made, c))
	}
	progress.Report(3, 3, "pushed "+c.hash.String()[:12])
	r.opts.Logger.InfoContext(ctx, "repository created", "repository", made.FullName, "commit", c.hash.String())
	return &generator.Receipt{Mode: generator.ModeRepository, RepositoryURL: made.HTMLURL, CloneURL: made.CloneURL, Commit: c.hash.String()}, nil
}

// outlast is a context that goes on for some time when ctx is canceled, but not
// beyond its deadline, which it must have.
func outlast(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	at, _ := ctx.Deadline()
	longer, cancel := context.WithDeadline(context.WithoutCancel(ctx), at)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}

// Place names the repository that an artifact goes to.
func (r *Repositories) Place(a *generator.Artifact) string { return r.place(a.Name) }

// place names a repository that need not exist.
func (r *Repositories) place(name string) string {
	if r.opts.Owner == "" {
		return name + " on " + r.base.Host
	}
	return r.opts.Owner + "/" + name + " on " + r.base.Host
}

// fill pushes the commit and checks whether it arrived.
func (r *Repositories) fill(ctx context.Context, f *forge, made *repository, c *commit) error {
	doing := "pushing to the new repository " + made.FullName + " on " + f.base.Host
	remote, err := f.remote(made.FullName, r.opts.Branch)
	if err != nil {
		return &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "it has no usable address", Next: "check the forge's address", Err: err}
	}
	if err := remote.push(ctx, c); err != nil {
		return f.explainPush(ctx, doing, err)
	}
	err = again(ctx, func() (bool, error) {
		hash, _, err := remote.head(ctx)
		if err == nil && hash != c.hash {
			err = errOther
		}
		return true, err
	})
	if errors.Is(err, errOther) {
		return &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "the forge took the commit but does not have it", Next: "look at the forge's log", Err: err}
	}
	if err != nil { // the forge has reported the push as done
		r.opts.Logger.WarnContext(ctx, "the pushed commit could not be looked up", "repository", made.FullName)
	}
	return nil
}

var errOther = errors.New("the branch has another commit")

// tidy removes a repository that could not be filled. It returns what is left
// to tell, "" when it is gone.
func (r *Repositories) tidy(ctx context.Context, f *forge, made *repository, c *commit) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	left := "the repository " + made.HTMLURL + " is still there"
	if remote, err := f.remote(made.FullName, r.opts.Branch); err == nil {
		hash, others, err := remote.head(ctx)
		if err == nil && (others || !hash.IsZero() && hash != c.hash) {
			return left + ", since somebody else pushed to it"
		}
	}
	if err := f.remove(ctx, "removing it", made.FullName); err != nil {
		return left + ": " + err.Error()
	}
	return ""
}

// withLeft adds to an error what is left behind.
func withLeft(err error, left string) error {
	if left == "" {
		return err
	}
	var failed *failure.Error
	var canceled *failure.Canceled
	switch {
	case errors.As(err, &canceled):
		c := *canceled
		c.Left = left
		return &c
	case errors.As(err, &failed):
		e := *failed
		e.Next = strings.TrimPrefix(e.Next+"; "+left, "; ")
		return &e
	}
	return fmt.Errorf("%w; %s", err, left)
}
