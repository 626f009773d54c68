package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/mcp"
)

// receiptLine tells where a plugin went.
type receiptLine struct {
	Path       string `json:"path,omitempty"`
	Written    int    `json:"written,omitempty" jsonschema:"files that were not there with this content"`
	URL        string `json:"url,omitempty"`
	ExpiresAt  string `json:"expiresAt,omitempty"`
	CloneURL   string `json:"cloneUrl,omitempty"`
	Commit     string `json:"commit,omitempty"`
	SentTo     string `json:"sentTo,omitempty"`
	ObjectPath string `json:"objectPath,omitempty"`
}

// deliveryFor is the delivery that was requested, nil for the response alone.
func (b *Toolbox) deliveryFor(ctx context.Context, in deliverIn) (generator.Delivery, error) {
	if in.Output == outputResponse {
		if in.Email != "" {
			return nil, fail(mcp.CodeInvalidArguments, "leave email out, or set output", "an address goes with output email")
		}
		return nil, nil
	}
	if allowed := b.outputs(); !slices.Contains(allowed, in.Output) {
		hint := "allowed are: " + strings.Join(allowed, ", ") + "; with output response and show content the files can be read"
		return nil, fail(mcp.CodePermissionDenied, hint, "plugins may not go to %s here", in.Output)
	}
	mode, delivery, err := b.generators.Deliveries.Choose(ctx, in.Output, in.Email)
	if err != nil {
		return nil, fromDelivery(err)
	}
	if string(mode) != in.Output {
		return nil, &mcp.Error{Code: mcp.CodeInternal, Message: fmt.Sprintf("requested %s, the configuration chose %s", in.Output, mode)}
	}
	if folder, ok := delivery.(*generator.Filesystem); ok && (folder.Dir == "" || folder.Force) {
		return nil, &mcp.Error{Code: mcp.CodeUnsupported, Message: "no folder is configured that plugins may be written to", Hint: "an operator sets hub.generator.directory; other outputs need none"}
	}
	return delivery, nil
}

// unaskedDelivery is what of a generation the user is not asked about.
const unaskedDelivery = "a download link is made without asking, because nobody else gets it and it ends by itself"

// placed are deliveries that know where an artifact goes before it does.
type placed interface {
	Place(a *generator.Artifact) string
}

// deliver delivers, and asks the user before something is written for good or leaves
// the house.
func (b *Toolbox) deliver(ctx context.Context, c *mcp.Call, a *generator.Artifact, d generator.Delivery, in deliverIn) (*receiptLine, error) {
	files := a.Tree.Names()
	var question *mcp.Question
	switch generator.Mode(in.Output) {
	case generator.ModeURL:
	case generator.ModeEmail:
		question = mcp.Ask("Send the plugin %s (%s files) to %s?", mcp.Name(a.Name), len(files), in.Email)
	case generator.ModeRepository:
		question = mcp.Ask("Push the plugin %s (%s files) to a new git repository?", mcp.Name(a.Name), len(files))
	default:
		question = mcp.Ask("Write the plugin %s (%s files) to %s?", mcp.Name(a.Name), len(files), mcp.Name(in.Output))
	}
	begin := c.Begin
	if question != nil {
		if p, ok := d.(placed); ok {
			question.Fact("to", p.Place(a))
		}
		question.Fact("files", files)
		for _, f := range a.Tree.Files() {
			question.Rests("file "+f.Name, digestOf(f.Content))
		}
		begin = func(ctx context.Context) error { return c.Confirmed(ctx, question) }
	}
	if err := begin(ctx); err != nil {
		return nil, err
	}
	if err := mcp.Changes(ctx); err != nil {
		return nil, err
	}
	r, err := d.Deliver(ctx, a, func(done, total int, what string) { c.Progress(float64(done), float64(total), what) })
	if err != nil {
		return nil, fromDelivery(err)
	}
	line := &receiptLine{
		Path: r.Path, Written: len(r.Files), URL: r.DownloadURL + r.URL + r.RepositoryURL, ExpiresAt: timeText(r.ExpiresAt),
		CloneURL: r.CloneURL, Commit: r.Commit, SentTo: r.SentTo,
	}
	if r.Bucket != "" {
		line.ObjectPath = r.Bucket + "/" + r.Key
	}
	return line, nil
}

// fromGenerator turns errors of generators into ones that say what to fix.
func fromGenerator(err error) error {
	var options *generator.OptionsError
	var name *generator.NameError
	switch {
	case errors.As(err, &options):
		problems := make([]string, len(options.Problems))
		for i, p := range options.Problems {
			problems[i] = p.Option + ": " + clip(p.Why, 300)
			if p.Value != "" {
				problems[i] = fmt.Sprintf("%s %q: %s", p.Option, clip(p.Value, 80), clip(p.Why, 300))
			}
		}
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: listed("nothing was generated", problems), Hint: "getGeneratorInfo describes the options", Err: err}
	case errors.As(err, &name):
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: clip(err.Error(), 500), Err: err}
	case errors.Is(err, generator.ErrUnknown):
		return &mcp.Error{Code: mcp.CodeNotFound, Message: clip(err.Error(), 300), Hint: "listGenerators lists them", Err: err}
	}
	return fromDict(err)
}

// deliveryCodes are the codes of failures of deliveries.
var deliveryCodes = map[failure.Kind]string{
	failure.NotConfigured: mcp.CodeUnsupported, failure.Invalid: mcp.CodeInvalidArguments, failure.NotAuthorized: mcp.CodePermissionDenied,
	failure.NotFound: mcp.CodeNotFound, failure.Exists: mcp.CodeConflict, failure.Expired: mcp.CodeNotFound, failure.Refused: mcp.CodeRefused,
	failure.TooLarge: mcp.CodeTooLarge, failure.Full: mcp.CodeRefused, failure.Unreachable: mcp.CodeUnreachable,
	failure.Unexpected: mcp.CodeRefused, failure.Unknown: mcp.CodeOutcomeUnknown,
}

// fromDelivery turns errors of deliveries into ones for the caller.
func fromDelivery(err error) error {
	var there *generator.ExistsError
	var failed *failure.Error
	switch {
	case errors.As(err, &there):
		return caused(err, mcp.CodeConflict, "choose another artifactId, or let somebody merge them by hand",
			"nothing was written: %d files already exist with other content: %s", len(there.Files), inQuotes(there.Files))
	case errors.As(err, &failed):
		if code, ok := deliveryCodes[failed.Kind]; ok {
			return &mcp.Error{Code: code, Message: clip(failed.Doing+": "+failed.Why, 600), Hint: clip(failed.Next, 300), Err: err}
		}
	}
	return err
}
