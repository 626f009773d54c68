package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/testkit/testproc"
)

// completionCase is a command line that is being typed. Its last word is at the
// cursor.
type completionCase struct {
	name, line string
	want       []string // are among the candidates
	not        []string // are not
}

// completionCases hold for every shell.
var completionCases = []completionCase{
	{"commands", "erphub ", []string{"record", "sandbox", "generate"}, []string{"__complete", "--url"}},
	{"begin of a command", "erphub sand", []string{"sandbox"}, []string{"doctor", "demo"}},
	{"subcommands", "erphub generate ", []string{"plugin", "callout"}, []string{"record"}},
	{"hidden subcommands", "erphub dict ", []string{"list", "apply"}, []string{"add"}},
	{"flags of this command", "erphub record list --", []string{"--filter", "--select", "--profile", "--json"}, []string{"--redis", "--knowledge", "--listen"}},
	{"flags before the first argument", "erphub record list --fil", []string{"--filter"}, []string{"--select"}},
	{"flags behind arguments", "erphub record list C_Order --fil", []string{"--filter"}, nil},
	{"global flags first", "erphub --prof", []string{"--profile"}, []string{"--filter"}},
	{"given flags", "erphub record list --filter x --", []string{"--select"}, []string{"--filter"}},
	{"values of a flag", "erphub sync table --format ", []string{"rest", "sql"}, []string{"pack"}},
	{"other values elsewhere", "erphub add table XX_A --format ", []string{"rest", "migration", "pack"}, []string{"csv"}},
	{"formats", "erphub record list C_Order -o js", []string{"json"}, []string{"csv"}},
	{"ways to deliver", "erphub generate plugin --deliver ar", []string{"archive"}, []string{"email"}},
	{"states", "erphub env deploy history --status ", []string{"ROLLED_BACK"}, nil},
	{"environments", "erphub env deploy status ", []string{"PROD", "DEV"}, nil},
	{"choices of a generator", "erphub generate plugin --release ", []string{"12", "13"}, nil},
	{"tool sets behind a comma", "erphub server mcp --toolsets registry,me", []string{"registry,metrics"}, nil},
	{"metrics", "erphub metrics query open-r", []string{"open-receivables"}, []string{"revenue"}},
	{"topics", "erphub help exit", []string{"exit-codes"}, nil},
	{"nothing", "erphub record list C_Order ", nil, []string{"statement.sql"}},
	{"profiles", "erphub --profile gar", []string{"garden"}, []string{"system"}},
	{"tables as the ERP writes them", "erphub record list c_orderl", []string{"C_OrderLine"}, []string{"c_orderline", "C_Order"}},
	{"columns of the table", "erphub record list C_Order --select DocumentNo,gran", []string{"DocumentNo,GrandTotal"}, []string{"DocumentNo,Name"}},
	{"processes", "erphub process run rpt-c_o", []string{"rpt-c_order"}, nil},
	{"files", "erphub api --input st", []string{filesOffered}, nil},
	{"a value behind =", "erphub sync table --format=s", []string{"--format=sql"}, nil},
	{"typed commands", "erphub '$(touch typed)' '`touch typed`' ", nil, []string{"record"}},
}

// driven is a shell that completes each of its arguments and writes what it offers
// between lines with BEGIN and END.
type driven struct {
	name string
	args []string
}

// filesOffered stands for what a shell shows where it completes files.
const filesOffered = "FILES"

// drivers complete in the real shells.
var drivers = []driven{
	{"bash", []string{"--norc", "-c", `source <(erphub completion bash) && complete -p erphub >/dev/null || exit 1
compopt() { [[ $2 == default ]] && echo FILES; [[ $2 == dirnames ]] && echo FOLDERS; true; }
for COMP_LINE; do
  COMP_POINT=${#COMP_LINE} words=$COMP_LINE COMP_WORDS=()
  while [[ $words =~ ^[[:space:]]*(\'[^\']*\'|[=:]|[^[:space:]=:]+)(.*)$ ]]; do COMP_WORDS+=("${BASH_REMATCH[1]}"); words=${BASH_REMATCH[2]}; done
  [[ $COMP_LINE == *[[:space:]=] ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]}-1))
  echo BEGIN; _erphub; printf '%s\n' "${COMPREPLY[@]}" END
done`, "bash"}},
	{"zsh", []string{"-f", "-c", `compdef() { : }; source <(erphub completion zsh)
compadd() { [[ $1 == -U ]] || exit 1; local -a values=("${(@P)@[-1]}"); print -rl -- $values }
_files() { print FILES }
for line; do
  words=("${(@z)line}"); [[ $line == *' ' ]] && words+=('')
  CURRENT=$#words PREFIX=$words[-1]
  print BEGIN; _erphub; print END
done`, "zsh"}},
	{"fish", []string{"--no-config", "-c", `erphub completion fish | source
for line in $argv; echo BEGIN; complete -C "$line" | string replace -r '\t.*' ''; echo END; end; true`}},
}

// The scripts offer the same in the real shells, and carry out nothing of what was
// typed.
func TestCompletionInShells(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a shell for each name")
	}
	t.Parallel()
	environment := completionHome(t)
	keepDictionary(t, environment)
	lines := make([]string, len(completionCases))
	for i, tt := range completionCases {
		lines[i] = tt.line
	}
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			offered := d.offers(t, environment, lines...)
			for i, tt := range completionCases {
				for _, w := range tt.want {
					switch {
					case d.name == "bash": // it cuts words at =
						w = w[strings.LastIndex(w, "=")+1:]
					case d.name == "fish" && w == filesOffered: // it shows them
						w = "statement.sql"
					}
					assert.Contains(t, offered[i], w, "%s: %q", tt.name, tt.line)
				}
				for _, n := range tt.not {
					assert.NotContains(t, offered[i], n, "%s: %q", tt.name, tt.line)
				}
			}
		})
	}
}

// offers runs a shell in a folder of its own and returns what it offers for each
// line.
func (d driven) offers(t *testing.T, environment []string, lines ...string) [][]string {
	t.Helper()
	program := testproc.Find(t, "install "+d.name+" to test its completion; make setup does, on Debian as root", d.name)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "statement.sql"), nil, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(d.args), lines...)...)
	cmd.Dir, cmd.Env = dir, environment
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", out, problems.String())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1, "what was typed was carried out")
	var all [][]string
	inside := false
	for line := range strings.Lines(string(out)) {
		switch line = strings.TrimSpace(line); {
		case line == "BEGIN":
			all, inside = append(all, nil), true
		case line == "END":
			inside = false
		case inside && line != "":
			all[len(all)-1] = append(all[len(all)-1], line)
		}
	}
	require.Len(t, all, len(lines), "%s", out)
	return all
}

// completionHome is the environment of a user with the sandbox's profiles.
func completionHome(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	environment := []string{"HOME=" + home, "ERPHUB_CONFIG=" + filepath.Join(home, "config.yaml"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TERM=dumb"}
	serve(t, environment, "sandbox", "--write-profiles")
	return append(environment, "ERPHUB_PROFILE=garden")
}

// keepDictionary has the dictionary read, which is kept in the user's cache folder.
func keepDictionary(t *testing.T, environment []string) {
	t.Helper()
	code, _, problems := erphub(t, environment, "dict", "list")
	require.Zero(t, code, problems)
}

// completed is what the program offers for words.
func completed(t *testing.T, environment []string, words ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	code := execute(t.Context(), append([]string{"erphub", "__complete", "zsh", "--"}, words...), environment, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
	assert.Zero(t, code)
	assert.Empty(t, problems.String(), "there is nobody to tell")
	return out.String()
}

// Names of an ERP are text: one that holds a command, a quote or a line break is
// offered as it is, or not at all.
func TestCompletionOfHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a shell for each name")
	}
	t.Parallel()
	environment := completionHome(t)
	for _, name := range []string{"$(touch pwned)", "`touch pwned`", "a';touch pwned;'", "two\nlines", "tab\there", "\x1b[2J", "Hostile Order"} {
		code, _, problems := erphub(t, append(environment, "ERPHUB_PROFILE=system"), "record", "create", "AD_Window", "Name=Hostile "+name, "WindowType=M", "EntityType=U")
		require.Zero(t, code, problems)
	}
	keepDictionary(t, environment)
	offered := completed(t, environment, "generate", "window-validator", "--windows", "Hostile")
	for _, want := range []string{"Hostile $(touch pwned)", "Hostile `touch pwned`", "Hostile a';touch pwned;'", "Hostile Hostile Order"} {
		assert.Contains(t, offered, want+"\n")
	}
	assert.Len(t, strings.Split(strings.TrimSpace(offered), "\n"), 5, "the mode and what is one line: %q", offered)
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, d.offers(t, environment, "erphub generate window-validator --windows Hostile")[0])
		})
	}
}

// Completion asks no ERP, and the names of one login are not another's.
func TestCompletionAsksNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the dictionary again and again")
	}
	t.Parallel()
	environment := completionHome(t)
	words := []string{"record", "list", "C_OrderL"}
	assert.Equal(t, "words\n", completed(t, environment, words...), "nothing is kept yet")
	keepDictionary(t, environment)
	away := append(environment, "ERP_URL=http://127.0.0.1:1")
	assert.Contains(t, completed(t, environment, words...), "C_OrderLine\t")
	assert.Equal(t, "words\n", completed(t, away, words...), "it is another ERP's")
	assert.Equal(t, "words\n", completed(t, append(environment, "ERPHUB_PROFILE=system"), words...), "it is another login's")
}
