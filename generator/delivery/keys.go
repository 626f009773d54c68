package delivery

// The keys of settings.
const (
	KeyMode            = "hub.generator.output-mode"
	KeyDirectory       = "hub.generator.directory"
	KeyBucket          = "hub.generator.objectstore.bucket"
	KeyPrefix          = "hub.generator.objectstore.prefix"
	KeyEndpoint        = "hub.generator.objectstore.endpoint"
	KeyRegion          = "hub.generator.objectstore.region"
	KeyAccessKey       = "hub.generator.objectstore.access-key"
	KeySecretKey       = "hub.generator.objectstore.secret-key"
	KeySessionToken    = "hub.generator.objectstore.session-token"
	KeyOrg             = "hub.repository.default-org"
	KeyPrivate         = "hub.repository.default-private"
	KeyForge           = "hub.repository.url"
	KeyForgeKind       = "hub.repository.kind"
	KeyBranch          = "hub.repository.branch"
	KeyForgeToken      = "hub.repository.token"
	KeyBaseURL         = "hub.artifacts.base-url"
	KeyTTL             = "hub.artifacts.default-ttl-minutes"
	KeyArtifacts       = "hub.artifacts.directory"
	KeyArtifactsBucket = "hub.artifacts.bucket"
	KeyArtifactsPrefix = "hub.artifacts.prefix"
	KeyMaxMegabytes    = "hub.artifacts.max-megabytes"
	KeySMTPHost        = "hub.email.smtp-host"
	KeySMTPPort        = "hub.email.smtp-port"
	KeySMTPSecurity    = "hub.email.smtp-security"
	KeySMTPUser        = "hub.email.username"
	KeySMTPPassword    = "hub.email.password"
	KeyFrom            = "hub.email.from"
	KeyRecipients      = "hub.email.recipients"
	fileSuffix         = "-file"
	fileEnvSuffix      = "_FILE"
	defaultMegabytes   = "1024"
)

// Key is a setting.
type Key struct {
	Name    string
	Env     string // environment variable, "" for none
	Default string // "" for none
	Secret  bool   // may stand in a file as well, and is never shown
	About   string // one line for people
}

// Keys lists the settings in a fixed order. The slice is the caller's.
func Keys() []Key {
	return []Key{
		{Name: KeyMode, Env: "GENERATOR_OUTPUT_MODE", Default: "filesystem", About: "where generated plugins go"},
		{Name: KeyDirectory, Env: "ERPHUB_GENERATOR_DIRECTORY", About: "folder that generated plugins are written below"},
		{Name: KeyBucket, About: "bucket for generated plugins"},
		{Name: KeyPrefix, Default: "generated/", About: "prefix of object names"},
		{Name: KeyEndpoint, Env: "AWS_ENDPOINT_URL_S3", About: "address of the object store; empty is Amazon's"},
		{Name: KeyRegion, Env: "AWS_REGION", Default: "us-east-1", About: "region of the object store"},
		{Name: KeyAccessKey, Env: "AWS_ACCESS_KEY_ID", Secret: true, About: "access key of the object store"},
		{Name: KeySecretKey, Env: "AWS_SECRET_ACCESS_KEY", Secret: true, About: "secret key of the object store"},
		{Name: KeySessionToken, Env: "AWS_SESSION_TOKEN", Secret: true, About: "session token of temporary keys"},
		{Name: KeyOrg, About: "owner of created repositories"},
		{Name: KeyPrivate, Default: "true", About: "create private repositories"},
		{Name: KeyForge, Env: "ERPHUB_REPOSITORY_URL", Default: "https://github.com", About: "address of the forge"},
		{Name: KeyForgeKind, Env: "ERPHUB_REPOSITORY_KIND", About: "API of the forge: github, or gitea for Forgejo as well"},
		{Name: KeyBranch, Default: "main", About: "branch of created repositories"},
		{Name: KeyForgeToken, Env: "ERPHUB_REPOSITORY_TOKEN", Secret: true, About: "token that may create repositories"},
		{Name: KeyBaseURL, Env: "ARTIFACTS_BASE_URL", About: "address in download links"},
		{Name: KeyTTL, Env: "ARTIFACTS_TTL", Default: "60", About: "life of download links and of files that tools made"},
		{Name: KeyArtifacts, Env: "ERPHUB_ARTIFACTS_DIRECTORY", About: "folder that downloads are kept in"},
		{Name: KeyArtifactsBucket, Env: "ERPHUB_ARTIFACTS_BUCKET", About: "bucket that downloads are kept in instead of a folder; address and keys are those of the object store"},
		{Name: KeyArtifactsPrefix, Default: "downloads/", About: "prefix of the downloads in the bucket"},
		{Name: KeyMaxMegabytes, Default: defaultMegabytes, About: "room for downloads in a folder"},
		{Name: KeySMTPHost, Env: "SMTP_HOST", About: "mail server"},
		{Name: KeySMTPPort, Env: "ERPHUB_SMTP_PORT", About: "port of the mail server"},
		{Name: KeySMTPSecurity, Env: "ERPHUB_SMTP_SECURITY", About: "encryption of mails: starttls, tls or none"},
		{Name: KeySMTPUser, Env: "ERPHUB_SMTP_USERNAME", About: "user name at the mail server"},
		{Name: KeySMTPPassword, Env: "ERPHUB_SMTP_PASSWORD", Secret: true, About: "password at the mail server"},
		{Name: KeyFrom, Env: "EMAIL_FROM", Default: "noreply@localhost", About: "sender of mails"},
		{Name: KeyRecipients, Env: "ERPHUB_EMAIL_RECIPIENTS", About: "whom mails may go to: addresses and domains, with commas; empty is the sender's domain"},
	}
}

// lookUp finds a key by its name. All names this package uses are there.
func lookUp(name string) Key {
	for _, k := range Keys() {
		if k.Name == name {
			return k
		}
	}
	return Key{Name: name}
}
