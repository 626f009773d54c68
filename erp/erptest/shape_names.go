package erptest

import (
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// bodyLogic evaluates logic of a view: the members of the body are its variables.
// No logic, and what cannot be evaluated, does not hold.
func bodyLogic(text string, body *wire.Object) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	holds, ok := engine.EvalLogic(text, func(name string) string { return engine.ScalarMember(body, name) })
	return ok && holds
}

// checkNames refuses members that are neither properties of the view nor
// tolerated. Arrays pass: they may be children.
func (s *shape) checkNames(body *wire.Object) error {
	for _, name := range body.Names() {
		value, _ := body.Get(name)
		if engine.ExtraMembers[name] || engine.IsArray(value) {
			continue
		}
		paths := []string{name}
		if o, ok := value.(*wire.Object); ok {
			paths = s.paths(o, name)
		}
		for _, path := range paths {
			if err := s.checkPath(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// paths are the properties an object speaks of.
func (s *shape) paths(o *wire.Object, path string) []string {
	if _, ok := s.named(path); ok {
		return []string{path}
	}
	var out []string
	for _, name := range o.Names() {
		value, _ := o.Get(name)
		switch value := value.(type) {
		case *wire.Object:
			out = append(out, s.paths(value, path+"."+name)...)
		case nil, []any:
			if _, ok := s.named(path + "." + name); ok {
				out = append(out, path+"."+name)
			}
		default:
			out = append(out, path+"."+name)
		}
	}
	return out
}

// checkPath refuses what is not a property of the view, and says which one may be meant.
func (s *shape) checkPath(path string) error {
	if _, ok := s.named(path); ok {
		return nil
	}
	similar := func(path string) (string, bool) {
		for _, c := range s.columns {
			if strings.EqualFold(c.name(), path) {
				return c.name(), true
			}
		}
		return "", false
	}
	name, ok := similar(path)
	if !ok { // the id or identifier of a reference
		for _, member := range []string{".id", ".identifier"} {
			if reference, cut := strings.CutSuffix(path, member); cut {
				if name, ok = similar(reference); ok {
					path = reference
				}
			}
		}
	}
	if !ok {
		return engine.Invalidf("Column %s does not exist", path)
	}
	return engine.Invalidf("Wrong name for column %s, you must use %s", path, name)
}
