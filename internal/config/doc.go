// Package config reads and changes the user's configuration file, and finds
// the value of a setting among flag, environment, file and default.
//
// # The file
//
// One YAML file per user, mode 600, at erphub/config.yaml in the user's
// configuration folder, or where ERPHUB_CONFIG says. The keys at the top are
// the default profile, which has no name. Further profiles lie below
// profiles, and profile names the one that is used when nothing else is said:
//
//	url: https://erp.example.com
//	token: …
//	auth.username: GardenAdmin
//	profile: staging
//	profiles:
//	  staging:
//	    url: https://staging.example.com
//	    token: …
//	version: 1
//
// The parts of a login are the exception to the precedence: they come from one
// source, and go to the address of that source, see [Resolver.LoginOrigin].
//
// A named profile has the address (url) of the default one unless it names its
// own, and inherits nothing else: its token is for its own server, and is not
// sent to another (token.url). Keys are spelled with dots, as in [Keys];
// sections are read as well (auth: {username: …}), and a value is changed
// where it stands. Comments, unknown keys and the order of keys survive a
// change; blank lines between them may not.
//
// version is the number of the file's form, see [Version]. A file without it was
// written by hand; one of another number is refused.
//
// # Sharing
//
// Several processes share the file. It is replaced as a whole, so a reader
// needs no lock and never sees half of a change. A writer holds the
// lock from reading to writing: [File.Update] does. A lock that another process
// holds is waited for, half a minute at most. The lock is on a file of
// its own beside the configuration, named like it with ".lock" added, and
// falls when its holder dies. That file stays; it has no content.
package config
