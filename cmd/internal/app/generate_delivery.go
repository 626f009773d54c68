package app

import (
	"cmp"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/failure"
)

// deliveries are the ways to deliver that the settings make possible.
func (a *app) deliveries(c *cli.Context) (*delivery.Deliveries, error) {
	s, err := a.setup(c)
	if err != nil {
		return nil, err
	}
	d, err := delivery.New(delivery.Options{Setting: s.resolver.Lookup, Getenv: a.getenv, Directory: ".", AnyRecipient: true, Logger: a.log})
	return d, deliveryError(err)
}

// outputFolder is where the mode filesystem writes: --dir, else what the
// settings say, else the working directory.
func (a *app) outputFolder(c *cli.Context) (string, error) {
	if dir := c.String("dir"); dir != "" {
		return dir, nil
	}
	s, err := a.setup(c)
	if err != nil {
		return "", err
	}
	return cmp.Or(a.getenv("GENERATOR_DIRECTORY"), s.resolver.Lookup(delivery.KeyDirectory)), nil
}

// deliveryFor is how to deliver in a mode; all settings it needs are there.
func (a *app) deliveryFor(c *cli.Context, d *delivery.Deliveries, mode generator.Mode) (generator.Delivery, error) {
	_, to, err := d.For(c.Context, delivery.Request{Output: string(mode), Email: c.String("email")})
	return to, deliveryError(err)
}

// deliveryError marks settings and requests that cannot be used as wrong usage.
func deliveryError(err error) error {
	if errors.Is(err, failure.NotConfigured) || errors.Is(err, failure.Invalid) {
		return usageErr{err}
	}
	return err
}
