package shell

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// Each script asks the program itself for candidates; none evaluates what was
// typed.
const bashCompletion = `# bash completion for erphub; load with: source <(erphub completion bash)
_erphub() {
  local cur=${COMP_WORDS[COMP_CWORD]} args=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  [[ $cur == -* ]] && args+=("$cur")
  mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "${args[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur")
}
complete -o bashdefault -o default -F _erphub erphub
`

const zshCompletion = `#compdef erphub
# zsh completion for erphub; load with: source <(erphub completion zsh)
_erphub() {
  local -a candidates args
  args=("${(@)words[2,CURRENT-1]}")
  [[ ${words[CURRENT]} == -* ]] && args+=("${words[CURRENT]}")
  candidates=("${(@f)$("${words[1]}" "${args[@]}" --generate-bash-completion 2>/dev/null)}")
  candidates=("${(@)candidates%%:*}")
  compadd -a candidates
}
compdef _erphub erphub
`

// CompletionCommand prints what completes the commands of the program that build
// makes.
func (sh *Shell) CompletionCommand(build func(*Shell) *cli.App) *cli.Command {
	print := func(text func(*cli.Context) (string, error)) cli.ActionFunc {
		return func(c *cli.Context) error {
			s, err := text(c)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(sh.Streams.Out, s)
			return err
		}
	}
	fixed := func(s string) func(*cli.Context) (string, error) {
		return func(*cli.Context) (string, error) { return s, nil }
	}
	return &cli.Command{
		Name:  "completion",
		Usage: "print the script that completes commands in your shell",
		Subcommands: []*cli.Command{
			{Name: "bash", Usage: "for bash: source <(erphub completion bash)", Action: print(fixed(bashCompletion))},
			{Name: "zsh", Usage: "for zsh: source <(erphub completion zsh)", Action: print(fixed(zshCompletion))},
			{Name: "fish", Usage: "for fish: erphub completion fish | source", Action: print(func(c *cli.Context) (string, error) {
				return build(sh).ToFishCompletion()
			})},
		},
	}
}
