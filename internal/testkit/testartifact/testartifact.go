package testartifact

import (
	"testing"

	"github.com/erphub/erphub/generator"
)

// New returns an artifact with folders, a script, bytes that are not text, lines
// that mail servers find interesting, and a file that its own .gitignore
// matches.
func New(t testing.TB, name string) *generator.Artifact {
	t.Helper()
	tree := new(generator.Tree)
	add := func(file, content string) {
		if err := tree.Add(file, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	add("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nBundle-SymbolicName: "+name+"\r\n")
	add("src/com/example/Größe.java", "package com.example;\n// Maße\nclass Größe {}\n")
	add("mail.txt", "one\r\n.\r\n..two\r\n.three\r\nFrom here\r\n")
	add("icon.bin", "\x00\x01\xff\xfe\r\n.\r\n\x1a")
	add(".gitignore", "target/\n*.jar\n")
	add("target/kept.jar", "kept although ignored")
	add("empty", "")
	if err := tree.AddExecutable("build.sh", []byte("#!/bin/sh\nexec mvn verify\n")); err != nil {
		t.Fatal(err)
	}
	return &generator.Artifact{Name: name, ArtifactID: name, Version: "1.0.0", Generator: "plugin", Tree: tree}
}
