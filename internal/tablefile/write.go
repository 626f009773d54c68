package tablefile

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/dict"
)

// lineWidth is how long an entry on one line may get.
const lineWidth = 110

// Marshal writes tables as YAML, each as a document of its own. What has its
// default is left out, and the same tables always give the same text. It fails
// for a table that the format cannot hold, such as an unknown access level.
func Marshal(tables ...dict.Table) ([]byte, error) {
	var b bytes.Buffer
	for i, t := range tables {
		doc, err := documentOf(t)
		if err != nil {
			return nil, fmt.Errorf("writing table %s as YAML: %w", quote(t.Name), err)
		}
		if i > 0 {
			b.WriteString("---\n")
		}
		node := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{objectNode(reflect.ValueOf(doc).Elem(), 0)}}
		enc := yaml.NewEncoder(&b)
		enc.SetIndent(2)
		if err := enc.Encode(node); err != nil {
			return nil, fmt.Errorf("writing table %s as YAML: %w", quote(t.Name), err)
		}
		if err := enc.Close(); err != nil {
			return nil, fmt.Errorf("writing table %s as YAML: %w", quote(t.Name), err)
		}
	}
	return b.Bytes(), nil
}

// objectNode writes a structure without the keys that have their zero value;
// those that are needed are always there. Structures in lists go on one line
// when they are short.
func objectNode(v reflect.Value, depth int) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fieldsOf(v.Type()) {
		fv := v.Field(f.index)
		if fv.IsZero() && !f.need {
			continue
		}
		n.Content = append(n.Content, textNode(f.key), valueNode(fv, depth))
	}
	if width, flat := flatWidth(n); len(n.Content) == 0 || depth > 0 && flat && 2*depth+2+width <= lineWidth {
		n.Style = yaml.FlowStyle
	}
	return n
}

// flatWidth is about how long a node gets on one line. It reports false for
// what should not be there: texts of several lines, and lists of structures.
func flatWidth(n *yaml.Node) (int, bool) {
	width := len(n.Value) + 2
	if strings.Contains(n.Value, "\n") {
		return 0, false
	}
	for _, part := range n.Content {
		if n.Kind == yaml.SequenceNode && part.Kind != yaml.ScalarNode {
			return 0, false
		}
		w, ok := flatWidth(part)
		if !ok {
			return 0, false
		}
		width += w
	}
	return width, true
}

func valueNode(v reflect.Value, depth int) *yaml.Node {
	switch v.Kind() {
	case reflect.Pointer:
		if e, ok := v.Interface().(*existing); ok && *e == (existing{Name: e.Name}) {
			return textNode(e.Name)
		}
		return objectNode(v.Elem(), depth+1)
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			item := v.Index(i)
			if item.Kind() == reflect.Struct {
				n.Content = append(n.Content, objectNode(item, depth+1))
				continue
			}
			n.Content = append(n.Content, valueNode(item, depth+1))
			n.Style = yaml.FlowStyle
		}
		return n
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v.Bool())}
	case reflect.Int:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v.Int(), 10)}
	}
	if v.Type() == reflect.TypeFor[typeName]() {
		if _, err := strconv.Atoi(v.String()); err == nil {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: v.String()}
		}
	}
	return textNode(v.String())
}

// textNode writes a text so that every reader of YAML takes it for one: older
// ones read Y, N, on and the like as flags.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		n.Style = yaml.DoubleQuotedStyle
	}
	if strings.ContainsAny(s, "\r\t\u0085\u2028\u2029\ufeff") || strings.Contains(s, "\n") && strings.TrimSpace(s) != s {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
