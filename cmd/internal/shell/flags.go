package shell

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// Texts is a flag that may be given several times, each time as it is.
type Texts struct{ given []string }

// Set adds a value.
func (t *Texts) Set(value string) error {
	if value != sameTexts {
		t.given = append(t.given, value)
	}
	return nil
}

// sameTexts is what the library sets an alias of the flag to, which shares the
// values. No argument of a program can hold it.
const sameTexts = "\x00"

// Serialize implements cli.Serializer.
func (t *Texts) Serialize() string { return sameTexts }

// String shows the values, for help.
func (t *Texts) String() string {
	if t == nil {
		return ""
	}
	return strings.Join(t.given, ",")
}

// Given are the values of a flag that may be given several times.
func Given(c *cli.Context, flag string) []string {
	t, ok := c.Generic(flag).(*Texts)
	if !ok {
		return nil
	}
	return t.given
}
