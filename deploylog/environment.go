package deploylog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// Environment is the environment a run builds for or deploys to. It is the code that the
// record keeps.
type Environment string

// The environments that the table comes with. The ERP's list may have others; see
// [Log.Environments].
const (
	Production  Environment = "PROD"
	Staging     Environment = "STAGING"
	Development Environment = "DEV"
)

// Environments are the environments that the table comes with, the most important first.
func Environments() []Environment { return []Environment{Production, Staging, Development} }

// Name is Production, Staging or Development, and the code of any other environment.
func (e Environment) Name() string {
	switch e {
	case Production:
		return "Production"
	case Staging:
		return "Staging"
	case Development:
		return "Development"
	}
	return string(e)
}

// longestName bounds the name of an environment, as the ERP's list does.
const longestName = 60

// ParseEnvironment reads an environment that the table comes with by its code or its
// name, in any case of letters. It returns any other name as it is: a [Log] looks for
// it in the ERP's list, and refuses what the list does not have.
func ParseEnvironment(name string) (Environment, error) {
	word := strings.TrimSpace(name)
	for _, e := range Environments() {
		if strings.EqualFold(word, string(e)) || strings.EqualFold(word, e.Name()) {
			return e, nil
		}
	}
	if word == "" || len(word) > longestName || strings.ContainsFunc(word, unicode.IsControl) {
		return "", fmt.Errorf("%w: %s is not the name of an environment; PROD, STAGING and DEV are, and what the list %q of the ERP has", ErrInvalid, text.Quote(name), EnvironmentList)
	}
	return Environment(word), nil
}

// Compare orders the environments that the table comes with before all others, which
// are in the order of their codes. It returns what cmp.Compare does.
func (e Environment) Compare(other Environment) int {
	rank := func(env Environment) int {
		if i := slices.Index(Environments(), env); i >= 0 {
			return i
		}
		return len(Environments())
	}
	return cmp.Or(cmp.Compare(rank(e), rank(other)), strings.Compare(string(e), string(other)))
}

// each calls do for environments at the same time, and returns the first one's error.
func each(environments []Environment, do func(i int, env Environment) error) error {
	errs := make([]error, len(environments))
	var wg sync.WaitGroup
	for i, env := range environments {
		wg.Go(func() { errs[i] = do(i, env) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// within is true of the runs of an environment (empty: all) and a tenant (zero: all).
func within(env Environment, client erp.ID) (f erp.Filter) {
	if env != "" {
		f = erp.Eq("Environment", string(env))
	}
	if !client.IsZero() {
		f = f.And(erp.Eq("AD_Client_ID", client))
	}
	return f
}

// done is true of the runs that say what runs in their environment.
func done() erp.Filter {
	return erp.Or(erp.Eq("Status", Success.Code()), erp.Eq("Status", RolledBack.Code()))
}
