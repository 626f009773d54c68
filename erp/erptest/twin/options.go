package twin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
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
	// bound. What other rows refer to comes in addition.
	Rows int `json:"rows,omitempty"`
	// Since has only the rows of business tables copied that were changed then or
	// later; zero: all.
	Since time.Time `json:"since,omitzero"`
	// Depth is how many steps references are followed from one row to the next; 0
	// means 5, a negative number that they are not followed.
	Depth int `json:"depth,omitempty"`
	// Languages are those whose translations are copied, such as es_CO. Without any
	// there are none.
	Languages []string `json:"languages,omitempty"`
	// Binary has attachments, archives and the content of images copied. It is not
	// masked.
	Binary bool `json:"binary,omitempty"`
	// Logs has logs and transient tables copied.
	Logs bool `json:"logs,omitempty"`
	// Mask changes each row before it is written; nil leaves rows as they are,
	// except for passwords, tokens and other secrets, which are never copied.
	Mask Mask `json:"-"`

	// NewMask makes the mask once the dictionary is known; it comes before Mask. The
	// rows that describe tables and columns are copied before, as they are.
	NewMask func(Described) (Mask, error) `json:"-"`
	// Masking names what the mask does, for [Options].Resume and [Info]: clones with
	// other names are others. It must not hold secrets.
	Masking string `json:"masking,omitempty"`

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

// Mask replaces what must not leave the ERP.
type Mask interface {
	// Row changes the values of a row of a table, by the dictionary's names of its
	// columns. They are as the embedded ERP keeps them: int64, string, []byte; NULL
	// is nil. Keys and references must stay as they are.
	Row(table string, row map[string]any) error
}

// Described is what a mask may want to know of an ERP.
type Described struct {
	Tables []DescribedTable
	// Own are the names and search keys of tenants and organizations, but for those
	// of System.
	Own []string
}

// DescribedTable is a table of the dictionary with rows.
type DescribedTable struct {
	Name, AccessLevel, EntityType string
	Columns                       []DescribedColumn
}

// DescribedColumn is a column that is stored.
type DescribedColumn struct {
	Name, ElementName                                     string
	Display, Length                                       int
	RefTable                                              string // whose keys the values are; "" for none
	Key, Secure, Encrypted, Identifier, Unique, Mandatory bool
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
	if o.Depth == 0 {
		o.Depth = defaultDepth
	}
	o.Depth = max(o.Depth, 0)
	if o.Retries == 0 {
		o.Retries = defaultRetries
	}
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

// mark tells options with another result apart.
func (o *Options) mark(src Source) (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%t", src.Kind(), src.Origin(), text, o.Mask != nil || o.NewMask != nil))
	return hex.EncodeToString(sum[:]), nil
}
