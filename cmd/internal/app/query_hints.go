package app

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
)

// notAvailable is how the AI API refuses a table that is not there, or not for
// the role.
var notAvailable = regexp.MustCompile(`table "((?:[^"]|"")+)" is not available`)

// queryHint adds to the refusal of a table the one that was probably meant, when
// the role may ask for it.
func (a *app) queryHint(c *cli.Context, client *aiclient.Client, err error) error {
	var refused *aiclient.Error
	if !errors.As(err, &refused) || c.Context.Err() != nil {
		return err
	}
	m := notAvailable.FindStringSubmatch(refused.Message)
	if m == nil {
		return err
	}
	word := strings.ReplaceAll(m[1], `""`, `"`)
	word = word[strings.LastIndexByte(word, '.')+1:]
	ctx, cancel := context.WithTimeout(c.Context, hintTime)
	defer cancel()
	erpClient, clientErr := a.client(c)
	if clientErr != nil {
		return err
	}
	meant := nearTable(ctx, erpClient, word)
	if meant == "" {
		return err
	}
	table, metaErr := client.TableMetadata(ctx, meant)
	if metaErr != nil || !table.Queryable {
		return err // the login sees it, the role does not
	}
	return fmt.Errorf("%w; did you mean %q?", err, table.Name)
}
