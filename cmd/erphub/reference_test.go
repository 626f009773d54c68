package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
)

// configurationReference is the text of docs/configuration.md: every key of the
// configuration file and every variable, with the flags of servers that stand for
// them.
func configurationReference(servers []shell.ServerFlags) string {
	var b strings.Builder
	b.WriteString(`# Configuration

A setting comes from a flag, else from an environment variable, else from the chosen profile of the configuration file, else
it has its default. That holds for every command and every server. An empty variable counts as unset.

A login is the exception, because its parts belong together. User name and password (or token), tenant, role and organization all come
from one source: the first of flags, variables and profile that has a user name or a token. The login of a profile is sent to the
address of that profile and to no other, and variables are sent to ERP_URL where it is set; --url cannot send them elsewhere.

The configuration file is one YAML file (` + "`erphub config path`" + ` prints where it is; ` + "`--config`" + ` and ` + "`ERPHUB_CONFIG`" + ` name another). Keys
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
	for _, v := range append(config.Variables(), config.OtherVariables()...) {
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
