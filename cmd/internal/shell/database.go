package shell

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/internal/secretfile"
)

// DatabaseFlags name the ERP's database.
func DatabaseFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "database", Usage: "address of the ERP's database, such as postgres://reader@host/idempiere (" + doctor.DatabaseVariable + ")"},
		&cli.StringFlag{Name: "database-schema", Usage: "schema of the ERP's tables (default adempiere)"},
	}
}

// Schema is the schema of the ERP's tables.
func (sh *Shell) Schema(c *cli.Context) string {
	if s := c.String("database-schema"); s != "" {
		return s
	}
	return dbdict.DefaultSchema
}

// Address is the address of a database, from a flag, a file, the environment or
// the configuration. It may hold a password.
func (sh *Shell) Address(c *cli.Context, s *Setup, flag, key string) (string, error) {
	address, err := sh.GivenAddress(c, flag)
	if address == "" && err == nil {
		address = s.Resolver.Lookup(key)
	}
	return address, err
}

// GivenAddress is the address of a database from a flag or a file; empty: neither
// is given.
func (sh *Shell) GivenAddress(c *cli.Context, flag string) (string, error) {
	given, file := c.String(flag), c.String(flag+"-file")
	switch {
	case given != "" && file != "":
		return "", Usagef("--%s and --%s-file both name an address; choose one", flag, flag)
	case file != "":
		address, err := secretfile.ReadFile(file)
		if err == nil && address == "" {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return "", fmt.Errorf("reading the address of --%s-file: %w", flag, err)
		}
		return address, nil
	case given != "":
		if hasPassword(given) {
			sh.Note("--%s shows its password in process lists: put the address into a file for --%s-file, or the password into PGPASSFILE", flag, flag)
		}
	}
	return given, nil
}

// hasPassword reports whether an address holds a password.
func hasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return false
	}
	_, has := u.User.Password()
	return has
}
