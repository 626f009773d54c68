package toolserver

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/secretfile"

	"github.com/erphub/erphub/tokens"
)

// verifier checks the tokens of clients, and says how; nil with --own-login.
func (a *app) verifier(c *cli.Context, s *shell.Setup, log *slog.Logger) (*tokens.Verifier, string, error) {
	file, jwk := c.String("jwt-secret-file"), c.Bool("jwt-key")
	grace, err := durationSetting(c, s, "verify-grace", keyVerifyGrace)
	if err != nil {
		return nil, "", err
	}
	opts := []tokens.VerifierOption{tokens.VerifierLogger(log), tokens.ExpectIssuer(c.String("jwt-issuer"))}
	if c.Bool("own-login") {
		if file != "" || jwk {
			return nil, "", shell.Usagef("with --own-login there are no tokens to check; leave out --jwt-secret-file and --jwt-key")
		}
		return nil, "It does not authenticate clients: whoever reaches it acts with the login of this program.", nil
	}
	if file != "" && jwk {
		return nil, "", shell.Usagef("--jwt-secret-file and --jwt-key are two ways to check tokens; choose one")
	}
	secret := ""
	if !jwk {
		secret = a.Getenv(shell.TokenSecretVariable)
	}
	if file != "" {
		var err error
		if secret, err = secretfile.ReadFile(file); err != nil {
			return nil, "", fmt.Errorf("reading the token secret: %w", err)
		}
	}
	if secret != "" {
		v, err := tokens.NewSecretVerifier([]byte(secret), opts...)
		if err != nil {
			return nil, "", shell.Usage(err)
		}
		return v, "Clients send their own token of the ERP, which is checked with its secret: one that was revoked is good until it expires.", nil
	}
	return a.verifierOfERP(c, s, grace, opts)
}

// verifierOfERP checks tokens with what the ERP says: the key that it publishes, or
// whether it takes them.
func (a *app) verifierOfERP(c *cli.Context, s *shell.Setup, grace time.Duration, opts []tokens.VerifierOption) (*tokens.Verifier, string, error) {
	url := s.Resolver.Lookup("url")
	if url == "" {
		return nil, "", shell.Usagef("the tokens of clients cannot be checked without an ERP: set ERP_URL or give --url, " +
			"or name the ERP's token secret with --jwt-secret-file")
	}
	opts = append(opts, tokens.VerifierHTTPClient(shell.AskingClient()))
	if c.Bool("jwt-key") {
		if c.IsSet("verify-grace") {
			opts = append(opts, tokens.GraceFor(grace)) // an hour otherwise
		}
		v, err := tokens.NewJWKVerifier(url, opts...)
		if err != nil {
			return nil, "", shell.Usage(err)
		}
		return v, "Clients send their own token of the ERP, which is checked with the key the ERP publishes.", nil
	}
	v, err := tokens.NewIntrospectionVerifier(url, append(opts, tokens.GraceFor(grace))...)
	if err != nil {
		return nil, "", shell.Usage(err)
	}
	return v, fmt.Sprintf("Clients send their own token of the ERP, which the ERP checks: %s.", shell.Printable(url)), nil
}

// asksERP reports whether the ERP checks the tokens of clients.
func (a *app) asksERP(c *cli.Context) bool {
	return !c.Bool("own-login") && !c.Bool("jwt-key") && c.String("jwt-secret-file") == "" && a.Getenv(shell.TokenSecretVariable) == ""
}
