package help_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/help"
)

func program() *cli.App {
	return &cli.App{
		Name: "tool", Usage: "work with things",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}, &cli.BoolFlag{Name: "secret", Hidden: true}},
		Commands: []*cli.Command{
			{
				Name: "thing", Aliases: []string{"t"}, Usage: "make a thing", ArgsUsage: "NAME", Category: "Start",
				Description: "The first paragraph\nis filled.\n\n    kept as\n      it is\n\nThe second.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FOLDER` to write into", TakesFile: true},
					&cli.IntFlag{Name: "top", Usage: "how many"},
					&cli.IntFlag{Name: "batch", Value: 50, Usage: "how many at once"},
					&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "how long"},
					&cli.BoolFlag{Name: "dry-run", Usage: "do nothing, and say with `tool help` what would be done"},
					&cli.StringFlag{Name: "database", Category: "Database", Value: "none", Usage: "where"},
				},
			},
			{Name: "many", Usage: "see things", Category: "Start", Subcommands: []*cli.Command{{Name: "one", Usage: "see one"}, {Name: "old", Hidden: true}}},
		},
	}
}

func text(t *testing.T, width int, words ...string) string {
	t.Helper()
	app := program()
	chain, rest := help.Find(app, words)
	require.Empty(t, rest)
	var b strings.Builder
	require.NoError(t, help.Of(app, chain).WriteText(&b, width))
	return b.String()
}

func TestPageOfCommand(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `Make a thing.

USAGE
  tool thing NAME [FLAGS]

DESCRIPTION
  The first paragraph is filled.

    kept as
      it is

  The second.

FLAGS
  -o, --output FOLDER  FOLDER to write into
  --top N              how many
  --batch N            how many at once (default: 50)
  --timeout DURATION   how long (default: 1m)
  --dry-run            do nothing, and say with `+"`tool help`"+` what would be done

  Database
    --database URL       where (default: none)

GLOBAL FLAGS
  --json  print JSON
`, text(t, 0, "t"))
}

func TestPageOfGroup(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `See things.

USAGE
  tool many COMMAND

COMMANDS
  one  see one

GLOBAL FLAGS
  --json  print JSON
`, text(t, 80, "many"))
	assert.Contains(t, text(t, 80, "many", "one"), "SEE ALSO\n  tool many --help\n")
}

func TestPageOfProgram(t *testing.T) {
	t.Parallel()
	page := text(t, 80)
	assert.Contains(t, page, "COMMANDS\n  Start\n")
	assert.Contains(t, page, "HELP TOPICS\n")
	assert.NotContains(t, page, "secret")
}

func TestFill(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 40, 60, 80, 100} {
		for line := range strings.Lines(text(t, width, "thing")) {
			assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), max(40, width), line)
		}
	}
	assert.Contains(t, text(t, 1000, "thing"), "what would be done\n")
}

func TestTopics(t *testing.T) {
	t.Parallel()
	for _, e := range help.Topics() {
		page, ok := help.Topic([]string{e.Name})
		require.True(t, ok, e.Name)
		var b strings.Builder
		require.NoError(t, page.WriteText(&b, 80))
		for line := range strings.Lines(b.String()) {
			assert.LessOrEqual(t, len(line), 81, "%s: %s", e.Name, line)
		}
	}
	_, ok := help.Topic([]string{"nothing"})
	assert.False(t, ok)
}
