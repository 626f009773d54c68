package generator

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/erphub/erphub/dict"
)

// pluginOptions describe a plugin that is made. All generators take them.
func pluginOptions() []Option {
	return []Option{
		{Name: "artifactId", Type: TypeString, Required: true, NewOnly: true, Example: "com.example.demo", check: checkSymbolicName,
			Description: "Symbolic name of the bundle, which is Maven's artifact id and the folder's name as well."},
		{Name: "groupId", Type: TypeString, NewOnly: true, Example: "com.example", check: checkSymbolicName,
			Description: "Maven's group id; without one the artifact id without its last part."},
		{Name: "version", Type: TypeString, NewOnly: true, Default: "1.0.0", check: checkVersion,
			Description: "Version of the bundle, three numbers."},
		{Name: "name", Type: TypeString, NewOnly: true, Example: "Demo", check: textCheck(120),
			Description: "What people call the plugin; without one it is derived from the artifact id."},
		{Name: "vendor", Type: TypeString, NewOnly: true, Example: "Example Ltd.", check: textCheck(120),
			Description: "Who makes the plugin."},
		{Name: "description", Type: TypeString, NewOnly: true, check: textCheck(500),
			Description: "What the plugin is for."},
		{Name: "package", Type: TypeString, NewOnly: true, Example: "com.example.demo", check: checkPackage,
			Description: "Java package that those of the classes are made below; without one it is derived from the artifact id."},
		{Name: "release", Type: TypeString, NewOnly: true, Default: "12", Choices: []string{"12", "13"},
			Description: "Lowest release of the ERP the plugin is for. One made for 12 runs on 13 as well."},
		{Name: "java", Type: TypeString, NewOnly: true, Default: "17", Choices: []string{"17", "21"},
			Description: "Version of Java. Both releases run on 17; a bundle that requires 21 does not start there."},
		{Name: "registration", Type: TypeString, NewOnly: true, Default: registerActivator, Choices: []string{registerActivator, registerComponents},
			Description: "How classes are made known: by an activator that scans packages, or by a declarative component per kind."},
		{Name: "targetPlatform", Type: TypeString, NewOnly: true, Default: targetP2, Choices: []string{targetP2, targetFile},
			Description: "Where the build finds the ERP's bundles: the p2 repository in the POM, or a target definition file."},
		{Name: "coreRepository", Type: TypeString, NewOnly: true, Default: "file:///opt/idempiere/org.idempiere.p2/target/repository", check: checkRepository,
			Description: "Address of the p2 repository that the ERP's own build makes."},
		{Name: "ide", Type: TypeBoolean, NewOnly: true, Default: true,
			Description: "Write the files of the Eclipse workspace: .project, .classpath and .settings."},
	}
}

// dictionaryOptions are about dictionary records that go along.
func dictionaryOptions() []Option {
	return []Option{
		{Name: "entityType", Type: TypeString, Default: dict.DefaultEntityType, check: checkEntityType,
			Description: "Owner of the dictionary records; one that the ERP may not have is put into the archive first."},
		{Name: "dictionary", Type: TypeBoolean, Default: true,
			Description: "Put the dictionary records into a package archive in META-INF, which the plugin imports when it starts."},
	}
}

// The values of options.
const (
	registerActivator  = "activator"
	registerComponents = "components"
	targetP2           = "p2"
	targetFile         = "target"
)

func textCheck(limit int) func(string) string {
	return func(s string) string { return checkText(s, limit) }
}

// checkEntityType accepts codes of entity types that may own new records: those
// of the ERP itself may not.
func checkEntityType(code string) string {
	if code == dict.DefaultEntityType {
		return ""
	}
	if len(code) < 2 || len(code) > 40 {
		return "is not a code of two to 40 letters and digits, nor U"
	}
	for _, r := range code {
		if !(r >= 'A' && r <= 'Z' || digit(r)) {
			return fmt.Sprintf("contains %q; a code has capital letters and digits", r)
		}
	}
	if !letter(rune(code[0])) {
		return "does not begin with a letter"
	}
	if code == "EE01" || code == "EE02" || code == "EE04" || code == "EE05" {
		return "is one of the ERP's own, whose records an import skips"
	}
	return ""
}

// checkRepository accepts addresses without credentials.
func checkRepository(address string) string {
	if why := checkText(address, 500); why != "" {
		return why
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || !u.IsAbs():
		return "is not an address such as file:///opt/idempiere/org.idempiere.p2/target/repository"
	case u.Scheme != "file" && u.Scheme != "http" && u.Scheme != "https":
		return "is neither a file: nor an http: or https: address"
	case u.User != nil:
		return "holds credentials; keep them in Maven's settings"
	case strings.ContainsAny(address, " $<>\"'{}`\\|^"):
		return "contains a character that addresses write as %xx"
	}
	return ""
}

// join makes one list of options.
func join(lists ...[]Option) []Option {
	var all []Option
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
