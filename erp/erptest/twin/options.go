package twin

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// Options say what of an ERP a twin has. The zero value is the dictionary with
// users' roles, and the reference data.
type Options struct {
	// Tables are business tables whose rows are copied, in any case; * stands for
	// any letters.
	Tables []string `json:"tables,omitempty"`
	// EntityTypes has the tables of these entity types copied too.
	EntityTypes []string `json:"entityTypes,omitempty"`
	// Rows bounds the rows of each business table to those made last; 0 is no
	// bound. What is part of them, such as the lines of an order, and what other rows
	// refer to comes in addition.
	Rows int `json:"rows,omitempty"`
	// Since has only the rows of business tables copied that were changed then or
	// later, with what is part of them; zero: all.
	Since time.Time `json:"since,omitzero"`
	// Depth is how many steps references are followed from one row to the next; 0
	// means 5, a negative number that they are not followed.
	Depth int `json:"depth,omitempty"`
	// Tenants are the tenants whose rows are copied beside those of System, by name,
	// search key or number; * stands for all. Nil is the one that the source shows; if it
	// shows several, that is refused.
	Tenants []string `json:"tenants,omitempty"`
	// Languages are those whose translations are copied, such as es_CO. Without any,
	// no translations are copied.
	Languages []string `json:"languages,omitempty"`
	// Binary has attachments, archives and the content of images copied. Masking
	// empties them unless a rule keeps them.
	Binary bool `json:"binary,omitempty"`
	// Logs has logs and transient tables copied.
	Logs bool `json:"logs,omitempty"`
	// Masking says how names, addresses and other data of people and firms are
	// replaced before a row is written; see package mask. Its zero value masks, with
	// the key in the file beside the folder, which is called like it with ".key"
	// behind and is made when it is missing: with the same key the same values are
	// replaced by the same ones, which is what a refresh needs. Mode [mask.None] leaves values as
	// they are. Secrets are never copied, whatever it says. The rows that describe
	// tables and columns are copied as they are; names of tenants and organizations
	// are added to Own.
	Masking mask.Options `json:"-"`

	// Resume has a clone that was interrupted continue where it was. Its other
	// options must be the same. Without anything to continue it begins anew.
	Resume bool `json:"-"`
	// Password is what the users of the twin log in with; "" has one made, which the
	// report tells.
	Password string `json:"-"`
	// Retries is how often in a row a failing request is made again; 0 means 8, a
	// negative number that it is not.
	Retries int `json:"-"`
	// Backoff is how long to wait before the first retry; each one waits twice as
	// long as the one before, half a minute at most. 0 means 500 ms.
	Backoff time.Duration `json:"-"`
	// Progress is called from one goroutine whenever rows were written; nil: nobody
	// is.
	Progress func(Progress) `json:"-"`
	// Clock tells the time the twin says it was made; nil is [time.Now].
	Clock func() time.Time `json:"-"`
	// Logger gets retries and what is left out; nil is silent.
	Logger *slog.Logger `json:"-"`

	previous *previous // the twin that is refreshed; nil: none
}

// Progress is how far a clone is.
type Progress struct {
	Part  Part
	Table string
	Rows  int64 // of the table, so far
	Total int64 // of all tables, so far
}

const (
	defaultDepth   = 5
	defaultRetries = 8
	defaultBackoff = 500 * time.Millisecond
	maxBackoff     = 30 * time.Second
)

func (o Options) withDefaults() Options {
	o.Depth = cmp.Or(o.Depth, defaultDepth)
	o.Depth = max(o.Depth, 0)
	o.Retries = cmp.Or(o.Retries, defaultRetries)
	if o.Backoff <= 0 {
		o.Backoff = defaultBackoff
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// KeyFile is where the key to mask with is kept that [Options] do not have: beside
// the folder of the twin, as it is not to go with the twin.
func KeyFile(dir string) string { return filepath.Clean(dir) + ".key" }

// withKey fills in the key that masking needs.
func (o Options) withKey(dir string) (Options, error) {
	if o.Masking.Mode == mask.None || o.Masking.Key != (mask.Key{}) {
		return o, nil
	}
	key, created, err := mask.OpenKey(KeyFile(dir))
	if err != nil {
		return o, err
	}
	if created {
		o.Logger.Info("made a key to mask with", "file", KeyFile(dir))
	}
	o.Masking.Key = key
	return o, nil
}

// mark tells options with another result apart.
func (o *Options) mark(src Source) (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", src.Kind(), src.Origin(), text, o.Masking.Fingerprint()))
	return hex.EncodeToString(sum[:]), nil
}
