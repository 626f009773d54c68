package restdict

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/erphub/erphub/erp"
)

// readers is how many tables are tried at once.
const readers = 4

// Unreadable returns those of the tables that the ERP fails to read although the
// dictionary has them. The ERP reads a table with all columns of the dictionary, so
// this is what a dictionary that is ahead of its database looks like, to every login
// and also where a table has no rows. Tables that the login may not read are left out.
func Unreadable(ctx context.Context, client *erp.Client, tables ...string) ([]string, error) {
	failures := make([]error, len(tables))
	var group sync.WaitGroup
	slots := make(chan struct{}, readers)
	for i, table := range tables {
		group.Add(1)
		slots <- struct{}{}
		go func() {
			defer group.Done()
			_, failures[i] = client.Query(ctx, table, &erp.Query{Top: 1})
			<-slots
		}()
	}
	group.Wait()
	var names []string
	for i, err := range failures {
		var refused *erp.Error
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.Status == http.StatusInternalServerError:
			names = append(names, tables[i])
		case erp.Retryable(err) || !errors.As(err, &refused):
			return nil, fmt.Errorf("checking whether %s can be read: %w", tables[i], err)
		}
	}
	return names, nil
}
