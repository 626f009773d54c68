package generator

import (
	"context"
	"fmt"
)

func testGenerator() Generator {
	return Generator{
		Name: "test", Title: "a test bundle", Addable: true,
		Description: "Tests that run inside of the ERP, against a database with the demo data, in a bundle of their own: " +
			"it can be added to such a bundle only.",
		Options: join([]Option{
			classOption("DemoTest", "Name of the class."),
			{Name: "host", Type: TypeString, Example: "com.example.demo", check: checkSymbolicName,
				Description: "Bundle under test; without one the artifact id without its ending .test."},
			{Name: "table", Type: TypeString, Example: "XX_Demo", check: checkDictionaryName,
				Description: "Table to make a record of, in a test."},
		}, pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error {
			if p.existing == nil {
				host := v.text("host")
				if host == "" {
					if host = cutTest(p.ArtifactID); host == "" {
						v.bad("host", "", "is missing: the bundle under test, such as com.example.demo")
						return nil
					}
				}
				p.main.testBundle(host)
			}
			return p.main.test(ctx, v)
		},
	}
}

func cutTest(id string) string {
	if len(id) > len(".test") && id[len(id)-len(".test"):] == ".test" {
		return id[:len(id)-len(".test")]
	}
	return ""
}

// testBundle makes the bundle one of tests of another.
func (b *bundle) testBundle(host string) {
	b.Packaging = "eclipse-test-plugin"
	b.tested = host
	b.requireBase()
	b.manifest.require("Require-Bundle", host)
	b.importPackages(`org.idempiere.test`, `org.junit.jupiter.api;version="[5.9.0,6.0.0]"`)
}

func (b *bundle) test(ctx context.Context, v values) error {
	if b.Packaging != "eclipse-test-plugin" {
		return fmt.Errorf("%s is shipped to servers, which have no test framework; generate the tests as a plugin %s.test", b.ID, b.ID)
	}
	class, pkg := v.text("class"), b.Package
	table, err := b.tableOrEmpty(ctx, v.text("table"))
	if err != nil {
		return fmt.Errorf("a test of %s: %w", quote(v.text("table")), err)
	}
	source, err := render("Test.java", map[string]any{"Package": pkg, "Class": class, "Subject": b.tested, "Model": table})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.titles = append(b.titles, "test `"+pkg+"."+class+"`")
	return nil
}

// Requirements are bundles that have to be there although nobody requires them.
func (b *bundle) Requirements() []string {
	if b.Packaging != "eclipse-test-plugin" {
		return b.project.Requirements()
	}
	return append(b.project.Requirements(), "org.eclipse.equinox.event", "org.adempiere.install", "org.compiere.db.postgresql.provider",
		"org.compiere.db.oracle.provider", "org.adempiere.server", "org.adempiere.replication", "org.adempiere.pipo", "org.idempiere.hazelcast.service")
}

// Requirements are bundles that the ERP's own need and do not name.
func (p *project) Requirements() []string {
	return []string{"org.eclipse.core.runtime", "org.eclipse.equinox.common"}
}

// Packaging is that of the POMs around the bundles.
func (p *project) Packaging() string { return "pom" }
