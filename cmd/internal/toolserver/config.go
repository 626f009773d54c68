package toolserver

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp/server"
)

// mcpClient is an assistant whose configuration we can write.
type mcpClient struct {
	name string
	file string // where its configuration is
	// stdio and http write an entry; they hold no token, only where it comes
	// from.
	stdio func(mcpEntry) any
	http  func(mcpEntry) any
	notes string // what to do besides
}

// mcpEntry is what an entry is about.
type mcpEntry struct {
	name    string // of the entry
	command string
	args    []string
	env     map[string]string
	url     string
	profile string
	login   bool // the profile stores one
}

// tomlText is an entry in TOML.
type tomlText string

const setToken = "set ERP_TOKEN in the environment the assistant is started from"

// mcpClients are the assistants, in the order in which they are named.
func mcpClients() []mcpClient {
	servers := func(key string, entry map[string]any) func(string) any {
		return func(name string) any { return map[string]any{key: map[string]any{name: entry}} }
	}
	command := func(key string, more map[string]any) func(mcpEntry) any {
		return func(e mcpEntry) any {
			entry := map[string]any{"command": e.command, "args": e.args}
			if len(e.env) > 0 {
				entry["env"] = e.env
			}
			for k, v := range more {
				entry[k] = v
			}
			return servers(key, entry)(e.name)
		}
	}
	remote := func(key, field, token string, more map[string]any) func(mcpEntry) any {
		return func(e mcpEntry) any {
			entry := map[string]any{field: e.url, "headers": map[string]string{"Authorization": "Bearer " + token}}
			for k, v := range more {
				entry[k] = v
			}
			return servers(key, entry)(e.name)
		}
	}
	stdio, http := map[string]any{"type": "stdio"}, map[string]any{"type": "http"}
	return []mcpClient{
		{
			name: "claude-desktop", file: "claude_desktop_config.json (Settings, Developer, Edit Config)",
			stdio: command("mcpServers", nil),
			http: func(e mcpEntry) any { // it starts programs only; this one passes on to HTTP
				return servers("mcpServers", map[string]any{
					"command": "npx", "args": []string{"-y", "mcp-remote", e.url, "--header", "Authorization:Bearer ${ERP_TOKEN}"},
				})(e.name)
			},
			notes: setToken,
		},
		{
			name: "claude-code", file: ".mcp.json in the project", notes: setToken,
			stdio: command("mcpServers", stdio), http: remote("mcpServers", "url", "${ERP_TOKEN}", http),
		},
		{
			name: "vscode", file: ".vscode/mcp.json in the project", stdio: command("servers", stdio),
			http: func(e mcpEntry) any {
				return map[string]any{
					"inputs": []any{map[string]any{"type": "promptString", "id": "erp-token", "description": "Token of the ERP", "password": true}},
					"servers": map[string]any{e.name: map[string]any{
						"type": "http", "url": e.url, "headers": map[string]string{"Authorization": "Bearer ${input:erp-token}"},
					}},
				}
			},
			notes: "the editor asks for the token and keeps it",
		},
		{
			name: "cursor", file: "~/.cursor/mcp.json, or .cursor/mcp.json in the project", notes: setToken,
			stdio: command("mcpServers", nil), http: remote("mcpServers", "url", "${env:ERP_TOKEN}", nil),
		},
		{
			name: "windsurf", file: "~/.codeium/windsurf/mcp_config.json", notes: setToken,
			stdio: command("mcpServers", nil), http: remote("mcpServers", "serverUrl", "${env:ERP_TOKEN}", nil),
		},
		{
			name: "gemini", file: "~/.gemini/settings.json", notes: setToken,
			stdio: command("mcpServers", nil), http: remote("mcpServers", "httpUrl", "$ERP_TOKEN", nil),
		},
		{
			name: "zed", file: "settings.json of the editor", stdio: command("context_servers", nil),
			http:  remote("context_servers", "url", "TOKEN", nil),
			notes: "put your token in the place of TOKEN: the editor knows no variables here",
		},
		{name: "codex", file: "~/.codex/config.toml", stdio: codexStdio, http: codexHTTP, notes: setToken},
	}
}

func codexStdio(e mcpEntry) any {
	quoted := make([]string, len(e.args))
	for i, arg := range e.args {
		quoted[i] = strconv.Quote(arg)
	}
	text := fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [%s]\n", e.name, e.command, strings.Join(quoted, ", "))
	if address := e.env["ERP_URL"]; address != "" {
		text += fmt.Sprintf("env = { ERP_URL = %q }\n", address)
	}
	return tomlText(text)
}

func codexHTTP(e mcpEntry) any {
	return tomlText(fmt.Sprintf("[mcp_servers.%s]\nurl = %q\nbearer_token_env_var = \"ERP_TOKEN\"\n", e.name, e.url))
}

func (a *app) mcpCommand() *cli.Command {
	clients := mcpClients()
	names := make([]string, len(clients))
	for i, client := range clients {
		names[i] = client.name
	}
	return &cli.Command{
		Name: "mcp", Usage: "print the configuration with which assistants use the tool server",
		Subcommands: []*cli.Command{{
			Name: "config", Usage: "print the configuration an assistant needs to use the tools",
			Description: "Over stdio the assistant starts this program, as `erphub server mcp --stdio`, which uses the login stored by `erphub auth login` or " +
				"`erphub config --token`. Over http it connects to a server that `erphub server mcp` started, with a token of " +
				"the user's. No secret is ever printed: only where it comes from.",
			Flags: append(shell.ValueFlags(),
				&cli.StringFlag{Name: "client", Usage: "assistant: " + strings.Join(names, ", ")},
				&cli.StringFlag{Name: "transport", Value: "stdio", Usage: "stdio or http"},
				&cli.StringFlag{Name: "name", Value: "erphub", Usage: "name of the entry"},
				&cli.StringFlag{Name: "server-url", Value: fmt.Sprintf("http://127.0.0.1:%d/mcp", server.DefaultPort), Usage: "address of the tool server, for http"},
				&cli.StringFlag{Name: "command", Usage: "program to start, for stdio, where it is not this one: erphub or erphub-mcp"},
				&cli.StringFlag{Name: "toolsets", Usage: "tool sets to enable"},
				&cli.BoolFlag{Name: "read-only", Usage: "disable every tool that changes something"},
			),
			Action: shell.Takes(func(c *cli.Context) error { return a.mcpConfig(c, clients, names) }),
		}},
	}
}

func (a *app) mcpConfig(c *cli.Context, clients []mcpClient, names []string) error {
	asked := strings.ToLower(c.String("client"))
	if asked == "" {
		return shell.Usagef("which assistant is it for? Give --client with one of %s", strings.Join(names, ", "))
	}
	i := slices.Index(names, asked)
	if i < 0 {
		hint := ""
		if near := nearest.Name(asked, names); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return shell.Usagef("--client %q is none of %s%s", asked, strings.Join(names, ", "), hint)
	}
	client := clients[i]
	entry, err := a.mcpEntry(c)
	if err != nil {
		return err
	}
	var config any
	notes := client.notes
	switch transport := strings.ToLower(c.String("transport")); transport {
	case "stdio":
		config, notes = client.stdio(entry), entry.stdioNotes()
	case "http":
		config = client.http(entry)
	default:
		return shell.Usagef("--transport %q is neither stdio nor http", transport)
	}
	if c.String("toolsets") == "" {
		notes += "; the role of the login decides which tools it gets first, and --toolsets which it can have at all"
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	if !choice.ForPeople() {
		return a.PrintAs(c, choice, map[string]any{"client": client.name, "file": client.file, "config": config, "notes": notes}, output.Table{})
	}
	if _, err := fmt.Fprintf(a.Streams.Err, "Put this into %s, beside what is there; %s.\n", client.file, notes); err != nil {
		return err
	}
	if text, ok := config.(tomlText); ok {
		return a.PrintAs(c, choice, nil, output.Table{Below: string(text)})
	}
	choice.Format = output.FormatJSON
	return a.PrintAs(c, choice, config, output.Table{})
}

// storesLogin reports whether the profile holds a login, which a program that is
// started elsewhere will find.
func storesLogin(s *shell.Setup) bool {
	return s.Resolver.Document != nil && slices.ContainsFunc([]string{"token", "token.keyring", "auth.password"}, func(key string) bool {
		value, _ := s.Resolver.Document.Get(s.Profile, key)
		return value != ""
	})
}

// stdioNotes are what the user has to do so that the entry works.
func (e mcpEntry) stdioNotes() string {
	notes := "log in once with `erphub auth login` or `erphub config --token -`, so that the program has a login"
	if e.login {
		notes = "it uses the login of the profile " + e.profile
	}
	if strings.HasPrefix(e.command, filepath.Clean(os.TempDir())+string(filepath.Separator)) { // go run
		notes += "; the program is in a temporary folder and will be gone: install it, or give --command"
	}
	if _, err := exec.LookPath(e.command); err != nil {
		notes += fmt.Sprintf("; %s is not in PATH: give --command its full path", e.command)
	}
	return notes
}

// setProgram says which program is started, and how: this one by its full path, which
// assistants without a shell need, unless another is named.
func (e *mcpEntry) setProgram(command string) (err error) {
	if e.command = command; command == "" {
		if e.command, err = os.Executable(); err != nil {
			return fmt.Errorf("looking for the path of this program: %w; give --command", err)
		}
	}
	if name := filepath.Base(e.command); strings.TrimSuffix(name, ".exe") != "erphub-mcp" {
		e.args = append(e.args, "server", "mcp")
	}
	e.args = append(e.args, "--stdio")
	return nil
}

// setServer adds the choice of tools to the address of the server.
func (e *mcpEntry) setServer(selected url.Values) error {
	u, err := url.Parse(e.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return shell.Usagef("--server-url must be an address such as https://tools.example.com/mcp")
	}
	if u.User != nil {
		return shell.Usagef("--server-url must hold no user and password: tokens travel in a header")
	}
	if strings.Trim(u.Path, "/") == "" { // where the server is, not what it serves there
		u.Path = "/mcp"
	}
	query := u.Query()
	maps.Copy(query, selected)
	u.RawQuery = strings.ReplaceAll(query.Encode(), "%2C", ",") // commas may stay as they are
	e.url = u.String()
	return nil
}

// mcpEntry is what the flags and settings say. A login never becomes a part of
// it.
func (a *app) mcpEntry(c *cli.Context) (mcpEntry, error) {
	e := mcpEntry{name: c.String("name"), env: map[string]string{}, url: c.String("server-url")}
	if strings.Trim(strings.ToLower(e.name), "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || e.name == "" {
		return e, shell.Usagef("--name %q must consist of letters, digits, - and _", e.name)
	}
	s, err := a.mcpSetup(c)
	if err != nil {
		return e, err
	}
	if s.Profile != "" {
		e.args = append(e.args, "--profile", s.Profile)
	}
	e.profile, e.login = cmp.Or(s.Profile, config.DefaultProfile), storesLogin(s)
	if path := c.String("config"); path != "" {
		e.args = append(e.args, "--config", path)
	}
	if err := e.setProgram(c.String("command")); err != nil {
		return e, err
	}
	selected := url.Values{}
	if sets := c.String("toolsets"); sets != "" {
		e.args = append(e.args, "--toolsets", sets)
		selected.Set("toolsets", sets)
	}
	if c.Bool("read-only") {
		e.args = append(e.args, "--read-only")
		selected.Set("readonly", "true")
	}
	if err := e.setServer(selected); err != nil {
		return e, err
	}
	// An address that is given here is not in the profile the program will read.
	if v := s.Resolver.Value("url"); v.Origin == config.FromFlag || v.Origin == config.FromEnv {
		address, err := url.Parse(v.Text())
		if err != nil || address.User != nil {
			return e, shell.Usagef("the address of the ERP is not an address without user and password")
		}
		e.env["ERP_URL"] = v.Text()
	}
	return e, nil
}
