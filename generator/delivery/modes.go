package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/gitrepo"
	"github.com/erphub/erphub/generator/internal/mail"
	"github.com/erphub/erphub/generator/internal/objectstore"
	"github.com/erphub/erphub/internal/failure"
)

// filesystem writes below a folder.
func (d *Deliveries) filesystem(r Request) (generator.Delivery, error) {
	dir := cmp.Or(r.Directory, d.setting(KeyDirectory), d.opts.Directory)
	if dir == "" {
		return nil, wrong(KeyDirectory, "there is no folder to write to", "set it, or choose another output", nil)
	}
	abs, err := filepath.Abs(dir)
	if err != nil || strings.ContainsRune(dir, 0) {
		return nil, wrong(KeyDirectory, "it is not a folder", "correct it", err)
	}
	return &below{generator.Filesystem{Dir: abs, Force: r.Force, DryRun: r.DryRun}}, nil
}

// below is the mode filesystem for a folder that others may write to as well: it
// does not follow a link out of it.
type below struct{ files generator.Filesystem }

// Place is the folder that an artifact is written to.
func (b *below) Place(a *generator.Artifact) string { return b.files.Path(a) }

// Deliver writes the files.
func (b *below) Deliver(ctx context.Context, a *generator.Artifact, progress generator.Progress) (*generator.Receipt, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("writing an artifact: %w", err)
	}
	if !a.Existing {
		st, err := os.Lstat(b.files.Path(a))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("writing %s: %w", a.Name, err)
		case st.Mode()&fs.ModeSymlink != 0:
			return nil, &failure.Error{Kind: failure.Exists, Doing: "writing " + a.Name, Why: "a link of that name is there, which may lead elsewhere", Next: "remove it, or choose another artifact id"}
		}
	}
	return b.files.Deliver(ctx, a, progress)
}

// openStore opens the store of the mode url.
func (d *Deliveries) openStore() (generator.ArtifactStore, error) {
	if bucket := d.setting(KeyArtifactsBucket); bucket != "" {
		return d.openBucket(bucket)
	}
	dir := cmp.Or(d.setting(KeyArtifacts), d.opts.ArtifactsDirectory)
	if dir == "" {
		return nil, wrong(KeyArtifacts, "there is no folder to keep artifacts in", "set it, or "+KeyArtifactsBucket+" ("+lookUp(KeyArtifactsBucket).Env+")", nil)
	}
	megabytes, err := d.whole(KeyMaxMegabytes, 1, 1<<30)
	if err != nil {
		return nil, err
	}
	store, err := generator.OpenArtifactFolder(dir, generator.ArtifactFolderOptions{MaxBytes: int64(megabytes) << 20, Now: d.opts.Now})
	if err != nil {
		return nil, err
	}
	return store, nil
}

// openBucket opens the store of the mode url in a bucket.
func (d *Deliveries) openBucket(bucket string) (generator.ArtifactStore, error) {
	if d.setting(KeyArtifacts) != "" {
		return nil, wrong(KeyArtifactsBucket, "a folder is set as well", "clear it, or "+KeyArtifacts+" ("+lookUp(KeyArtifacts).Env+")", nil)
	}
	o := d.objectStoreOptions()
	o.Bucket, o.Prefix, o.Now = bucket, d.setting(KeyArtifactsPrefix), d.opts.Now
	store, err := objectstore.NewArtifacts(o)
	if err != nil {
		return nil, err
	}
	return store, nil
}

func (d *Deliveries) links() (generator.Delivery, error) {
	base := cmp.Or(d.setting(KeyBaseURL), d.opts.BaseURL)
	store, err := d.store.get(d.openStore)
	if err != nil {
		return nil, err
	}
	l, err := generator.NewLinkDelivery(store, base, d.ttl)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// storeCredentials are the keys of the object store.
func (d *Deliveries) storeCredentials(ctx context.Context) (c objectstore.Credentials, err error) {
	if c.AccessKey, err = d.need(ctx, KeyAccessKey); err != nil {
		return c, err
	}
	if c.SecretKey, err = d.need(ctx, KeySecretKey); err != nil {
		return c, err
	}
	c.SessionToken, err = d.secret(ctx, KeySessionToken)
	return c, err
}

// objectStoreOptions are what all that is kept in object storage has in common.
func (d *Deliveries) objectStoreOptions() objectstore.Options {
	return objectstore.Options{
		Endpoint: d.setting(KeyEndpoint), Region: d.setting(KeyRegion), Credentials: d.storeCredentials,
		Untrusted: d.opts.Untrusted, Roots: d.opts.Roots, Logger: d.opts.Logger,
	}
}

func (d *Deliveries) objectStore() (generator.Delivery, error) {
	o := d.objectStoreOptions()
	o.Bucket, o.Prefix, o.TTL = d.setting(KeyBucket), d.setting(KeyPrefix), min(d.ttl, objectstore.MaxTTL)
	s, err := objectstore.New(o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (d *Deliveries) repositories() (generator.Delivery, error) {
	private, err := d.yes(KeyPrivate)
	if err != nil {
		return nil, err
	}
	r, err := gitrepo.New(gitrepo.Options{
		URL: d.setting(KeyForge), Kind: gitrepo.Kind(strings.ToLower(d.setting(KeyForgeKind))),
		Owner: d.setting(KeyOrg), Public: !private, Branch: d.setting(KeyBranch),
		Token:     func(ctx context.Context) (string, error) { return d.need(ctx, KeyForgeToken) },
		Now:       d.opts.Now,
		Untrusted: d.opts.Untrusted, Roots: d.opts.Roots, Logger: d.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// email sends to one address. The address is looked at first: who forgot it
// does not have to know whether mail is configured.
func (d *Deliveries) email(ctx context.Context, to string) (generator.Delivery, error) {
	if to == "" {
		return nil, &failure.Error{Kind: failure.Invalid, Doing: "sending an e-mail", Why: "there is no address to send it to", Next: "give one in the field email"}
	}
	if err := mail.CheckAddress(to); err != nil {
		return nil, err
	}
	sender, err := d.sender(ctx)
	if err != nil {
		return nil, err
	}
	delivery, err := sender.To(to)
	if err != nil {
		return nil, err
	}
	return delivery, nil
}

// sender sends mails with the settings.
func (d *Deliveries) sender(ctx context.Context) (*mail.Sender, error) {
	if _, err := d.login(ctx); err != nil {
		return nil, err
	}
	return d.mail.get(d.newSender)
}

// recipients are whom mails may go to, nil for everybody.
func (d *Deliveries) recipients() ([]string, error) {
	if text := d.setting(KeyRecipients); text != "" {
		if list := recipientsOf(text); len(list) > 0 {
			return list, nil
		}
		return nil, wrong(KeyRecipients, "it names nobody", "name addresses or domains, with commas between them", nil)
	}
	if d.opts.AnyRecipient {
		return nil, nil
	}
	from, err := netmail.ParseAddress(d.setting(KeyFrom))
	if err != nil {
		return []string{}, nil // nobody; mail.New refuses the sender
	}
	domain := from.Address[strings.LastIndexByte(from.Address, '@')+1:]
	if domain == "localhost" {
		return nil, wrong(KeyRecipients, "it is not set, and the sender "+from.Address+" has no domain to go by",
			"set it to the addresses and domains that mails may go to, or set "+KeyFrom+" ("+lookUp(KeyFrom).Env+")", nil)
	}
	return []string{domain}, nil
}

// recipientsOf splits a list.
func recipientsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// login is the user at the mail server, without one when none is set.
func (d *Deliveries) login(ctx context.Context) (mail.Login, error) {
	user := d.setting(KeySMTPUser)
	if user == "" {
		return mail.Login{}, nil
	}
	password, err := d.need(ctx, KeySMTPPassword)
	return mail.Login{User: user, Password: password}, err
}

// tlsPort is where mail servers speak TLS from the start.
const tlsPort = "465"

func (d *Deliveries) newSender() (*mail.Sender, error) {
	host := d.setting(KeySMTPHost)
	if port := d.setting(KeySMTPPort); port != "" && host != "" {
		if _, err := d.whole(KeySMTPPort, 1, 65535); err != nil {
			return nil, err
		}
		if _, other, err := net.SplitHostPort(host); err == nil && other != port {
			return nil, wrong(KeySMTPPort, "the mail server is set with another port", "set it in one place", nil)
		} else if err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
	}
	recipients, unclear := d.recipients()
	opts := mail.Options{
		Host: host, From: d.setting(KeyFrom), Login: d.login, Recipients: recipients,
		Untrusted: d.opts.Untrusted, Roots: d.opts.Roots, Logger: d.opts.Logger,
	}
	switch security := strings.ToLower(d.setting(KeySMTPSecurity)); security {
	case "", "starttls":
	case "tls":
		opts.ImplicitTLS = true
		if _, _, err := net.SplitHostPort(host); err != nil && host != "" {
			opts.Host = net.JoinHostPort(strings.Trim(host, "[]"), tlsPort)
		}
	case "none":
		opts.Cleartext = true
	default:
		return nil, wrong(KeySMTPSecurity, strconv.Quote(failure.Words(security))+" is none of starttls, tls and none", "correct it", nil)
	}
	sender, err := mail.New(opts)
	if err != nil {
		return nil, err
	}
	return sender, unclear
}

// cleanEvery is how often what is over is removed.
const cleanEvery = 5 * time.Minute

// Clean removes artifacts whose time is over, now and again until the context
// ends. It returns at once when the mode url is not configured.
func (d *Deliveries) Clean(ctx context.Context) {
	if store, err := d.store.get(d.openStore); err == nil {
		generator.CleanArtifacts(ctx, store, cleanEvery, d.opts.Logger)
	}
}
