package generator

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
)

// compiler is the Java compiler with its first arguments.
func compiler(t *testing.T) []string {
	t.Helper()
	if path, err := exec.LookPath("javac"); err == nil {
		return []string{path, "-nowarn", "-proc:none"}
	}
	if path, err := exec.LookPath("ecj"); err == nil {
		return []string{path, "-nowarn", "-17", "-proc:none"}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("neither javac nor ecj is there to compile what is generated")
	}
	t.Skip("NOT COMPILED: neither javac nor ecj is there")
	return nil
}

// sources lists the Java files below a folder.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".java") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// The stubs of generate check declare as much of the ERP's public types as generated
// classes use.
func TestGeneratedJavaCompiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the Java compiler")
	}
	javac := compiler(t)
	out := t.TempDir()
	deliver := func(name string, reg registry.Registry, generator string, options map[string]any) {
		options["artifactId"] = "com.example." + name
		a, err := Generate(t.Context(), reg, generator, options)
		require.NoError(t, err, name)
		_, err = (&Filesystem{Dir: out}).Deliver(t.Context(), a, nil)
		require.NoError(t, err, name)
	}
	for _, r := range []string{"activator", "components"} {
		options := largest()
		options["registration"] = r
		deliver(r, nil, "plugin", options)
	}
	reg := openRegistry(t)
	list, err := reg.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	models := 0
	for _, table := range list.Items {
		if models == 40 || strings.HasSuffix(table.Name, "_Trl") {
			continue
		}
		deliver(fmt.Sprintf("m%d", models), reg, "model", map[string]any{"tables": []string{table.Name}})
		if models == 0 {
			deliver("delegate", nil, "event-handler", map[string]any{"class": "Watch", "shape": "delegate",
				"modelClass": "com.example.m0.model.X_" + table.Name, "events": "BeforeNew,AfterComplete,PostUpdate"})
		}
		models++
	}
	require.GreaterOrEqual(t, models, 30)
	deliver("process", nil, "process", map[string]any{"class": "Ranges", "label": `Say "\u000a" */ {@link`, "help": `\u002a/ <b>`,
		"parameters": "C_BPartner_ID:TableDirect:mandatory,DateFrom:Date:range,Amt:Amount:range,IsX:YesNo,Txt:String,N:Integer"})
	deliver("form", nil, "form", map[string]any{"class": "Board", "shape": "controller", "label": `a "b" \`})
	deliver("test", nil, "test", map[string]any{"class": "DemoTest", "host": "com.example.demo", "table": "C_Order"})

	files := append(sources(t, filepath.Join("..", "cmd", "internal", "javabuild", "stubs")), sources(t, out)...)
	listed := filepath.Join(t.TempDir(), "files")
	require.NoError(t, os.WriteFile(listed, []byte(strings.Join(files, "\n")+"\n"), 0o600))
	args := append(javac[1:], "-encoding", "UTF-8", "-d", t.TempDir(), "@"+listed)
	text, err := exec.CommandContext(t.Context(), javac[0], args...).CombinedOutput()
	require.NoError(t, err, string(text))
}
