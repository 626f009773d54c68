// Command cmd writes the generated client: cmd config contract output.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/erphub/erphub/erp/rest/internal/generate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("usage: cmd config contract output")
	}
	src, err := generate.Client(ctx, args[0], args[1])
	if err != nil {
		return err
	}
	return os.WriteFile(args[2], src, 0o644)
}
