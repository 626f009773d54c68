// Command release builds what is published of one commit: archives of the programs
// for all systems, their parts lists and checksums.
//
//	go run ./internal/release -version v1.2.3 -out dist
//
// The same commit gives the same bytes with the same release of Go: what is built
// is a clone of the commit with nothing else in its folder, and times are the
// commit's (SOURCE_DATE_EPOCH, in seconds, takes their place). It refuses a version
// that CHANGELOG.md has no section for, a tag of the version on another commit,
// changes that are not committed, and generated files that are not current.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/erphub/erphub/internal/licences"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// options are what the command line says.
type options struct {
	source  string // folder of the checkout
	version string
	out     string
	systems []string // GOOS/GOARCH
	log     io.Writer
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	o := options{source: ".", log: stdout}
	flags.StringVar(&o.version, "version", "", "`version` to release, such as v1.2.3, as CHANGELOG.md has it")
	flags.StringVar(&o.out, "out", "dist", "`folder` for the archives; it must be empty or not there")
	systems := flags.String("systems", strings.Join(licences.Systems, ","), "`systems` to build for")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("no arguments are taken, got %q", flags.Arg(0))
	}
	o.systems = strings.Split(*systems, ",")
	return release(ctx, o)
}
