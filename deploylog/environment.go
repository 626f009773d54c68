package deploylog

import (
	"fmt"
	"strings"

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
