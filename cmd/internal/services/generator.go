package services

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/internal/failure"

	genapi "github.com/erphub/erphub/generator/httpapi"
)

// Generator makes plugins over HTTP and serves their links.
type Generator struct {
	handler    http.Handler
	deliveries *delivery.Deliveries
}

// OpenGenerator makes the service of settings for deliveries. A nil registry is
// none: what has to be looked up is refused then. Of opts it sets the registry, the
// artifacts and the logger; nil is the defaults.
func OpenGenerator(settings delivery.Options, verifier httpapi.Verifier, reg registry.Registry, log *slog.Logger, opts *genapi.Options) (*Generator, error) {
	settings.Logger = log
	var o genapi.Options
	if opts != nil {
		o = *opts
	}
	d, err := delivery.New(settings)
	if err != nil {
		return nil, shell.DeliveryError(err)
	}
	if err := d.CheckBuckets(); err != nil {
		return nil, shell.DeliveryError(err)
	}
	store, err := d.Artifacts()
	if err != nil && !errors.Is(err, failure.NotConfigured) {
		return nil, shell.DeliveryError(err)
	}
	o.Registry, o.Artifacts, o.Logger = reg, store, log
	h, err := genapi.New(d, verifier, &o)
	if err != nil {
		return nil, err
	}
	return &Generator{h, d}, nil
}

// Mount puts the service where it belongs.
func (g *Generator) Mount(mux *http.ServeMux) {
	mux.Handle(genapi.GeneratePrefix+"/", g.handler)
	mux.Handle(genapi.ArtifactsPrefix+"/", g.handler)
}

// Run removes what is over until ctx ends.
func (g *Generator) Run(ctx context.Context) { g.deliveries.Clean(ctx) }
