package dictionary

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
)

// deliveries are the ways to deliver that the settings make possible.
func (a *app) deliveries(c *cli.Context) (*delivery.Deliveries, error) {
	s, err := a.Setup(c)
	if err != nil {
		return nil, err
	}
	d, err := delivery.New(delivery.Options{Setting: s.Resolver.Lookup, Getenv: a.Getenv, Directory: ".", AnyRecipient: true, Logger: a.Log})
	return d, shell.DeliveryError(err)
}

// outputFolder is where the mode filesystem writes: --dir, else what the
// settings say, else the working directory.
func (a *app) outputFolder(c *cli.Context) (string, error) {
	if dir := c.String("dir"); dir != "" {
		return dir, nil
	}
	s, err := a.Setup(c)
	if err != nil {
		return "", err
	}
	return cmp.Or(a.Getenv("ERPHUB_GENERATOR_DIRECTORY"), s.Resolver.Lookup(delivery.KeyDirectory)), nil
}

// deliveryFor is how to deliver in a mode; all settings it needs are there.
func (a *app) deliveryFor(c *cli.Context, d *delivery.Deliveries, mode generator.Mode) (generator.Delivery, error) {
	_, to, err := d.For(c.Context, delivery.Request{Output: string(mode), Email: c.String("email")})
	return to, shell.DeliveryError(err)
}
