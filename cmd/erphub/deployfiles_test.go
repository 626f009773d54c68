package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/config"
)

var deployFolder = filepath.Join("..", "..", "docs", "deploy")

// deployFile is the text of a file for operators.
func deployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployFolder, name))
	require.NoError(t, err)
	return string(text)
}

// Every flag and variable in the files for operators exists, and every file they copy
// or build.
func TestDeployFilesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	flags, variables := map[string]bool{}, map[string]bool{}
	for _, s := range servers(t) {
		for _, f := range s.Flags {
			name := f.Names()[0]
			flags["--"+name] = true
			key, ok := config.Lookup(config.FlagKey(s.Server, name))
			require.True(t, ok, name)
			variables[key.Env] = true
		}
	}
	for _, k := range config.Keys() {
		variables[k.Env] = true
	}
	for _, v := range append(config.Variables(), otherVariables()...) {
		variables[v.Name] = true
	}
	entries, err := os.ReadDir(deployFolder)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		text := deployFile(t, e.Name())
		for _, v := range regexp.MustCompile(`\b(ERP|ERPHUB|AI|ARTIFACTS)_[A-Z_]*[A-Z]`).FindAllString(text, -1) {
			assert.True(t, variables[v], "%s: nothing reads %s", e.Name(), v)
		}
		for line := range strings.Lines(text) {
			if !regexp.MustCompile(`server,? (api|mcp)|"?sandbox`).MatchString(line) || strings.Contains(line, "podman") {
				continue
			}
			for _, f := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(line, -1) {
				assert.True(t, flags[f], "%s: there is no flag %s", e.Name(), f)
			}
		}
	}
	container := deployFile(t, "Containerfile")
	for _, m := range regexp.MustCompile(`\./(cmd/\S+)`).FindAllStringSubmatch(container, -1) {
		assert.DirExists(t, filepath.Join("..", "..", m[1]))
	}
	gomod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	needs := regexp.MustCompile(`(?m)^go (\d+)\.(\d+)`).FindStringSubmatch(string(gomod))
	image := regexp.MustCompile(`golang:(\d+)\.(\d+) AS build`).FindStringSubmatch(container)
	require.NotNil(t, image)
	assert.GreaterOrEqual(t, image[2], needs[2], "the image has the Go that the module needs")
	assert.Contains(t, container, "USER 65532", "not root")
	assert.Contains(t, container, "FROM scratch AS base", "no shell")
	stages := regexp.MustCompile(`(?m)^FROM base AS (\w+)$`).FindAllStringSubmatch(container, -1)
	require.Len(t, stages, 2)
	assert.Equal(t, []string{"server", "sandbox"}, []string{stages[0][1], stages[1][1]})
	_, sandboxStage, _ := strings.Cut(container, "FROM base AS sandbox")
	assert.Contains(t, sandboxStage, "\nEXPOSE 8080\n", "one port, which build servers wait for")
}

// The image has no shell: its health check is the program, which tells by its exit
// code whether the sandbox responds, without a login.
func TestHealthCheckOfTheImage(t *testing.T) {
	t.Parallel()
	check := regexp.MustCompile(`HEALTHCHECK .*CMD (\[.*\])`).FindStringSubmatch(deployFile(t, "Containerfile"))
	require.NotNil(t, check)
	var words []string
	require.NoError(t, json.Unmarshal([]byte(check[1]), &words))
	require.Equal(t, "/erphub", words[0])
	for name, tt := range map[string]struct {
		url  string
		want int
	}{"a sandbox": {erptest.New(t).URL(), shell.ExitDone}, "nobody": {"http://127.0.0.1:1", 4}} {
		var said bytes.Buffer
		args := append([]string{"erphub"}, words[1:]...)
		for i, word := range args {
			if strings.HasPrefix(word, "http://") {
				args[i] = tt.url
			}
		}
		assert.Equal(t, tt.want, execute(t.Context(), args, []string{"HOME=" + t.TempDir()}, shell.Streams{Out: &said, Err: &said}), "%s: %s", name, &said)
	}
}

// The YAML files are YAML, with what makes them work.
func TestDeployFilesAreWhole(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Command []string
			Secrets []string
			Build   struct{ Target string }
			Health  struct{ Test []string } `yaml:"healthcheck"`
		}
		Secrets map[string]any
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployFile(t, "compose.yaml")), &compose))
	for name, s := range compose.Services {
		assert.NotEmpty(t, s.Health.Test, "%s: nobody sees that it hangs", name)
		for _, secret := range s.Secrets {
			assert.Contains(t, compose.Secrets, secret, name)
		}
		if s.Build.Target != "" {
			assert.Contains(t, deployFile(t, "Containerfile"), " AS "+s.Build.Target)
		}
	}
	assert.Equal(t, []string{"server", "api"}, compose.Services["api"].Command)
	assert.Equal(t, []string{"server", "mcp"}, compose.Services["mcp"].Command)

	kinds := map[string]int{}
	for d := yaml.NewDecoder(strings.NewReader(deployFile(t, "kubernetes.yaml"))); ; {
		var object struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Spec       struct {
				Template struct {
					Metadata struct{ Labels map[string]string }
					Spec     struct {
						Spread []struct {
							Key  string `yaml:"topologyKey"`
							Pods struct {
								Labels map[string]string `yaml:"matchLabels"`
							} `yaml:"labelSelector"`
						} `yaml:"topologySpreadConstraints"`
						Containers []struct {
							Ports []struct{ Name string }
							Ready struct {
								Get struct{ Path, Port string } `yaml:"httpGet"`
							} `yaml:"readinessProbe"`
							Mounts []struct{ Name string } `yaml:"volumeMounts"`
						}
						Volumes []struct{ Name string }
					}
				}
			}
		}
		err := d.Decode(&object)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		kinds[object.Kind]++
		assert.NotEmpty(t, object.APIVersion)
		pod := object.Spec.Template.Spec
		if object.Kind == "Deployment" && assert.Len(t, pod.Spread, 1, "all replicas on one node end with it") {
			assert.Equal(t, "kubernetes.io/hostname", pod.Spread[0].Key)
			assert.Equal(t, object.Spec.Template.Metadata.Labels, pod.Spread[0].Pods.Labels)
		}
		for _, c := range pod.Containers {
			assert.Equal(t, "/readyz", c.Ready.Get.Path)
			assert.Equal(t, c.Ports[0].Name, c.Ready.Get.Port)
			for _, m := range c.Mounts {
				assert.Contains(t, pod.Volumes, struct{ Name string }{m.Name})
			}
		}
	}
	assert.Equal(t, map[string]int{"Deployment": 2, "Service": 2, "PodDisruptionBudget": 2}, kinds)
}

// systemd reads the units without a complaint.
func TestUnitsAreVerified(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("SKIPPED: systemd-analyze is not installed")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "erphub") // the unit's program has to exist
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755))
	var units []string
	for _, name := range []string{"erphub-api.service", "erphub-api.socket"} {
		text := strings.ReplaceAll(deployFile(t, name), "/usr/local/bin/erphub", program)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		units = append(units, filepath.Join(dir, name))
	}
	out, err := exec.CommandContext(t.Context(), analyze, append([]string{"verify", "--man=no"}, units...)...).CombinedOutput()
	assert.NoError(t, err, string(out))
	for line := range strings.Lines(string(out)) {
		assert.NotContains(t, line, "erphub", "%s", out)
	}
}
