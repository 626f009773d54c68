package generator

import (
	"context"
	"fmt"
	"strings"
)

// restHost is the bundle of the REST API.
const restHost = "com.trekglobal.idempiere.rest.api"

func restExtensionGenerator() Generator {
	return Generator{
		Name: "rest-extension", Title: "a REST API extension", Addable: true,
		Description: "A fragment of the REST API's bundle with a resource of its own, and what names it to the API. " +
			"It is a bundle of its own: it can be added to such a fragment only.",
		Options: join([]Option{
			classOption("StatusResource", "Name of the resource's class."),
			{Name: "path", Type: TypeString, Required: true, Example: "v1/demo/status", check: checkPath,
				Description: "Path of the resource below the API's own."},
		}, pluginOptions()),
		build: func(_ context.Context, p *project, v values) error {
			if p.existing == nil {
				p.main.fragment(restHost)
			}
			return p.main.restExtension(v)
		},
	}
}

func checkPath(path string) string {
	if len(path) > 200 {
		return "is longer than 200 characters"
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return `has an element that is empty, "." or ".."; write it without slashes at its ends`
		}
		for _, r := range part {
			if !letter(r) && !digit(r) && !strings.ContainsRune("-_.~", r) {
				return fmt.Sprintf("contains %q; only letters, digits, - _ . and ~ are possible", r)
			}
		}
	}
	return ""
}

// fragment makes the bundle a fragment of another.
func (b *bundle) fragment(host string) {
	b.Host = host
	b.manifest.set("Fragment-Host", host)
}

func (b *bundle) restExtension(v values) error {
	if b.Host != restHost {
		return fmt.Errorf("%s is not a fragment of %s, so the REST API does not see its classes; generate the extension as a plugin of its own", b.ID, restHost)
	}
	class, pkg := v.text("class"), b.sub("rest")
	source, err := render("RestResource.java", map[string]any{"Package": pkg, "Class": class, "Path": v.text("path")})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.titles = append(b.titles, "REST resource `"+v.text("path")+"`")
	extension := class + "Extension"
	source, err = render("RestExtension.java", map[string]any{"Package": pkg, "Class": extension, "Resource": class})
	if err != nil {
		return err
	}
	b.class(pkg, extension, source)
	b.note("Restart the REST API's bundle after installing the fragment: it looks for extensions only when it starts.")
	return b.service(component{Class: pkg + "." + extension, Service: restHost + ".ResourceExtension"})
}
