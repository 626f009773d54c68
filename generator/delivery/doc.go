// Package delivery chooses how generated plugins are delivered, from settings:
// it is the one place that knows their keys, checks them before any work starts
// and makes the [generator.Delivery] that a request or the settings name. A program
// that imports it links the clients of object storage, git and mail; one that wants
// files, archives or links alone uses package generator alone.
//
//	deliveries, err := delivery.New(delivery.Options{Setting: resolver.Lookup, Getenv: os.Getenv})
//	mode, d, err := deliveries.For(ctx, delivery.Request{Output: "email", Email: "developer@example.com"})
//	receipt, err := d.Deliver(ctx, artifact, nil)
//
// # The mode
//
// The request's output decides, else hub.generator.output-mode
// (GENERATOR_OUTPUT_MODE), else it is filesystem. Modes are written in lower case.
//
// # Settings
//
// [Keys] lists them. Those of the hub's specification:
//
//	hub.generator.output-mode               GENERATOR_OUTPUT_MODE       filesystem
//	hub.generator.objectstore.bucket
//	hub.generator.objectstore.prefix                                    generated/
//	hub.repository.default-org                                          the token's own user
//	hub.repository.default-private                                      true
//	hub.artifacts.base-url                  ARTIFACTS_BASE_URL
//	hub.artifacts.default-ttl-minutes       ARTIFACTS_TTL               60
//	hub.email.smtp-host                     SMTP_HOST
//	hub.email.from                          EMAIL_FROM                  noreply@localhost
//
// It leaves out where some things are, and all credentials:
//
//	hub.generator.directory                 ERPHUB_GENERATOR_DIRECTORY  folder that the mode filesystem writes below
//	hub.generator.objectstore.endpoint      AWS_ENDPOINT_URL_S3         address of the store; empty is Amazon's
//	hub.generator.objectstore.region        AWS_REGION                  us-east-1
//	hub.generator.objectstore.access-key    AWS_ACCESS_KEY_ID           secret
//	hub.generator.objectstore.secret-key    AWS_SECRET_ACCESS_KEY       secret
//	hub.generator.objectstore.session-token AWS_SESSION_TOKEN           secret, of temporary credentials
//	hub.repository.url                      ERPHUB_REPOSITORY_URL       https://github.com
//	hub.repository.kind                     ERPHUB_REPOSITORY_KIND      github or gitea (Forgejo as well); by the address
//	hub.repository.branch                                               main
//	hub.repository.token                    ERPHUB_REPOSITORY_TOKEN     secret
//	hub.artifacts.directory                 ERPHUB_ARTIFACTS_DIRECTORY  folder that the mode url keeps artifacts in
//	hub.artifacts.bucket                    ERPHUB_ARTIFACTS_BUCKET     bucket that the mode url keeps artifacts in instead
//	hub.artifacts.prefix                                                downloads/, of their objects
//	hub.artifacts.max-megabytes                                         1024, of all artifacts kept in the folder
//	hub.email.smtp-port                     ERPHUB_SMTP_PORT            587; the host may name it as well
//	hub.email.smtp-security                 ERPHUB_SMTP_SECURITY        starttls, tls (default on port 465) or none
//	hub.email.username                      ERPHUB_SMTP_USERNAME        no login without it
//	hub.email.password                      ERPHUB_SMTP_PASSWORD        secret
//	hub.email.recipients                    ERPHUB_EMAIL_RECIPIENTS     whom mails may go to
//
// Servers that run side by side keep artifacts in one bucket (or in a folder that all
// of them share), so that each serves the links of the others. The bucket is in the
// store that hub.generator.objectstore.endpoint, region and keys name. The access key
// needs s3:PutObject, s3:GetObject and s3:DeleteObject on the prefix, and
// s3:ListBucket: without it the store tells nobody that an object is not there.
//
// hub.artifacts.default-ttl-minutes is the life of links into object storage as
// well. With smtp-security none a mail goes out in the clear when the server
// offers no encryption; a password never does.
//
// # Recipients of mails
//
// hub.email.recipients lists addresses (name@example.com), domains
// (example.com), what is below domains (.example.com), or * for everybody, with
// commas or blanks between them. While it is not set mails go to addresses of the
// sender's domain alone, which hub.email.from says, unless
// [Options.AnyRecipient] is set. Other recipients are failures of the kind
// [generator.FailureInvalid].
//
// # Credentials
//
// A secret is looked for when it is used, so that it can be replaced while a
// server runs: first under its variable and its key, then in the file that the
// variable with _FILE added (ERPHUB_SMTP_PASSWORD_FILE) or the key with -file
// added (hub.email.password-file) names. The file holds the secret and at most a
// line break behind it. Secrets are in no error and in no log.
//
// # Hosts
//
// Hosts in the settings are the operator's choice, and may be in a private
// network. With [Options.Untrusted], for settings that somebody else made, they
// must have public addresses. No host comes from a request.
package delivery
