// Package generate makes the client of package rest from the contract, with the
// pinned generator.
//
// The generator is used as published except for one line of its client template:
// a call with nil parameters would panic there, and with the line it means "no
// parameters". The template is taken from the generator's own module, so nothing of
// it is copied here.
package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Module and Version pin the generator. The runtime in go.mod has the same version.
const (
	Module  = "github.com/deepmap/oapi-codegen"
	Version = "v1.12.4"
)

// ErrUnavailable means that the generator is neither in the module cache nor can it
// be downloaded now.
var ErrUnavailable = errors.New("the generator " + Module + "@" + Version + " cannot be downloaded")

const (
	templateFile = "client.tmpl"
	// anchor is where a request starts to be built in the template.
	anchor = "    var err error\n{{range $paramIdx, $param := .PathParams}}"
	// guard goes in between its two lines.
	guard = "    {{if $hasParams}}if params == nil {\n        params = &{{$opid}}Params{}\n    }{{end}}\n"
)

// Client generates the client from the contract and the configuration, both given
// as files, and returns its source. Equal input gives equal output.
func Client(ctx context.Context, configFile, contractFile string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rest-generate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	tool, err := install(ctx, dir)
	if err != nil {
		return nil, err
	}
	tmpl, err := template(ctx)
	if err != nil {
		return nil, err
	}
	config, err := configure(configFile, tmpl)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	out, err := run(exec.CommandContext(ctx, tool, "-config", file, contractFile))
	if err != nil {
		return nil, fmt.Errorf("generate the client from %s: %w", contractFile, err)
	}
	return out, nil
}

// install builds the generator in dir.
func install(ctx context.Context, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "install", Module+"/cmd/oapi-codegen@"+Version)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOOS=", "GOARCH=", "GOFLAGS=")
	if _, err := run(cmd); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	name := "oapi-codegen"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name), nil
}

// template returns the generator's client template with the guard in it.
func template(ctx context.Context) (string, error) {
	out, err := run(exec.CommandContext(ctx, "go", "mod", "download", "-json", Module+"@"+Version))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var mod struct{ Dir string }
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", fmt.Errorf("read what go says of %s: %w", Module, err)
	}
	b, err := os.ReadFile(filepath.Join(mod.Dir, "pkg", "codegen", "templates", templateFile))
	if err != nil {
		return "", err
	}
	return guarded(string(b))
}

func guarded(tmpl string) (string, error) {
	if n := strings.Count(tmpl, anchor); n != 1 {
		return "", fmt.Errorf("the template of %s@%s starts requests in %d places, want one: adapt the anchor to this version", Module, Version, n)
	}
	first, rest, _ := strings.Cut(anchor, "\n")
	return strings.Replace(tmpl, anchor, first+"\n"+guard+rest, 1), nil
}

// configure adds the template to the configuration.
func configure(file, tmpl string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config := map[string]any{}
	if err := yaml.Unmarshal(b, &config); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	options, ok := config["output-options"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("read %s: output-options is missing", file)
	}
	options["user-templates"] = map[string]any{templateFile: tmpl}
	return yaml.Marshal(config)
}

// run returns what the command prints; its complaints become part of the error.
func run(cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}
