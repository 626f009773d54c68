package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/baseurl"

	"github.com/erphub/erphub/internal/nearest"
)

// Kind is the form of a value.
type Kind int

// The forms a value can have.
const (
	Text     Kind = iota
	Integer       // a whole number, 0 or more
	Boolean       // true or false
	Duration      // as time.ParseDuration reads it: 5m, 1h30m
	ID            // a whole number, or a name that the ERP resolves
	Address       // http:// or https:// and a host
	Port          // 1 to 65535
)

// Key describes one setting.
type Key struct {
	Name    string // as it stands in the file
	Env     string // environment variable; "" for none
	Default string // "" for none
	Kind    Kind
	Values  []string // the only ones that are possible; nil: any of the kind
	Secret  bool     // never printed
	State   bool     // kept by the program, not meant to be set by hand
	Login   bool     // a part of a login, see [Resolver.LoginOrigin]
	About   string   // one line for people

	// Inherited: a profile without it has that of the default profile.
	Inherited bool
}

// Keys returns all known settings in a fixed order. The slice is the
// caller's.
func Keys() []Key { return slices.Clone(keys) }

// A program looks settings up hundreds of times when it starts.
var keys = []Key{
	{Name: "url", Env: "ERP_URL", Kind: Address, Inherited: true, About: "address of the ERP, without /api/v1"},
	{Name: "web-url", Env: "ERP_WEB_URL", Kind: Address, Inherited: true, About: "address of the web client, where it is not that of the ERP with /webui/"},
	{Name: "token", Env: "ERP_TOKEN", Login: true, Secret: true, About: "access token"},
	{Name: "refreshToken", Secret: true, State: true, About: "refresh token; changes with every refresh"},
	{Name: "token.keyring", State: true, About: "name of the entry in the system's keyring that holds the tokens"},
	{Name: "token.store", Env: "ERPHUB_TOKEN_STORE", Default: "auto", Values: []string{"auto", "keyring", "file"}, Inherited: true, About: "where a login is stored: the system's keyring, this file, or auto: the keyring where there is one"},
	{Name: "token.clientId", Kind: Integer, State: true, About: "client (tenant) id of the token"},
	{Name: "token.userId", Kind: Integer, State: true, About: "user id of the token"},
	{Name: "token.url", State: true, About: "address the token was obtained from"},
	{Name: "token.clientName", State: true, About: "name of the client (tenant), as the login told"},
	{Name: "token.roleName", State: true, About: "name of the role, as the login told"},
	{Name: "token.orgName", State: true, About: "name of the organization, as the login told"},
	{Name: "token.warehouseName", State: true, About: "name of the warehouse, as the login told"},
	{Name: "token.refreshing", State: true, About: "mark of a refresh that was begun"},
	{Name: "auth.auto-login", Default: "true", Kind: Boolean, About: "log in automatically when there are credentials"},
	{Name: "auth.token-lifetime", Default: "1h", Kind: Duration, About: "assumed life of a token that does not tell"},
	{Name: "auth.refresh-buffer", Default: "5m", Kind: Duration, About: "how long before its end a token is refreshed"},
	{Name: "auth.username", Env: "ERP_USERNAME", Login: true, About: "user name for login"},
	{Name: "auth.password", Env: "ERP_PASSWORD", Login: true, Secret: true, About: "password for login"},
	{Name: "auth.default-client-id", Env: "ERP_CLIENT_ID", Login: true, Default: "0", Kind: ID, About: "client (tenant) to log in to"},
	{Name: "auth.default-role-id", Env: "ERP_ROLE_ID", Login: true, Default: "0", Kind: ID, About: "role to log in with"},
	{Name: "auth.default-org-id", Env: "ERP_ORG_ID", Login: true, Default: "0", Kind: ID, About: "organization to log in to"},
	{Name: "database.url", Env: "ERP_DATABASE_URL", Secret: true, About: "address of the ERP's database, with a login that reads"},
	{Name: "database.audit-url", Env: "ERP_AUDIT_DATABASE_URL", Secret: true, About: "address of the ERP's database, with a login that writes the audit of queries"},
	{Name: "hub.redis.url", Env: "ERPHUB_REDIS_URL", Secret: true, About: "address of the Redis that servers keep limits and other shared state in"},
	{Name: "hub.ai-api.token", Env: "AI_API_TOKEN", Secret: true, About: "token with which the tool server calls the AI API"},
	{Name: "hub.mcp.verify-grace", Env: "ERPHUB_MCP_VERIFY_GRACE", Default: "10m", Kind: Duration, About: "how long the tool server believes accepted tokens while the ERP cannot be reached"},
	{Name: "hub.schema-cache.fail-on-missing", Env: "ERPHUB_MCP_FAIL_ON_MISSING", Default: "false", Kind: Boolean, About: "the tool server does not start without the ERP's dictionary"},
	{Name: "hub.generator.output-mode", Env: "GENERATOR_OUTPUT_MODE", Default: "filesystem", Values: []string{"filesystem", "archive", "url", "object_store", "repository", "email"}, About: "where generated plugins go"},
	{Name: "hub.generator.directory", Env: "ERPHUB_GENERATOR_DIRECTORY", About: "folder that generated plugins are written below"},
	{Name: "hub.generator.objectstore.endpoint", Env: "AWS_ENDPOINT_URL_S3", Kind: Address, About: "address of the object store; empty is Amazon's"},
	{Name: "hub.generator.objectstore.region", Env: "AWS_REGION", Default: "us-east-1", About: "region of the object store"},
	{Name: "hub.generator.objectstore.access-key", Env: "AWS_ACCESS_KEY_ID", Secret: true, About: "access key of the object store"},
	{Name: "hub.generator.objectstore.secret-key", Env: "AWS_SECRET_ACCESS_KEY", Secret: true, About: "secret key of the object store"},
	{Name: "hub.generator.objectstore.session-token", Env: "AWS_SESSION_TOKEN", Secret: true, About: "session token of temporary keys"},
	{Name: "hub.generator.objectstore.bucket", About: "bucket for generated plugins"},
	{Name: "hub.generator.objectstore.prefix", Default: "generated/", About: "prefix of object names"},
	{Name: "hub.repository.default-org", About: "owner of created repositories"},
	{Name: "hub.repository.default-private", Default: "true", Kind: Boolean, About: "create private repositories"},
	{Name: "hub.repository.url", Env: "ERPHUB_REPOSITORY_URL", Default: "https://github.com", Kind: Address, About: "address of the forge"},
	{Name: "hub.repository.kind", Env: "ERPHUB_REPOSITORY_KIND", Values: []string{"github", "gitea"}, About: "API of the forge: github, or gitea for Forgejo as well"},
	{Name: "hub.repository.branch", Default: "main", About: "branch of created repositories"},
	{Name: "hub.repository.token", Env: "ERPHUB_REPOSITORY_TOKEN", Secret: true, About: "token that may create repositories"},
	{Name: "hub.artifacts.directory", Env: "ERPHUB_ARTIFACTS_DIRECTORY", About: "folder that downloads are kept in"},
	{Name: "hub.artifacts.bucket", Env: "ERPHUB_ARTIFACTS_BUCKET", About: "bucket that downloads are kept in instead of a folder; address and keys are those of the object store"},
	{Name: "hub.artifacts.prefix", Default: "downloads/", About: "prefix of the downloads in the bucket"},
	{Name: "hub.artifacts.max-megabytes", Default: "1024", Kind: Integer, About: "room for downloads in a folder"},
	{Name: "hub.artifacts.base-url", Env: "ARTIFACTS_BASE_URL", Kind: Address, About: "address in download links"},
	{Name: "hub.artifacts.default-ttl-minutes", Env: "ARTIFACTS_TTL", Default: "60", Kind: Integer, About: "life of download links and of files that tools made"},
	{Name: "hub.webhook.url", Env: "ERPHUB_WEBHOOK_URL", Secret: true, About: "addresses told how deployments end, with blanks between; those of chat systems are secrets"},
	{Name: "hub.webhook.secret", Env: "ERPHUB_WEBHOOK_SECRET", Secret: true, About: "secret that signs webhooks: whsec_ and base64"},
	{Name: "hub.webhook.allow-http", Env: "ERPHUB_WEBHOOK_ALLOW_HTTP", Default: "false", Kind: Boolean, About: "send webhooks to other machines over plain http, too"},
	{Name: "hub.email.smtp-host", Env: "SMTP_HOST", About: "mail server"},
	{Name: "hub.email.smtp-port", Env: "ERPHUB_SMTP_PORT", Kind: Port, About: "port of the mail server"},
	{Name: "hub.email.smtp-security", Env: "ERPHUB_SMTP_SECURITY", Values: []string{"starttls", "tls", "none"}, About: "encryption of mails: starttls, tls or none"},
	{Name: "hub.email.username", Env: "ERPHUB_SMTP_USERNAME", About: "user name at the mail server"},
	{Name: "hub.email.password", Env: "ERPHUB_SMTP_PASSWORD", Secret: true, About: "password at the mail server"},
	{Name: "hub.email.from", Env: "EMAIL_FROM", Default: "noreply@localhost", About: "sender of mails"},
	{Name: "hub.email.recipients", Env: "ERPHUB_EMAIL_RECIPIENTS", About: "whom mails may go to: addresses and domains, with commas; empty is the sender's domain"},
}

// Lookup finds a key by its exact name. Those of flags of servers, such as
// hub.server.api.listen, are not among [Keys].
func Lookup(name string) (Key, bool) {
	if i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return keys[i], true
	}
	return serverKey(name)
}

// Known is [Lookup] with an error that helps: it suggests what may have been
// meant.
func Known(name string) (Key, error) {
	if k, ok := Lookup(name); ok {
		return k, nil
	}
	const least = 3 // letters that an end has, to be meant
	last := name[strings.LastIndexByte(name, '.')+1:]
	var names []string
	for _, k := range Keys() {
		if strings.EqualFold(k.Name, name) || len(last) >= least && strings.HasSuffix(strings.ToLower(k.Name), strings.ToLower(last)) {
			return Key{}, fmt.Errorf("there is no setting %q; did you mean %s?", name, k.Name)
		}
		names = append(names, k.Name)
	}
	if near := nearest.Name(name, names); near != "" {
		return Key{}, fmt.Errorf("there is no setting %q; did you mean %s?", name, near)
	}
	return Key{}, fmt.Errorf("there is no setting %q; `erphub config list` shows all", name)
}

// Check reports whether value has the form the key requires. The value of a
// secret is not shown in the error.
func (k Key) Check(value string) error {
	if len(k.Values) > 0 && !slices.Contains(k.Values, value) {
		return fmt.Errorf("%s: %q is none of %s", k.Name, value, strings.Join(k.Values, ", "))
	}
	if k.Kind == Address {
		return checkAddress(k.Name, value)
	}
	switch problem := k.Kind.misfit(value); {
	case problem == "":
		return nil
	case k.Secret:
		return fmt.Errorf("the value of %s %s", k.Name, problem)
	default:
		return fmt.Errorf("%s: %q %s", k.Name, value, problem)
	}
}

// misfit says why a value does not have the form of a kind, empty if it does.
func (k Kind) misfit(value string) string {
	whole, err := strconv.Atoi(value)
	if err != nil {
		whole = -1
	}
	length, err := time.ParseDuration(value)
	switch {
	case k == Port && (whole < 1 || whole > 65535):
		return "is not a port, 1 to 65535"
	case k == Integer && whole < 0:
		return "is not a whole number of 0 or more"
	case k == Boolean && !slices.Contains([]string{"true", "false"}, value):
		return "is neither true nor false"
	case k == Duration && (err != nil || length < 0):
		return "is not a duration such as 5m or 1h30m"
	case k == ID && isOtherNumber(value):
		return "is a number and no id: ids are whole numbers of 0 or more"
	case strings.ContainsFunc(value, isControl):
		return "contains a line break or another control character"
	}
	return ""
}

func isOtherNumber(value string) bool {
	_, notNumber := strconv.ParseFloat(value, 64)
	n, notID := strconv.ParseInt(value, 10, 32)
	return notNumber == nil && (notID != nil || n < 0)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// checkAddress does not show the value, which may hold a password.
func checkAddress(name, value string) error {
	if _, err := baseurl.Parse(value, "/api/v1"); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}
