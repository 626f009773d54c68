package erptest

import (
	"context"
	"sync"
	"time"
)

// User is a user and what it works in: what [Server.APIToken] takes.
type User struct {
	Name                    string
	ClientID, RoleID, OrgID int64
}

// The users of the demo data.
var (
	SuperUser   = User{Name: "SuperUser"} // System: the dictionary
	GardenAdmin = User{Name: "GardenAdmin", ClientID: 11, RoleID: 102, OrgID: 11}
	GardenUser  = User{Name: "GardenUser", ClientID: 11, RoleID: 103, OrgID: 11}
)

// TokenSource gives the tokens of a user to a client, which then needs no login:
//
//	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)))
//
// One token, which never ends, is made with the first request. That there is no
// such user, role or organization is the error of every request. Services that check
// tokens with the secret refuse it, because it has no end: [Server.APIToken] makes them one.
func (s *Server) TokenSource(u User) *TokenSource { return &TokenSource{server: s, user: u} }

// TokenSource is one of [Server.TokenSource]. It is safe for concurrent use.
type TokenSource struct {
	server *Server
	user   User

	mu    sync.Mutex // guards token
	token string
}

// Token returns the token. It makes no request.
func (t *TokenSource) Token(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" {
		return t.token, nil
	}
	const forever time.Duration = 0
	token, err := t.server.APIToken(ctx, t.user.Name, t.user.ClientID, t.user.RoleID, t.user.OrgID, forever)
	if err == nil {
		t.token = token
	}
	return token, err
}
