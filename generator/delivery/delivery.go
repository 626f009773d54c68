package delivery

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/mail"
	"github.com/erphub/erphub/internal/failure"
)

// Options say where settings come from. The zero value has the defaults and no
// credentials.
type Options struct {
	// Setting returns the value of a key of the configuration, "" for none. It
	// may return the environment's value or a default. Nil: no settings.
	Setting func(key string) string
	// Getenv is os.Getenv or a test's. It is read first. Nil: the environment is
	// not looked at, which is right when Setting has done so.
	Getenv func(string) string
	// Directory is where the mode filesystem writes when hub.generator.directory
	// is not set, ArtifactsDirectory where the mode url keeps artifacts when
	// hub.artifacts.directory and hub.artifacts.bucket are not, BaseURL what its links begin with when
	// hub.artifacts.base-url is not. Without either the mode is not configured.
	Directory, ArtifactsDirectory, BaseURL string
	// AnyRecipient lets mails go to every address when hub.email.recipients is not
	// set, for programs whose user made the settings. Without it they go to the
	// sender's domain alone then.
	AnyRecipient bool
	// Untrusted says that the settings are not the operator's, so that hosts in
	// them must have public addresses.
	Untrusted bool
	// Roots are the authorities to trust, nil the system's.
	Roots *x509.CertPool
	// Now is the clock of artifacts' lives and commits, nil the system's.
	Now    func() time.Time
	Logger *slog.Logger // nil: silent
}

// Request is the request for one delivery.
type Request struct {
	// Output is the mode; empty means the configured one.
	Output string
	// Email is the recipient, which the mode email needs. Others ignore it.
	Email string
	// Directory is the folder that the mode filesystem writes to; empty means the configured
	// folder. It must not come from somebody who may not write everywhere.
	Directory string
	// Force and DryRun are for the mode filesystem, see [generator.Filesystem].
	Force, DryRun bool
}

// Deliveries makes deliveries. It is safe for concurrent use.
type Deliveries struct {
	opts  Options
	mode  generator.Mode
	ttl   time.Duration
	made  [3]once[generator.Delivery] // by the kept… constants
	mail  once[*mail.Sender]
	store once[generator.ArtifactStore]
}

const (
	keptURL = iota
	keptObjectStore
	keptRepository
)

// New reads the settings that all modes share. Those of a mode are read when it
// is requested; [Deliveries.Check] reads all.
func New(opts Options) (*Deliveries, error) {
	d := &Deliveries{opts: opts}
	d.opts.Logger = cmp.Or(d.opts.Logger, slog.New(slog.DiscardHandler))
	var err error
	if d.mode, err = generator.ParseMode(d.setting(KeyMode)); err != nil {
		return nil, wrong(KeyMode, err.Error(), "", nil)
	}
	minutes, err := d.whole(KeyTTL, 1, int(generator.MaxArtifactTTL/time.Minute))
	if err != nil {
		return nil, err
	}
	d.ttl = time.Duration(minutes) * time.Minute
	for _, r := range recipientsOf(d.setting(KeyRecipients)) {
		var bad *failure.Error
		if errors.As(mail.CheckRecipient(r), &bad) {
			return nil, wrong(KeyRecipients, bad.Why, bad.Next, nil)
		}
	}
	return d, nil
}

// TTL is the lifetime of download links.
func (d *Deliveries) TTL() time.Duration { return d.ttl }

// Mode is the mode of a request: what it names, else what is configured. One
// there is not is a failure of the kind [generator.FailureInvalid].
func (d *Deliveries) Mode(output string) (generator.Mode, error) {
	if output == "" {
		return d.mode, nil
	}
	mode, err := generator.ParseMode(output)
	if err != nil {
		return "", &failure.Error{Kind: failure.Invalid, Doing: "choosing the output", Why: err.Error(), Err: err}
	}
	return mode, nil
}

// For returns the delivery of a request. All settings and
// credentials that it needs are there and make sense then; nothing was connected
// to, and nothing written but the empty folder of the mode url. Settings that
// are missing or wrong are failures of the kind [generator.FailureNotConfigured], requests
// that are of [generator.FailureInvalid].
func (d *Deliveries) For(ctx context.Context, r Request) (generator.Mode, generator.Delivery, error) {
	mode, err := d.Mode(r.Output)
	if err != nil {
		return "", nil, err
	}
	delivery, err := d.of(ctx, mode, r)
	if err != nil {
		return mode, nil, err
	}
	return mode, delivery, nil
}

// Choose is [Deliveries.For] for requests that say no more than this: the HTTP
// API's.
func (d *Deliveries) Choose(ctx context.Context, output, email string) (generator.Mode, generator.Delivery, error) {
	return d.For(ctx, Request{Output: output, Email: email})
}

func (d *Deliveries) of(ctx context.Context, mode generator.Mode, r Request) (generator.Delivery, error) {
	switch mode {
	case generator.ModeFilesystem:
		return d.filesystem(r)
	case generator.ModeArchive:
		return generator.Archive{}, nil
	case generator.ModeURL:
		if d.setting(KeyArtifactsBucket) != "" {
			if _, err := d.storeCredentials(ctx); err != nil {
				return nil, err
			}
		}
		return d.made[keptURL].get(d.links)
	case generator.ModeObjectStore:
		if _, err := d.storeCredentials(ctx); err != nil {
			return nil, err
		}
		return d.made[keptObjectStore].get(d.objectStore)
	case generator.ModeRepository:
		if _, err := d.need(ctx, KeyForgeToken); err != nil {
			return nil, err
		}
		return d.made[keptRepository].get(d.repositories)
	case generator.ModeEmail:
		return d.email(ctx, r.Email)
	}
	return nil, &failure.Error{Kind: failure.Invalid, Doing: "choosing the output", Why: "there is no mode " + failure.Words(string(mode))}
}

// Check reports for every mode why it cannot be used with the settings, nil for
// those that can. Nothing is connected to; the folder of the mode url is made.
func (d *Deliveries) Check(ctx context.Context) map[generator.Mode]error {
	found := map[generator.Mode]error{}
	for _, mode := range generator.Modes() {
		var err error
		if mode == generator.ModeEmail {
			_, err = d.sender(ctx)
		} else {
			_, err = d.of(ctx, mode, Request{})
		}
		found[mode] = err
	}
	return found
}

// CheckBuckets returns why a bucket that is set cannot be used, so that a server can
// say it when it starts and not at the first request. Nothing is connected to.
func (d *Deliveries) CheckBuckets() error {
	var errs []error
	if d.setting(KeyBucket) != "" {
		if _, err := d.objectStore(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", KeyBucket, err))
		}
	}
	if bucket := d.setting(KeyArtifactsBucket); bucket != "" {
		if _, err := d.openBucket(bucket); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", KeyArtifactsBucket, err))
		}
	}
	return errors.Join(errs...)
}

// Artifacts is the store of the mode url, for the server that serves its links.
func (d *Deliveries) Artifacts() (generator.ArtifactStore, error) {
	return d.store.get(d.openStore)
}

// once makes a value once; an attempt that fails is retried.
type once[T any] struct {
	mu   sync.Mutex // guards what follows
	done bool
	v    T
}

func (o *once[T]) get(make func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.v, nil
	}
	v, err := make()
	if err == nil {
		o.v, o.done = v, true
	}
	return v, err
}
