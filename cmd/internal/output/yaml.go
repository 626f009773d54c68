package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// writeYAML writes JSON as YAML, with members in their order and numbers with all
// their digits.
func writeYAML(w io.Writer, raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	node, err := yamlNode(d)
	if err != nil {
		return err
	}
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(node); err != nil {
		return err
	}
	return enc.Close()
}

// yamlNode reads the next value.
func yamlNode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	scalar := func(tag, value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	}
	switch v := token.(type) {
	case nil:
		return scalar("!!null", "null"), nil
	case bool:
		return scalar("!!bool", fmt.Sprint(v)), nil
	case json.Number:
		return scalar("", v.String()), nil // untagged, it is written as it is
	case string:
		n := &yaml.Node{}
		if strings.Contains(v, "\n") {
			n.SetString(v)
			return n, nil
		}
		return n, n.Encode(v) // quoted where older readers would see a bool or a number
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if token == json.Delim('{') {
		n.Kind = yaml.MappingNode
	}
	for d.More() { // of an object: names and values by turns
		inner, err := yamlNode(d)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, inner)
	}
	_, err = d.Token()
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n, err
}
