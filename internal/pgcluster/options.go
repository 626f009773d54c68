package pgcluster

// Options change a cluster. Nil and the zero value are the defaults.
type Options struct {
	// User is the superuser; empty: erphub.
	User string
	// Settings are more of the server's settings, as name=value.
	Settings []string
	// Trust has the server listen on a free port of 127.0.0.1 as well, and ask
	// nobody for a password: for tests, with data that everybody may have.
	Trust bool
}
