package deploy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/spool"
	"github.com/erphub/erphub/tokens"
)

func (a *app) deploySpoolCommand() *cli.Command {
	return &cli.Command{
		Name: "spool", Usage: "show the calls that are kept, and what is wrong with them; retry or discard some", ArgsUsage: "[CALL...]",
		Description: "Calls are kept while the ERP cannot be reached. One that the ERP refuses later is set aside with the reason. " +
			"A file that cannot be read, or that another erphub wrote, stays and holds back the later calls of its run. " +
			"CALL is a name in the first column; without one, --retry and --discard --all are about all that were refused or cannot be read.",
		Flags: append(append(shell.OutputFlags(), spoolFolderFlag()...),
			&cli.BoolFlag{Name: "retry", Usage: "put calls that were set aside back into the queue, and deliver it"},
			&cli.BoolFlag{Name: "discard", Usage: "remove kept calls for good: those named, or --all"},
			&cli.BoolFlag{Name: "all", Usage: "with --discard, all that were refused or cannot be read"},
			&cli.StringFlag{Name: "take-over", Usage: "take over the calls in this `FOLDER`, which were kept for another address or login, for an ERP that has moved", TakesFile: true},
		),
		Action: a.deploySpool,
	}
}

func (a *app) deploySpool(c *cli.Context) error {
	given := 0
	for _, flag := range []string{"retry", "discard", "take-over"} {
		if c.IsSet(flag) {
			given++
		}
	}
	switch {
	case given > 1:
		return shell.Usagef("--retry, --discard and --take-over are about different things: give one")
	case c.Bool("all") && !c.Bool("discard"):
		return shell.Usagef("--all goes with --discard")
	case c.Bool("retry"):
		return a.deploySpoolRetry(c)
	case c.Bool("discard"):
		return a.deploySpoolDiscard(c)
	}
	if err := shell.Arguments(c); err != nil {
		return err
	}
	if c.String("take-over") != "" {
		return a.deploySpoolTakeOver(c)
	}
	return a.deploySpoolList(c)
}

// openSpool opens the folder of the login without connecting to the ERP.
func (a *app) openSpool(c *cli.Context) (*spool.Spool, error) {
	s, err := a.Setup(c)
	if err != nil {
		return nil, err
	}
	dir, err := a.spoolDir(c, s, true)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, shell.Usagef("no folder keeps calls; name it with --spool")
	}
	a.noteOtherSpools(dir)
	return spool.New(dir, &spool.Options{Logger: a.Log}), nil
}

func (a *app) deploySpoolList(c *cli.Context) error {
	s, err := a.openSpool(c)
	if err != nil {
		return err
	}
	list, err := s.List()
	if err != nil {
		return err
	}
	told, err := a.keptWebhooks(c)
	if err != nil {
		return err
	}
	out := map[string]any{"calls": append([]spool.Kept{}, list...)}
	if len(told) > 0 {
		out["webhooks"] = told
	}
	rows := make([][]string, len(list), len(list)+len(told))
	for i, k := range list {
		rows[i] = []string{k.Name, string(k.State), shell.OrDash(k.Call), shell.OrDash(k.Run), moment(k.Created), firstLine(k.Reason)}
	}
	for _, k := range told {
		state := "waiting"
		if k.Expired {
			state = "given up"
		}
		rows = append(rows, []string{k.Name, state, "webhook for " + shell.OrDash(k.Host), k.Run, moment(k.Created), firstLine(k.Reason)})
	}
	return a.Print(c, out, output.Table{
		Columns: output.Styled(output.Columns("call=name", "state", "what=call", "run", "created", "why=reason"), "state", output.State),
		Rows:    rows, List: "calls", Empty: "no call is kept",
	})
}

func (a *app) deploySpoolRetry(c *cli.Context) error {
	d, err := a.openDeploy(c, true)
	if err != nil {
		return err
	}
	if d.spool == nil {
		return shell.Usagef("no folder keeps calls; name it with --spool")
	}
	_, unread := d.spool.Retry(c.Context, c.Args().Slice()...)
	n, err := d.spool.Flush(c.Context, d.log)
	return a.reportFlush(c, d, n, errors.Join(unread, err))
}

func (a *app) deploySpoolTakeOver(c *cli.Context) error {
	from := c.String("take-over")
	if st, err := os.Stat(from); err != nil || !st.IsDir() {
		return shell.Usagef("%s is not a folder of kept calls; `erphub env deploy spool` names those there are", from)
	}
	s, err := a.openSpool(c)
	if err != nil {
		return err
	}
	moved, err := s.MoveFrom(c.Context, spool.New(from, &spool.Options{Logger: a.Log}))
	if printErr := a.Print(c, map[string]any{"moved": moved}, output.Table{}); printErr != nil {
		return printErr
	}
	if choice, choiceErr := a.Choice(c, ""); choiceErr == nil && choice.ForPeople() {
		a.Note("%s moved; `erphub env deploy flush` delivers what waits", shell.Count(moved, "call", "calls"))
	}
	return err
}

func (a *app) deploySpoolDiscard(c *cli.Context) error {
	if c.Bool("all") == (c.NArg() > 0) {
		return shell.Usagef("which calls? name them as `erphub env deploy spool` does, or give --all")
	}
	s, err := a.openSpool(c)
	if err != nil {
		return err
	}
	calls, hooks := splitNames(c.Args().Slice())
	var gone []spool.Kept
	if len(calls) > 0 || len(hooks) == 0 {
		gone, err = s.Discard(c.Context, calls...)
	}
	if err == nil && (len(hooks) > 0 || len(calls) == 0) {
		err = a.discardWebhooks(c, hooks)
	}
	if choice, choiceErr := a.Choice(c, ""); choiceErr != nil || !choice.ForPeople() {
		return errors.Join(a.Print(c, map[string]any{"discarded": append([]spool.Kept{}, gone...)}, output.Table{List: "discarded"}), err)
	}
	for _, k := range gone {
		what := cmp.Or(k.Call, "a call of run "+shell.OrDash(k.Run)+" that could not be read")
		a.Note("discarded %s: %s", k.Name, what)
	}
	if len(gone) == 0 && len(hooks) == 0 && err == nil {
		a.Note("nothing was set aside")
	}
	return err
}

// spoolCounts are how many calls are kept, by state.
type spoolCounts struct {
	Waiting    int `json:"waiting"`
	Held       int `json:"held,omitempty"`
	Unreadable int `json:"unreadable,omitempty"`
	Refused    int `json:"refused,omitempty"`
}

func countKept(list []spool.Kept) spoolCounts {
	var n spoolCounts
	for _, k := range list {
		switch k.State {
		case spool.Waiting:
			n.Waiting++
		case spool.Held:
			n.Held++
		case spool.Unreadable:
			n.Unreadable++
		case spool.Refused:
			n.Refused++
		}
	}
	return n
}

func (n spoolCounts) String() string {
	parts := []string{waiting(n.Waiting)}
	for _, p := range []struct {
		n    int
		what string
	}{{n.Held, "held back"}, {n.Unreadable, "unreadable"}, {n.Refused, "refused and set aside"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// keptStatus is what status tells of the spool; nil for nothing. It is no reason
// for status to fail.
func (a *app) keptStatus(c *cli.Context) []spool.Kept {
	s, err := a.Setup(c)
	if err != nil {
		return nil // status itself will say so
	}
	dir, err := a.spoolDir(c, s, true)
	if err != nil || dir == "" {
		return nil //nolint:nilerr // as above
	}
	list, err := spool.New(dir, nil).List()
	if err != nil {
		a.Note("the calls kept for the ERP cannot be counted: %v", err)
	}
	if len(list) > 0 {
		a.Note("kept for the ERP: %s; erphub env deploy spool shows them", countKept(list))
	}
	if told, err := a.keptWebhooks(c); err == nil && len(told) > 0 {
		a.Note("kept for receivers: %s; erphub env deploy spool shows them", webhookCount(len(told)))
	}
	for _, k := range list {
		if k.State == spool.Unreadable {
			a.Note("%s cannot be read: %s", k.File, k.Reason)
		}
	}
	a.noteOtherSpools(dir)
	return list
}

// otherSpool is a folder of calls for another address or login.
type otherSpool struct {
	dir  string
	kept spoolCounts
}

func (o otherSpool) String() string {
	return fmt.Sprintf("%s holds calls for another address or login (%s); flush with that one delivers them, "+
		"and if the ERP has moved, `erphub env deploy spool --take-over %[1]s` takes them over", o.dir, o.kept)
}

// otherSpools are the folders beside the own one that hold calls.
func otherSpools(own string) []otherSpool {
	base := filepath.Dir(own)
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	var list []otherSpool
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		if dir == own || !e.IsDir() || len(e.Name()) != len(filepath.Base(own)) {
			continue
		}
		if kept, err := spool.New(dir, nil).List(); err == nil && len(kept) > 0 {
			list = append(list, otherSpool{dir, countKept(kept)})
		}
	}
	return list
}

// noteOtherSpools tells of calls that were kept for other addresses or logins.
func (a *app) noteOtherSpools(own string) {
	for _, o := range otherSpools(own) {
		a.Note("%s", o)
	}
}

// loginUser is the user of the login as far as it is known without calling the
// ERP, empty otherwise.
func (a *app) loginUser(ctx context.Context, s *shell.Setup) string {
	settings, err := s.Settings()
	if err != nil {
		return ""
	}
	if settings.Username != "" {
		return settings.Username
	}
	if !settings.Token.IsZero() {
		claims, err := tokens.UnverifiedClaims(settings.Token.Reveal())
		if err != nil {
			return ""
		}
		return claims.Subject
	}
	source, err := a.Source(s)
	if m, ok := source.(*tokens.Manager); ok && err == nil {
		if status, err := m.Status(ctx); err == nil {
			return status.User
		}
	}
	return ""
}
