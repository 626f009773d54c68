// Package pgcluster starts a private PostgreSQL server from the programs that
// are installed on this machine.
//
//	c, err := pgcluster.Start(ctx, nil)
//	defer c.Close()
//	db, err := pgx.Connect(ctx, c.URL("postgres"))
//
// The server's files are in a temporary folder that nobody else can enter, and
// are never synced: it keeps nothing. It listens on a socket in that folder and
// asks for a random password. It ends with Close, or else with this process,
// however that ends: a shell waits for it, stops the server and removes the folder.
package pgcluster
