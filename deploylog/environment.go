package deploylog

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// Environment is where a run builds for or deploys to. It is the code that the
// record keeps.
type Environment string

// The environments.
const (
	Production  Environment = "PROD"
	Staging     Environment = "STAGING"
	Development Environment = "DEV"
)

// Environments are all environments, the most important first.
func Environments() []Environment { return []Environment{Production, Staging, Development} }

// Name is what people read: Production, Staging or Development.
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

// ParseEnvironment reads an environment by its code or its name, in any case of
// letters.
func ParseEnvironment(name string) (Environment, error) {
	word := strings.TrimSpace(name)
	for _, e := range Environments() {
		if strings.EqualFold(word, string(e)) || strings.EqualFold(word, e.Name()) {
			return e, nil
		}
	}
	return "", fmt.Errorf("%w: there is no environment %s; the environments are PROD, STAGING and DEV", ErrInvalid, text.Quote(name))
}

// orAll is ParseEnvironment where none stands for all.
func (e Environment) orAll() (Environment, error) {
	if e == "" {
		return "", nil
	}
	return ParseEnvironment(string(e))
}

// list is the environment, or all where there is none.
func (e Environment) list() []Environment {
	if e == "" {
		return Environments()
	}
	return []Environment{e}
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
