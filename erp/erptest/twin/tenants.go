package twin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/displaytype"
)

// tenant is a tenant of the ERP.
type tenant struct {
	id          int64
	name, value string
}

func (t tenant) is(given string) bool {
	return given == "*" || given == strconv.FormatInt(t.id, 10) || strings.EqualFold(given, t.name) || strings.EqualFold(given, t.value)
}

// chooseTenants finds the tenants whose rows are copied. Where the source shows
// several, somebody has to say which.
func (c *clone) chooseTenants(ctx context.Context) error {
	all, err := c.readTenants(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = fmt.Sprintf("%s (%d)", t.name, t.id)
	}
	if len(c.opts.Tenants) == 0 {
		if len(all) > 1 {
			return fatalf("it has %d tenants: %s; name those whose rows are to be copied, or * for all (Options.Tenants, --tenant)", len(all), strings.Join(names, ", "))
		}
		return nil
	}
	c.tenants = []int64{0}
	for _, given := range c.opts.Tenants {
		n := len(c.tenants)
		for _, t := range all {
			if t.is(given) {
				c.tenants = append(c.tenants, t.id)
			}
		}
		if len(c.tenants) == n && !(given == "*" && len(all) == 0) {
			return fatalf("it shows no tenant %q; it has: %s", given, strings.Join(names, ", "))
		}
	}
	if slices.Contains(c.opts.Tenants, "*") {
		c.tenants = nil
	}
	return nil
}

// readTenants reads those that the source shows, none if it does not show the table.
func (c *clone) readTenants(ctx context.Context) (all []tenant, err error) {
	q := &Query{
		Table: &Table{Name: "AD_Client", Key: "AD_Client_ID", HasActive: true},
		Columns: []Column{{Name: "AD_Client_ID", Type: Integer, Display: displaytype.ID}, {Name: "Name", Display: displaytype.String, Length: 60},
			{Name: "Value", Display: displaytype.String, Length: 40}},
	}
	err = c.retry(ctx, "the table AD_Client", func() (bool, error) {
		all = nil
		return false, c.src.Rows(ctx, q, func(v []any) error {
			id, err := stored(Integer, v[0])
			if n, ok := id.(int64); err == nil && ok && n != 0 {
				t := tenant{id: n}
				t.name, _ = v[1].(string)
				t.value, _ = v[2].(string)
				all = append(all, t)
			}
			return nil
		})
	})
	if errors.Is(err, ErrNotReadable) || errors.Is(err, ErrNoTable) {
		return all, nil
	}
	return all, err
}
