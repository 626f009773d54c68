package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/failure"
	genapi "github.com/erphub/erphub/generator/httpapi"
)

// generatorService makes plugins over HTTP and answers their links.
type generatorService struct {
	handler    http.Handler
	deliveries *delivery.Deliveries
}

// openGenerator makes the service of settings for deliveries. A nil registry is
// none: what has to be looked up is refused then.
func openGenerator(settings delivery.Options, verifier httpapi.Verifier, reg registry.Registry, log *slog.Logger) (*generatorService, error) {
	settings.Logger = log
	d, err := delivery.New(settings)
	if err != nil {
		return nil, deliveryError(err)
	}
	store, err := d.Artifacts()
	if err != nil && !errors.Is(err, failure.NotConfigured) {
		return nil, deliveryError(err)
	}
	h, err := genapi.New(d, verifier, &genapi.Options{Registry: reg, Artifacts: store, Logger: log})
	if err != nil {
		return nil, err
	}
	return &generatorService{h, d}, nil
}

// mount puts the service where it belongs.
func (g *generatorService) mount(mux *http.ServeMux) {
	mux.Handle(genapi.GeneratePrefix+"/", g.handler)
	mux.Handle(genapi.ArtifactsPrefix+"/", g.handler)
}

// run removes what is over until ctx ends.
func (g *generatorService) run(ctx context.Context) { g.deliveries.Clean(ctx) }
