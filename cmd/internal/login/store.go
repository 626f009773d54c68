package login

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens/filestore"
)

// Where a login is stored, as --store and the setting token.store say.
const (
	storeSetting = "token.store"
	storeAuto    = "auto"
	storeKeyring = "keyring"
	storeFile    = "file"
)

// saveIn says where a login is stored. What cannot be is said before anybody is
// asked for a password.
func (a *app) saveIn(c *cli.Context, s *shell.Setup) ([]filestore.Option, error) {
	key, _ := config.Lookup(storeSetting)
	place := strings.ToLower(s.Resolver.Lookup(storeSetting))
	if c.IsSet("store") {
		place = strings.ToLower(c.String("store"))
		key.Name = "--store"
	}
	if err := key.Check(place); err != nil {
		return nil, shell.Usage(err)
	}
	none := a.Keyring().Available()
	switch {
	case place == storeFile, place == storeAuto && none != nil:
		return []filestore.Option{filestore.SaveIn(filestore.InFile)}, nil
	case place == storeAuto:
		return []filestore.Option{filestore.SaveIn(filestore.InKeyring), filestore.OrInFile(func(err error) {
			a.Note("the tokens are stored in the file, because the keyring did not take them: %v", err)
		})}, nil
	case none != nil:
		return nil, fmt.Errorf("storing the tokens in the system's keyring: %w; use --store file", none)
	}
	return []filestore.Option{filestore.SaveIn(filestore.InKeyring)}, nil
}
