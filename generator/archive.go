package generator

import (
	"context"
	"fmt"
)

// Archive delivers an artifact as the bytes of a zip. The zero value is ready
// for use.
type Archive struct{}

// Deliver packs the artifact into the receipt's Zip.
func (Archive) Deliver(ctx context.Context, a *Artifact, progress Progress) (*Receipt, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("packing an artifact: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("packing %s: %w", a.Name, err)
	}
	progress.Report(0, 1, "packing "+a.Filename())
	data, err := a.Zip()
	if err != nil {
		return nil, err
	}
	progress.Report(1, 1, "packed "+a.Filename())
	return &Receipt{Mode: ModeArchive, Filename: a.Filename(), Zip: data}, nil
}
