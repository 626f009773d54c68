package generator_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/generator"
)

// A plugin in memory. A delivery brings it somewhere, such as to a folder.
func Example() {
	ctx := context.Background()
	plugin, err := generator.Generate(ctx, nil, "plugin", map[string]any{"artifactId": "com.example.demo"})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range plugin.Tree.Names() {
		fmt.Println(name)
	}
	// Output:
	// .classpath
	// .gitignore
	// .mvn/jvm.config
	// .project
	// .settings/org.eclipse.jdt.core.prefs
	// .settings/org.eclipse.pde.ds.annotations.prefs
	// META-INF/MANIFEST.MF
	// OSGI-INF/com.example.demo.DemoActivator.xml
	// README.md
	// build.properties
	// pom.xml
	// src/com/example/demo/DemoActivator.java
}
