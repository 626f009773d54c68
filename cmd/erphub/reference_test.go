package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/text"
)

// serverFlags are the flags of a server that are settings, too.
type serverFlags struct {
	Server, Command string
	Flags           []cli.Flag
}

// servers are the servers of the program. What says how a server runs is not a setting.
func servers(t *testing.T) []serverFlags {
	t.Helper()
	var all []serverFlags
	for _, s := range []serverFlags{{Server: "api", Command: "erphub server api"}, {Server: "mcp", Command: "erphub server mcp"}, {Server: "sandbox", Command: "erphub sandbox"}} {
		command := commandAt(t, strings.Fields(s.Command)[1:])
		for _, f := range command.Flags {
			if name := f.Names()[0]; name != "stdio" && name != "detach" {
				s.Flags = append(s.Flags, f)
			}
		}
		all = append(all, s)
	}
	return all
}

func commandAt(t *testing.T, path []string) *cli.Command {
	t.Helper()
	chain, _ := help.Find(newProgram(&shell.Shell{}), path)
	require.Len(t, chain, len(path))
	return chain[len(chain)-1]
}

// configurationReference is the text of docs/configuration.md: every key of the
// configuration file and every variable, with the flags of servers that stand for
// them.
func configurationReference(servers []serverFlags) string {
	var b strings.Builder
	b.WriteString(`# Configuration

A setting comes from a flag, else from an environment variable, else from the chosen profile of the configuration file, else
it has its default. That holds for every command and every server. An empty variable counts as unset.

A login is the exception, because its parts belong together. User name and password (or token), tenant, role and organization all come
from one source: the first of flags, variables and profile that has a user name or a token. The login of a profile is sent to the
address of that profile and to no other, and variables are sent to ERP_URL where it is set; --url cannot send them elsewhere.

The configuration file is one YAML file (` + "`erphub config list`" + ` says where it is; ` + "`--config`" + ` and ` + "`ERPHUB_CONFIG`" + ` name another). Keys
may be written with dots or in sections, and a list stands for values with commas between:

` + "```yaml" + `
url: https://erp.example.com
hub:
  redis.url: rediss://redis.example.com:6379/0
  server:
    api:
      listen: 0.0.0.0:8090
      host: [hub.example.com, board.example.com]
      tls-cert: /etc/erphub/tls.crt
      tls-key: /etc/erphub/tls.key
      log-format: json
profiles:
  staging:
    url: https://staging.example.com
` + "```" + `

` + "`erphub config set KEY VALUE`" + ` checks a value and writes it, ` + "`erphub config list`" + ` shows what counts and where it comes from. A
setting of a server that no flag stands for is an error when that server starts: a typing error would change nothing otherwise. Values
of secrets are never printed.

This page is written by a test from the code (` + "`go test ./cmd/erphub -run TestConfigurationReference -update`" + `).

## Settings

| Key | Variable | Default | What it is |
|---|---|---|---|
`)
	for _, k := range config.Keys() {
		if k.State {
			continue
		}
		about := k.About
		if k.Secret {
			about += " (secret)"
		}
		rowCells(&b, codeCell(k.Name), codeCell(k.Env), codeCell(k.Default), about)
	}
	b.WriteString(`
The program keeps these itself, in the profile of the login; do not set them by hand:
`)
	var state []string
	for _, k := range config.Keys() {
		if k.State {
			state = append(state, codeCell(k.Name))
		}
	}
	b.WriteString(strings.Join(state, ", ") + ".\n\n## Further variables\n\n| Variable | What it is |\n|---|---|\n")
	for _, v := range append(config.Variables(), otherVariables()...) {
		rowCells(&b, codeCell(v.Name), v.About)
	}
	b.WriteString("\n`erphub env deploy` also reads the variables by which build servers describe a build; package `cmd/internal/ci` lists them.\n")
	for _, s := range servers {
		fmt.Fprintf(&b, "\n## Flags of `%s`\n\n| Flag | Variable | Key | Default | What it is |\n|---|---|---|---|---|\n", s.Command)
		for _, f := range s.Flags {
			name := f.Names()[0]
			key, _ := config.Lookup(config.FlagKey(s.Server, name))
			about, value := "", ""
			if d, ok := f.(cli.DocGenerationFlag); ok {
				about, value = strings.ReplaceAll(d.GetUsage(), "`", ""), d.GetDefaultText()
				if value == "false" || value == "0" || value == "0s" {
					value = ""
				}
			}
			rowCells(&b, codeCell("--"+name), codeCell(key.Env), codeCell(key.Name), codeCell(strings.Trim(value, `"`)), about)
		}
	}
	return b.String()
}

func codeCell(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func rowCells(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

// commandReference is the text of docs/commands.md: the first page is the program's,
// whose flags are those that every command takes.
func commandReference(pages []*help.Page) string {
	var w strings.Builder
	line := func(parts ...string) { w.WriteString(strings.Join(parts, "") + "\n") }
	for i, p := range pages {
		if i == 0 {
			line("# Commands of ", p.Name())
			line("\nThis page is made from the help of the program: `", p.Name(), " COMMAND --help` shows the same.")
		} else {
			line("\n", strings.Repeat("#", min(len(p.Path), 4)), " ", p.Name())
			line("\n", markdown(text.Sentence(p.Summary)))
		}
		line("\n```text")
		for _, u := range p.Usage {
			line(u)
		}
		line("```")
		markdownParagraphs(line, p.Description)
		table(line, "command", p.Commands)
		flags := p.Flags
		if i == 0 && len(p.Output) > 0 {
			flags = append(slices.Clone(flags), help.Group{Title: "Of every command that prints data", Entries: p.Output})
		}
		table(line, "flag", flags)
		if i > 0 && len(p.Output) > 0 {
			line("\nPrints data: ", outputNames(p.Output), " (see [output](#output)).")
		}
		if len(p.Examples) > 0 {
			line("\n```text")
			for _, e := range p.Examples {
				line("# ", e.About)
				for _, l := range e.Lines {
					line(l)
				}
			}
			line("```")
		}
		for _, e := range p.Topics {
			t, _ := help.Topic([]string{e.Name})
			line("\n## ", e.Name)
			markdownParagraphs(line, t.Description)
		}
	}
	return w.String()
}

func markdownParagraphs(line func(...string), all []help.Paragraph) {
	for _, d := range all {
		if d.Fast {
			line("\n```text\n", d.Text, "\n```")
		} else {
			line("\n", markdown(d.Text))
		}
	}
}

// outputNames are flags about the output in one line.
func outputNames(entries []help.Entry) string {
	var names []string
	for _, e := range entries {
		_, name, _ := strings.Cut(e.Name, "--")
		name, _, _ = strings.Cut(name, " ")
		names = append(names, "`--"+name+"`")
	}
	return strings.Join(names, ", ")
}

func table(line func(...string), what string, groups []help.Group) {
	if len(groups) == 0 {
		return
	}
	line("\n| ", what, " | |")
	line("|---|---|")
	for _, g := range groups {
		if g.Title != "" {
			line("| **", g.Title, "** | |")
		}
		for _, e := range g.Entries {
			line("| `", strings.ReplaceAll(e.Name, "|", `\|`), "` | ", strings.ReplaceAll(markdown(e.Text), "|", `\|`), " |")
		}
	}
}

// markdown is text in which what would be markup stays text, outside of code.
func markdown(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 {
			parts[i] = strings.NewReplacer("*", `\*`, "<", "&lt;", "[", `\[`).Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

// otherVariables are those that others define and the programs follow.
func otherVariables() (all []config.Variable) {
	for _, v := range [][2]string{
		{"HOME", "folder of the user, below which the configuration file is; USERPROFILE where that is usual"},
		{"USERPROFILE", "folder of the user on Windows"},
		{"XDG_CONFIG_HOME", "folder of configuration files"},
		{"XDG_CACHE_HOME", "folder of what is kept of the ERP's dictionary for completion and browsing"},
		{"XDG_RUNTIME_DIR", "folder of the session, where the keyring of the desktop is found"},
		{"DBUS_SESSION_BUS_ADDRESS", "where the keyring of the desktop is found"},
		{"XDG_STATE_HOME", "folder of histories of the SQL shell, and of sandboxes that run by themselves"},
		{"JAVA_HOME", "the JDK of `erphub generate check`; without it javac of the PATH"},
		{"PAGER", "program that shows long results"},
		{"VISUAL", "editor of the SQL shell; before EDITOR"},
		{"EDITOR", "editor of the SQL shell"},
		{"NO_COLOR", "no colors in the output"},
		{"CLICOLOR", "0: no colors in the output"},
		{"CLICOLOR_FORCE", "colors also where the output is not a terminal"},
		{"TERM", "dumb: no colors in the output"},
		{"HTTP_PROXY", "proxy for http://; also HTTPS_PROXY, and NO_PROXY with exceptions"},
		{"HTTPS_PROXY", "proxy for https://"},
		{"NO_PROXY", "hosts that are reached without a proxy"},
		{"PGPASSFILE", "file with passwords of PostgreSQL, and the other variables of its clients"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "where the tool server sends traces; also the other variables of OTLP exporters"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "the same for traces alone"},
		{"OTEL_SDK_DISABLED", "true: no traces are sent"},
		{"OTEL_TRACES_EXPORTER", "none: no traces are sent"},
		{"NOTIFY_SOCKET", "where servers tell the service manager that they are ready, alive and ending (sd_notify)"},
		{"WATCHDOG_USEC", "how often the service manager wants to hear that a server is alive, in microseconds"},
		{"WATCHDOG_PID", "process that WATCHDOG_USEC is for"},
		{"LISTEN_FDS", "sockets that the service manager passes to a server (socket activation): one"},
		{"LISTEN_PID", "process that LISTEN_FDS is for"},
	} {
		all = append(all, config.Variable{Name: v[0], About: v[1]})
	}
	return all
}
