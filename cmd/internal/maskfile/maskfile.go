// Package maskfile reads masking rules from YAML.
//
//	amounts:
//	  scatter: 5            # percent; without it amounts stay
//	classes:
//	  label: keep           # names of products, projects and other things
//	tables:
//	  C_BPartner:
//	    Description: empty
//	    Rating: keep
//	    URL: {constant: "https://www.example.com"}
//	  XX_Machine: keep      # all its columns, secrets apart
//	  XX_Patient:
//	    Contact: person
//
// A column gets keep, empty, a constant or the name of a class of package mask.
// Errors name the line; [mask.New], which knows the dictionary, checks whether
// tables and columns exist.
package maskfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/nearest"
)

const (
	maxBytes = 1 << 20
	// longest is how much of a name an error repeats.
	longest = 64
)

// Load reads the rules in a file.
func Load(path string) (mask.Rules, error) {
	data, err := atomicfile.ReadAtMost(path, maxBytes)
	if err != nil {
		return mask.Rules{}, fmt.Errorf("reading masking rules: %w", err)
	}
	return Parse(path, data)
}

// Parse reads rules. The name is what errors call the file. Nothing, or only
// comments, are not rules. The error tells all that is wrong.
func Parse(name string, data []byte) (mask.Rules, error) {
	p := &parser{name: name}
	rules := p.parse(data)
	if err := errors.Join(p.errs...); err != nil {
		return mask.Rules{}, fmt.Errorf("reading masking rules: %w", err)
	}
	return rules, nil
}

type parser struct {
	name string
	errs []error
}

func (p *parser) bad(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, errors.New(p.where(n)+": "+fmt.Sprintf(format, args...)))
}

func (p *parser) where(n *yaml.Node) string { return p.name + ":" + strconv.Itoa(max(n.Line, 1)) }

// yamlLine finds the line in an error of the YAML parser.
var yamlLine = lazyregexp.New(`line (\d+)`)

func (p *parser) parse(data []byte) (rules mask.Rules) {
	if len(data) > maxBytes {
		p.bad(&yaml.Node{}, "there are more than %d bytes; rules are shorter", maxBytes)
		return rules
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return rules
	case err != nil:
		at := &yaml.Node{}
		if m := yamlLine().FindStringSubmatch(err.Error()); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
		}
		p.bad(at, "this is no YAML; check indentation, colons and quotes")
		return rules
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		p.bad(&yaml.Node{}, "there is more than one YAML document; remove the line ---")
		return rules
	}
	root := doc.Content[0]
	if root.Tag == "!!null" {
		return rules
	}
	p.each(root, "the file", func(key string, k, v *yaml.Node) {
		switch key {
		case "amounts":
			rules.Scatter = p.amounts(v)
		case "classes":
			rules.Classes = map[mask.Class]mask.Class{}
			p.each(v, "classes", func(key string, k, v *yaml.Node) {
				from, to := p.class(k), p.class(v)
				if from != "" && to != "" {
					rules.Classes[from] = to
				}
			})
		case "tables":
			p.each(v, "tables", func(key string, k, v *yaml.Node) {
				rules.Tables = append(rules.Tables, p.table(key, k, v))
			})
		default:
			p.bad(k, "there is no setting %q%s", short(key), meant(key, "amounts", "classes", "tables"))
		}
	})
	return rules
}

// each goes through a mapping, whose keys are texts that differ.
func (p *parser) each(n *yaml.Node, what string, do func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.bad(n, "%s needs lines of the form name: value", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			p.bad(k, "names are plain texts here")
		case seen[strings.ToLower(k.Value)]:
			p.bad(k, "%q stands twice in %s; keep one", short(k.Value), what)
		case v.Kind == yaml.AliasNode:
			p.bad(v, "references to other places of the file are not possible; write the value")
		default:
			seen[strings.ToLower(k.Value)] = true
			do(k.Value, k, v)
		}
	}
}

func (p *parser) amounts(n *yaml.Node) (scatter float64) {
	p.each(n, "amounts", func(key string, k, v *yaml.Node) {
		if key != "scatter" {
			p.bad(k, "there is no setting %q%s", short(key), meant(key, "scatter"))
			return
		}
		f, err := strconv.ParseFloat(strings.TrimSuffix(v.Value, "%"), 64)
		if v.Kind != yaml.ScalarNode || err != nil || math.IsNaN(f) || f < 0 || f > 90 {
			p.bad(v, "scatter needs a number of percent from 0 to 90")
			return
		}
		scatter = f
	})
	return scatter
}

func (p *parser) class(n *yaml.Node) mask.Class {
	if n.Kind != yaml.ScalarNode {
		p.bad(n, "a class is one word")
		return ""
	}
	c, err := mask.ParseClass(n.Value)
	if err != nil {
		p.bad(n, "%v", err)
	}
	return c
}

func (p *parser) table(name string, k, v *yaml.Node) mask.TableRule {
	rule := mask.TableRule{Table: name, Where: p.where(k)}
	if v.Kind == yaml.ScalarNode {
		if rule.Keep = v.Value == string(mask.Keep); !rule.Keep {
			p.bad(v, "a table gets keep, or lines with its columns")
		}
		return rule
	}
	p.each(v, "table "+short(name), func(key string, k, v *yaml.Node) {
		col := mask.ColumnRule{Column: key, Where: p.where(k)}
		if v.Kind == yaml.MappingNode {
			col.Class = mask.Fixed
			given := false
			p.each(v, "column "+short(key), func(key string, k, v *yaml.Node) {
				if key != "constant" || v.Kind != yaml.ScalarNode {
					p.bad(k, "a column gets a class, keep, empty or {constant: value}")
				}
				given, col.Constant = true, v.Value
			})
			if !given {
				p.bad(v, "a column gets a class, keep, empty or {constant: value}")
			}
		} else {
			col.Class = p.class(v)
		}
		rule.Columns = append(rule.Columns, col)
	})
	return rule
}

func short(name string) string {
	if r := []rune(name); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return name
}

func meant(name string, candidates ...string) string {
	if near := nearest.Name(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; there are " + strings.Join(candidates, ", ")
}
