// Package filestore keeps tokens in the user's configuration file, where the
// command line keeps them, too: a service and a person can share one login.
//
//	store, err := filestore.Open("", filestore.WithProfile("staging"))
//	manager, err := tokens.NewManager(url, tokens.WithStore(store))
//
// It is a package of its own so that who uses package tokens with another
// store does not link YAML and file locking.
//
// The keys are token, refreshToken, token.clientId, token.userId, token.url
// and token.refreshing, per profile; everything else in the file, comments
// included, stays as it is. The file is written with mode 600, and one that
// others may read is refused.
//
// On a desktop the command line keeps the tokens in the system's keyring instead,
// unless `erphub auth login --store file` is used; the key token.keyring then names
// the entry. [WithKeyring] lets a program use those, too; without it they are an
// [ErrInKeyring].
package filestore
