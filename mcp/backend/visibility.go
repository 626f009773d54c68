package backend

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// mostLanguages bounds how many tokens' languages are remembered.
const mostLanguages = 1000

// views tells callers apart that may see different parts of the dictionary, which
// belongs to a tenant and a role, or its texts in another language.
type views struct {
	mu        sync.Mutex                   // guards what follows
	languages map[[sha256.Size]byte]string // of tokens that were used lately, by their digests
}

// of is the view of a caller; callers with the same one see the same.
func (v *views) of(c mcp.Caller) string {
	if c.Token.Reveal() == "" {
		return ""
	}
	if !c.Known {
		return "session " + c.Session + " of " + c.ID // whoever it is shares with nobody
	}
	view := fmt.Sprintf(roleView+"%d/%d", c.ClientID, c.RoleID)
	language := ""
	if c.Identity != nil {
		language = c.Identity.Language
	} else {
		language = v.language(c.Token.Reveal())
	}
	if language != "" {
		view += " in " + language
	}
	return view
}

// language is the one that a token names, "" for none.
func (v *views) language(token string) string {
	digest := sha256.Sum256([]byte(token))
	v.mu.Lock()
	defer v.mu.Unlock()
	if language, ok := v.languages[digest]; ok {
		return language
	}
	language := ""
	if claims, err := tokens.UnverifiedClaims(token); err == nil {
		language = claims.Language
	}
	if v.languages == nil || len(v.languages) >= mostLanguages {
		v.languages = map[[sha256.Size]byte]string{}
	}
	v.languages[digest] = language
	return language
}
