package deploylog

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/erphub/erphub/internal/text"
)

// Component is one of the parts that a run brings to an environment.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"` // empty: the text does not say
}

// maxComponents bounds how many components a text is taken to name.
const maxComponents = 500

// componentVersion finds a version at the end of a component: behind a blank,
// colon, @, = or underscore, or in parentheses.
var componentVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*[^\s:@=_(-])(?:\s*[:@=]\s*|\s+\(?|[_-])[vV]?(\d[\w.+~-]*)\)?$`)
})

// ParseComponents reads the text of Run.Components: components behind commas,
// semicolons or in lines of their own, each a name that a version may follow,
// as in "org.example.sales 1.4.0", "sales:1.4.0", "sales@1.4.0" or
// "org.example.sales_1.4.0.jar". Times in RFC 3339, which tell when a change was
// made, are not part of it. Names appear once, in the order of the text; the last
// version counts.
func ParseComponents(components string) []Component {
	var list []Component
	at := map[string]int{}
	for _, item := range strings.FieldsFunc(timePattern().ReplaceAllString(components, ""), func(r rune) bool { return r == '\n' || r == ',' || r == ';' }) {
		item = strings.TrimSuffix(strings.TrimSpace(item), " at")
		item = strings.TrimSpace(strings.TrimLeft(item, "-*• \t"))
		item = strings.TrimSuffix(item, ".jar")
		if item == "" || item == "at" {
			continue
		}
		c := Component{Name: text.OneLine(text.Shorten(item, 200))}
		if m := componentVersion().FindStringSubmatch(item); m != nil {
			c = Component{text.OneLine(text.Shorten(m[1], 200)), text.Shorten(m[2], 100)}
		}
		if i, ok := at[c.Name]; ok {
			if c.Version != "" {
				list[i].Version = c.Version
			}
			continue
		}
		if len(list) == maxComponents {
			break
		}
		at[c.Name] = len(list)
		list = append(list, c)
	}
	return slices.Clip(list)
}
