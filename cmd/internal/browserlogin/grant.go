package browserlogin

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/erphub/erphub/tokens"
)

// grant is that a client acts for a user with a role.
type grant struct {
	Client  []byte       `json:"client"` // SHA-256 of its identifier
	Name    string       `json:"name,omitempty"`
	To      string       `json:"to"` // where codes were sent, in words
	User    string       `json:"user"`
	Login   string       `json:"login"`
	Names   tokens.Names `json:"names"`
	Begun   time.Time    `json:"begun"`
	Renewed time.Time    `json:"renewed,omitzero"`
	Code    code         `json:"code"`
	Access  []ticket     `json:"access,omitempty"`
	Refresh ticket       `json:"refresh,omitzero"`

	id     string
	stored []byte // as it was read
}

// code is what the client gets for its user's login, and turns into tokens once.
type code struct {
	ticket
	Redirect  string `json:"redirect"`
	Challenge string `json:"challenge"`
	Used      bool   `json:"used,omitempty"`
}

func (s *Server) grantKey(id string) string { return s.prefix + "grant:" + id }
func (s *Server) pairKey(id string) string  { return s.prefix + "pair:" + id }

// sets are those that list a grant: of its user, and of all.
func (s *Server) sets(user string) []string {
	return []string{s.prefix + "user:" + user, s.everybody()}
}

func (s *Server) everybody() string { return s.prefix + "grants" }

// userKey is the user of a token as grants know them.
func userKey(c tokens.Claims) string { return fmt.Sprintf("%d/%d", c.ClientID, c.UserID) }

func clientHash(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}

// begin stores a new grant and returns its code.
func (s *Server) begin(ctx context.Context, g *grant, pair tokens.Stored) (string, error) {
	key := random(secretBytes)
	g.id, g.Begun = encode(random(idBytes)), s.now()
	var text string
	text, g.Code.ticket = newToken(kindCode, g.id, key, g.Begun.Add(codeLife))
	if err := (&pairStore{s, g.id, key}).Save(ctx, pair); err != nil {
		return "", err
	}
	record, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	if err := s.store.Put(ctx, s.grantKey(g.id), record, replayTime); err != nil {
		return "", err
	}
	for _, set := range s.sets(g.User) {
		if err := s.store.Add(ctx, set, g.id, refreshLife); err != nil {
			return "", err
		}
	}
	return text, nil
}

// find returns a grant, nil for none.
func (s *Server) find(ctx context.Context, id string) (*grant, error) {
	record, err := s.store.Get(ctx, s.grantKey(id))
	if err != nil || record == nil {
		return nil, err
	}
	g := &grant{id: id, stored: record}
	if err := json.Unmarshal(record, g); err != nil {
		return nil, fmt.Errorf("reading what is stored of a login: %w", err)
	}
	return g, nil
}

// issue gives a grant new tokens, unless it has changed since it was read. Access
// tokens that have not ended stay good, the last one alone.
func (s *Server) issue(ctx context.Context, g *grant, key []byte) (access, refresh string, ok bool, err error) {
	now := s.now()
	g.Code.Used, g.Code.Wrapped, g.Renewed = true, nil, now
	var t ticket
	access, t = newToken(kindAccess, g.id, key, now.Add(accessLife))
	g.Access = append([]ticket{t}, slices.DeleteFunc(g.Access, func(old ticket) bool { return now.After(old.Ends) })...)
	g.Access = g.Access[:min(len(g.Access), 2)]
	refresh, g.Refresh = newToken(kindRefresh, g.id, key, now.Add(refreshLife))
	record, err := json.Marshal(g)
	if err != nil {
		return "", "", false, err
	}
	if ok, err = s.store.Replace(ctx, s.grantKey(g.id), g.stored, record, refreshLife); err != nil || !ok {
		return "", "", false, err
	}
	for _, set := range s.sets(g.User) {
		if err := s.store.Add(ctx, set, g.id, refreshLife); err != nil {
			return "", "", false, err
		}
	}
	return access, refresh, true, nil
}

// end ends a grant, and the login at the ERP if this process has the key to it.
// Otherwise nobody can decrypt any more what is stored of the login.
func (s *Server) end(ctx context.Context, g *grant, key []byte, why string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), erpTime)
	defer cancel()
	m, err := s.manager(g.id, key)
	if err != nil {
		return err
	}
	if err := s.store.Delete(ctx, s.grantKey(g.id)); err != nil {
		return fmt.Errorf("ending a grant: %w", err)
	}
	s.forget(g.id)
	s.log.InfoContext(ctx, "a grant ended", "why", why, "user", g.Login, "client", g.Name, "to", g.To, "role", g.Names.Role)
	if m != nil {
		if err := m.Logout(ctx); err != nil {
			s.log.WarnContext(ctx, "the login of a grant that ended could not be ended at the ERP; it ends by itself", "error", err)
		}
	}
	if err := s.store.Delete(ctx, s.pairKey(g.id)); err != nil {
		return fmt.Errorf("ending a grant: %w", err)
	}
	for _, set := range s.sets(g.User) {
		if err := s.store.Remove(ctx, set, g.id); err != nil {
			return fmt.Errorf("ending a grant: %w", err)
		}
	}
	return nil
}

// pairStore keeps the tokens of the ERP of one grant, encrypted with the grant's key.
type pairStore struct {
	s   *Server
	id  string
	key []byte
}

// pair is [tokens.Stored] as it is encrypted.
type pair struct {
	Access, Refresh  string
	ClientID, UserID int
	Server           string
	Names            tokens.Names
	Refreshing       string
}

func pairOf(st tokens.Stored) pair {
	return pair{st.Access.Reveal(), st.Refresh.Reveal(), st.ClientID, st.UserID, st.Server, st.Names, st.Refreshing}
}

func (p pair) stored() tokens.Stored {
	return tokens.Stored{
		Access: tokens.NewSecret(p.Access), Refresh: tokens.NewSecret(p.Refresh), ClientID: p.ClientID, UserID: p.UserID,
		Server: p.Server, Names: p.Names, Refreshing: p.Refreshing,
	}
}

func (p *pairStore) purpose() string { return "pair:" + p.id }

// Lock implements [tokens.Store].
func (p *pairStore) Lock(ctx context.Context) (func(), error) {
	return p.s.store.Lock(ctx, p.s.prefix+"lock:"+p.id)
}

// Load implements [tokens.Store].
func (p *pairStore) Load(ctx context.Context) (tokens.Stored, error) {
	sealed, err := p.s.store.Get(ctx, p.s.pairKey(p.id))
	if err != nil || sealed == nil {
		return tokens.Stored{}, err
	}
	plain, err := unseal(p.key, p.purpose(), sealed)
	if err != nil {
		return tokens.Stored{}, err
	}
	var found pair
	if err := json.Unmarshal(plain, &found); err != nil {
		return tokens.Stored{}, fmt.Errorf("reading what is stored of a login: %w", err)
	}
	return found.stored(), nil
}

// Save implements [tokens.Store].
func (p *pairStore) Save(ctx context.Context, st tokens.Stored) error {
	if st.IsZero() {
		return p.s.store.Delete(ctx, p.s.pairKey(p.id))
	}
	plain, err := json.Marshal(pairOf(st))
	if err != nil {
		return err
	}
	return p.s.store.Put(ctx, p.s.pairKey(p.id), seal(p.key, p.purpose(), plain), refreshLife)
}
