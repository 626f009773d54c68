// Package rawapi has the command api: any request of the ERP's REST API, for
// which there need be no command of its own.
package rawapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// app is the shell that the command runs in.
type app struct{ *shell.Shell }

// Commands is the command api.
func Commands(sh *shell.Shell) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{{
		Name: "api", Usage: "send any request to the ERP's REST API", ArgsUsage: "[METHOD] PATH",
		Description: "PATH is below /api/v1, such as models/C_Order or processes. Without METHOD it is GET, or POST with a body. " +
			"The login, refreshed tokens and retries are those of the other commands. Fields become the parameters of a GET " +
			"and a JSON object for everything else. A body that is no JSON needs --output, or a pipe.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "field", Aliases: []string{"f"}, Usage: "NAME=TEXT; repeatable"},
			&cli.StringSliceFlag{Name: "typed-field", Aliases: []string{"F"}, Usage: "NAME=VALUE, where VALUE is JSON such as 7, true, null or [1,2], @FILE for the text of a file, or text; repeatable"},
			&cli.StringFlag{Name: "input", Usage: "file with the body, or - for standard input", TakesFile: true},
			&cli.StringSliceFlag{Name: "header", Aliases: []string{"H"}, Usage: "NAME: VALUE; repeatable"},
			&cli.BoolFlag{Name: "include", Aliases: []string{"i"}, Usage: "print the status and the headers of the response, too"},
			&cli.BoolFlag{Name: "paginate", Usage: "read all pages of a list, and print its records as one JSON array"},
			&cli.StringFlag{Name: "jq", Aliases: []string{"q"}, Usage: "print what this jq expression selects of the response, texts without quotes"},
			&cli.StringFlag{Name: "template", Usage: "print what this Go template makes of the response"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the response to this file", TakesFile: true},
		},
		Action: a.run,
	}}
}

func (a *app) run(c *cli.Context) error {
	ask, err := requestOf(c, a.Streams.In)
	if err != nil {
		return err
	}
	choice, err := output.Parse(output.Flags{JQ: c.String("jq"), Template: c.String("template")})
	if err != nil {
		return shell.Usage(err)
	}
	var filter func(context.Context, io.Writer, []byte) error
	if choice.Filtered() {
		filter = choice.Filter
	}
	if c.Bool("paginate") && ask.method != http.MethodGet {
		return shell.Usagef("--paginate reads pages of a list, which %s does not return; leave it out", ask.method)
	}
	if c.Bool("paginate") && c.Bool("include") {
		return shell.Usagef("--include prints the headers of one response, --paginate makes one list of several; choose one")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	p := &printer{a: a, include: c.Bool("include"), filter: filter, path: c.String("output")}
	if c.Bool("paginate") {
		return p.pages(c.Context, client, ask)
	}
	res, err := send(c.Context, client, ask)
	if err != nil {
		return shell.Uncertain(err, "look whether it did before you repeat the request")
	}
	defer res.Body.Close()
	return p.response(c.Context, res)
}

// send makes the request with the connection of a client.
func send(ctx context.Context, client *erp.Client, ask *request) (*http.Response, error) {
	req, err := ask.build(erp.StreamResponse(ctx), client.BaseURL())
	if err != nil {
		return nil, err
	}
	return client.Doer().Do(req)
}

// maxJSON bounds a response that is read whole: for jq, and to print it well.
const maxJSON = 64 << 20

// printer writes responses.
type printer struct {
	a       *app
	include bool
	filter  func(context.Context, io.Writer, []byte) error // nil: none
	path    string
}

func (p *printer) response(ctx context.Context, res *http.Response) error {
	if p.include {
		if err := p.head(res); err != nil {
			return err
		}
	}
	if p.path != "" && p.filter == nil {
		return p.save(res.Body)
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // one that cannot be read is no JSON
	isJSON := kind == "application/json" || strings.HasSuffix(kind, "+json")
	if !isJSON && p.filter == nil {
		if !strings.HasPrefix(kind, "text/") && p.terminal() {
			return shell.Usagef("the response is %s, which a terminal cannot show; give --output FILE", kind)
		}
		_, err := io.Copy(p.a.Data(), res.Body)
		return err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxJSON+1))
	if err != nil {
		return fmt.Errorf("reading the response: %w", err)
	}
	if len(text) > maxJSON {
		return shell.Usagef("the response is longer than %d bytes; read it in pages, or write it to a file with --output", maxJSON)
	}
	if p.filter != nil {
		return p.filtered(ctx, text)
	}
	return p.print(text)
}

// filtered writes what is made of JSON.
func (p *printer) filtered(ctx context.Context, text []byte) error {
	if len(bytes.TrimSpace(text)) > 0 && !json.Valid(text) {
		return errors.New("--jq and --template need JSON, which the response is not; leave them out to see the response")
	}
	if p.path == "" || p.path == "-" {
		return p.filter(ctx, p.a.Data(), text)
	}
	var b bytes.Buffer
	if err := p.filter(ctx, &b, text); err != nil {
		return err
	}
	return p.save(&b)
}

// terminal reports whether a person reads what is printed.
func (p *printer) terminal() bool { return shell.Terminal(p.a.Streams.Out) }

// head prints the status and the headers, in the order of their names.
func (p *printer) head(res *http.Response) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", res.Proto, res.Status)
	var names []string
	for name := range res.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range res.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	_, err := fmt.Fprintln(p.a.Data(), b.String())
	return err
}

// print writes JSON, indented for a person.
func (p *printer) print(text []byte) error {
	var b bytes.Buffer
	if p.terminal() && json.Indent(&b, bytes.TrimSpace(text), "", "  ") == nil {
		text = b.Bytes()
	}
	if len(text) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(p.a.Data(), "%s\n", bytes.TrimRight(text, "\n"))
	return err
}

// save writes the body to the file, which is there whole or not at all.
func (p *printer) save(body io.Reader) error {
	if p.path == "-" {
		_, err := io.Copy(p.a.Streams.Out, body)
		return err
	}
	_, err := shell.SaveStream(p.path, body)
	return err
}
