// Command cmd writes the contract of release 13: cmd v12-file v13-file.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/erphub/erphub/erp/contract/internal/overlay"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: cmd v12-file v13-file")
	}
	v12, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	v13, err := overlay.V13(v12)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], v13, 0o644)
}
