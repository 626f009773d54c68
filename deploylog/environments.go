package deploylog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// EnvironmentList is the reference in the ERP's dictionary whose list has the
// environments. Who adds an entry to it has one more.
const EnvironmentList = "XX_Deploy_Log Environment"

// NamedEnvironment is an entry of the ERP's list of environments.
type NamedEnvironment struct {
	Environment Environment `json:"environment"`
	Name        string      `json:"name"` // in the language of the login
}

// environmentsAge is how long the ERP's list is used before it is read again.
const environmentsAge = time.Minute

// environments remembers the ERP's list.
type environments struct {
	mu   sync.Mutex // others wait until the context of the one who reads ends
	list []NamedEnvironment
	read time.Time
}

// Environments returns the ERP's list of environments, those that the table comes with
// first. A change of the list is seen within a minute. Where the ERP does not have the
// list, or does not show it to the login, it is those that the table comes with.
func (l *Log) Environments(ctx context.Context) ([]NamedEnvironment, error) {
	e := &l.environments
	e.mu.Lock()
	defer e.mu.Unlock()
	if age := l.clock.Now().Sub(e.read); e.list == nil || age < 0 || age >= environmentsAge {
		list, err := l.readEnvironments(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the environments: %w", err)
		}
		e.list, e.read = list, l.clock.Now()
	}
	return slices.Clone(e.list), nil
}

func (l *Log) readEnvironments(ctx context.Context) ([]NamedEnvironment, error) {
	var list []NamedEnvironment
	body, err := l.client.Call(ctx, http.MethodGet, []string{"reference", EnvironmentList}, nil, nil)
	switch {
	case errors.Is(err, erp.ErrNotFound), errors.Is(err, erp.ErrForbidden):
	case err != nil:
		return nil, err
	default:
		var reference struct {
			List []struct{ Value, Name string } `json:"reflist"`
		}
		if err := json.Unmarshal(body, &reference); err != nil {
			return nil, fmt.Errorf("the response is not understood: %w", errors.Join(erp.ErrBadResponse, err))
		}
		for _, entry := range reference.List {
			list = append(list, NamedEnvironment{Environment(entry.Value), entry.Name})
		}
	}
	if len(list) == 0 {
		for _, env := range Environments() {
			list = append(list, NamedEnvironment{env, env.Name()})
		}
	}
	slices.SortStableFunc(list, func(a, b NamedEnvironment) int { return a.Environment.Compare(b.Environment) })
	return list, nil
}

// environment finds an environment by its code or its name, in any case of letters.
// Nothing is requested for those that the table comes with.
func (l *Log) environment(ctx context.Context, name Environment) (Environment, error) {
	env, err := ParseEnvironment(string(name))
	if err != nil || slices.Contains(Environments(), env) {
		return env, err
	}
	list, err := l.Environments(ctx)
	if err != nil {
		return "", err
	}
	var codes []string
	for _, e := range list {
		if strings.EqualFold(string(env), string(e.Environment)) || strings.EqualFold(string(env), e.Name) {
			return e.Environment, nil
		}
		codes = append(codes, string(e.Environment))
	}
	return "", fmt.Errorf("%w: there is no environment %s; the list %q of the ERP has %s", ErrInvalid, text.Quote(string(name)), EnvironmentList, strings.Join(codes, ", "))
}

// orAll is environment, but takes an empty name, which stands for all.
func (l *Log) orAll(ctx context.Context, name Environment) (Environment, error) {
	if name == "" {
		return "", nil
	}
	return l.environment(ctx, name)
}

// environmentsOf returns the environment, or all environments if env is empty.
func (l *Log) environmentsOf(ctx context.Context, env Environment) (codes []Environment, err error) {
	if env != "" {
		return []Environment{env}, nil
	}
	list, err := l.Environments(ctx)
	for _, e := range list {
		codes = append(codes, e.Environment)
	}
	return codes, err
}
