package config

import (
	"slices"
	"strings"
)

// serverPrefix begins the settings that stand for the flags of servers.
const serverPrefix = "hub.server."

// Servers are the servers whose flags are settings, too: `erphub server api`,
// `erphub server mcp` (and the program erphub-mcp), and `erphub sandbox`.
func Servers() []string { return []string{"api", "mcp", "sandbox"} }

// flagNames are the flags whose variable or key has a name of its own. The others
// are hub.server.SERVER.FLAG in the file and ERPHUB_SERVER_FLAG in the environment.
var flagNames = []struct{ server, flag, env, key string }{
	{"", "database", "ERP_DATABASE_URL", "database.url"},
	{"", "audit-database", "ERP_AUDIT_DATABASE_URL", "database.audit-url"},
	{"", "redis", "ERPHUB_REDIS_URL", "hub.redis.url"},
	{"api", "email-recipient", "ERPHUB_EMAIL_RECIPIENTS", "hub.email.recipients"},
	{"mcp", "verify-grace", "", "hub.mcp.verify-grace"},
	{"mcp", "fail-on-missing", "", "hub.schema-cache.fail-on-missing"},
	{"mcp", "backend", "BACKEND", ""},
	{"mcp", "toolsets", "ERPHUB_TOOLSETS", ""},
	{"mcp", "confirm", "ERPHUB_CONFIRM", ""},
	{"mcp", "ai-api-url", "AI_API_URL", ""},
	{"mcp", "ai-api-token", "AI_API_TOKEN", "hub.ai-api.token"},
	{"mcp", "ai-role-id", "AI_ROLE_ID", ""},
}

// FlagKey is the key of the setting that stands for a flag of a server.
func FlagKey(server, flag string) string {
	for _, n := range flagNames {
		if n.flag == flag && (n.server == "" || n.server == server) && n.key != "" {
			return n.key
		}
	}
	return serverPrefix + server + "." + flag
}

// flagEnv is the variable that stands for a flag of a server.
func flagEnv(server, flag string) string {
	for _, n := range flagNames {
		if n.flag == flag && (n.server == "" || n.server == server) && n.env != "" {
			return n.env
		}
	}
	return "ERPHUB_" + strings.ToUpper(server) + "_" + strings.ReplaceAll(strings.ToUpper(flag), "-", "_")
}

// ServerFlag tells which flag of which server a key below hub.server stands for.
func ServerFlag(key string) (server, flag string, ok bool) {
	rest, ok := strings.CutPrefix(key, serverPrefix)
	if !ok {
		return "", "", false
	}
	server, flag, ok = strings.Cut(rest, ".")
	return server, flag, ok && flag != ""
}

// serverKey is the setting of that key, if it can stand for a flag of a server.
// Which flags there are is known to the server, which refuses others.
func serverKey(name string) (Key, bool) {
	server, flag, ok := ServerFlag(name)
	if !ok || FlagKey(server, flag) != name || strings.Trim(flag, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return Key{}, false
	}
	for _, s := range Servers() {
		if s == server {
			return Key{Name: name, Env: flagEnv(server, flag), About: "flag --" + flag + " of the server " + server}, true
		}
	}
	return Key{}, false
}

// Variable is an environment variable that has no key in the file.
type Variable struct{ Name, About string }

// Variables are those of this module's own, beside those of [Keys] and of the flags
// of servers.
func Variables() []Variable {
	return []Variable{
		{"ERPHUB_CONFIG", "path of the configuration file"},
		{"ERPHUB_PROFILE", "profile of the configuration file to use"},
		{"ERP_TOKEN_SECRET", "secret with which the ERP signs tokens, for servers that check them; ERPHUB_API_JWT_SECRET_FILE and ERPHUB_MCP_JWT_SECRET_FILE name a file with it"},
		{DetachedVariable, "file in which a sandbox that runs by itself says where it is; set by sandbox --detach"},
		{"ERPHUB_COMPLETE", "words of a command line that is to be completed, one per line; set by the completion scripts"},
		{"ERPHUB_SPOOL", "folder for calls of the deployment log that wait for the ERP"},
		{"ERPHUB_PAGER", "program that shows long results; before PAGER"},
		{"AI_API_URL", "address of an AI API"},
		{"AI_API_TOKEN", "token for the AI API"},
		{"AI_ROLE_ID", "role to query the AI API with"},
		{"BACKEND", "backend that tools try first: rest, ai, db or cli"},
		{"ERPHUB_TOOLSETS", "tool sets to enable"},
		{"ERPHUB_CONFIRM", "who confirms a change that a tool makes: user or client"},
	}
}

// IsVariable reports whether some program of the module reads a variable.
func IsVariable(name string) bool {
	return slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Name == name }) ||
		slices.ContainsFunc(Keys(), func(k Key) bool { return k.Env == name }) ||
		slices.ContainsFunc(Servers(), func(s string) bool {
			rest, ok := strings.CutPrefix(name, "ERPHUB_"+strings.ToUpper(s)+"_")
			return ok && rest != ""
		})
}

// DetachedVariable is how sandbox --detach tells the process that it starts where to
// say that it is ready.
const DetachedVariable = "ERPHUB_DETACHED"
