package packxml

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Header are the attributes of the root that an import reads.
type Header struct {
	Name, Version, Description string
	Client                     string // 0-SYSTEM-System
	UpdateDictionary           bool
	Author, AuthorEmail        string
	Created, Updated           string
}

// Element is a record, a translation or a step, with what is nested in it.
type Element struct {
	Name       string
	Type       string // table, translation, custom or object
	Line       int    // in the file
	Path       string // names from the top: AD_Window/AD_Tab
	Properties []Property
	Children   []*Element
	index      map[string]int
}

// Property is a column with its value as it is written.
type Property struct {
	Name      string
	Text      string
	Reference string // uuid or id; empty for plain values
	Key       string // referenced table
}

// Property finds a property; of repeated ones it is the last.
func (e *Element) Property(name string) (Property, bool) {
	i, ok := e.index[strings.ToUpper(name)]
	if !ok {
		return Property{}, false
	}
	return e.Properties[i], true
}

// Text is the value of a property, "" without.
func (e *Element) Text(name string) string {
	p, _ := e.Property(name)
	return p.Text
}

func (e *Element) add(p Property) {
	key := strings.ToUpper(p.Name)
	if i, ok := e.index[key]; ok {
		e.Properties[i] = p
		return
	}
	e.index[key] = len(e.Properties)
	e.Properties = append(e.Properties, p)
}

// Read reads the header, then hands out the top level elements one by one as
// they close, each with all that is nested in it. The sequence ends after its
// first error. It can be read once.
func (a *Archive) Read() (Header, iter.Seq2[*Element, error], error) {
	rc, err := a.files["dict/PackOut.xml"].Open()
	if err != nil {
		return Header{}, nil, refuse("PackOut.xml cannot be read (%v)", err)
	}
	header, elements, err := read(rc, a.limits)
	if err != nil {
		return header, nil, errors.Join(err, rc.Close())
	}
	return header, func(yield func(*Element, error) bool) {
		defer rc.Close() //nolint:errcheck // it was only read
		elements(yield)
	}, nil
}

// bounded refuses more than n bytes.
type bounded struct {
	r io.Reader
	n int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n <= 0 {
		return 0, refuse("PackOut.xml unpacks to more than is allowed")
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.n)])
	b.n -= int64(n)
	return n, err
}

type reader struct {
	dec     *xml.Decoder
	limits  Limits
	records int
	depth   int
}

func read(r io.Reader, limits Limits) (Header, iter.Seq2[*Element, error], error) {
	in := bufio.NewReader(&bounded{r, limits.Bytes})
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		if _, err := in.Discard(3); err != nil {
			return Header{}, nil, refuse("PackOut.xml cannot be read (%v)", err)
		}
	}
	x := &reader{dec: xml.NewDecoder(in), limits: limits}
	root, err := x.root()
	if err != nil {
		return Header{}, nil, err
	}
	header, err := headerOf(root)
	if err != nil {
		return Header{}, nil, err
	}
	return header, x.elements, nil
}

// token is the next token; document types, with which entities would come, are
// refused.
func (x *reader) token() (xml.Token, error) {
	tok, err := x.dec.Token()
	if err != nil {
		if errors.Is(err, ErrFormat) {
			return nil, err
		}
		return nil, refuse("PackOut.xml is not valid XML (%v)", err)
	}
	if _, ok := tok.(xml.Directive); ok {
		return nil, refuse("PackOut.xml declares a document type; entities are not read")
	}
	return tok, nil
}

func (x *reader) root() (xml.StartElement, error) {
	for {
		tok, err := x.token()
		if err != nil {
			return xml.StartElement{}, err
		}
		if start, ok := tok.(xml.StartElement); ok {
			if start.Name.Local != "idempiere" {
				return start, refuse("the root of PackOut.xml is %s, not idempiere", start.Name.Local)
			}
			return start, nil
		}
	}
}

func attribute(start xml.StartElement, name string) (string, bool) {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

func headerOf(root xml.StartElement) (Header, error) {
	get := func(name string) string { v, _ := attribute(root, name); return v }
	for _, name := range []string{"Description", "Client"} {
		if _, ok := attribute(root, name); !ok {
			return Header{}, refuse("the root of PackOut.xml has no attribute %s", name)
		}
	}
	return Header{
		Name: get("Name"), Version: get("Version"), Description: get("Description"), Client: get("Client"),
		UpdateDictionary: strings.EqualFold(get("UpdateDictionary"), "true"), Author: get("Author"), AuthorEmail: get("AuthorEmail"),
		Created: get("CreatedDate"), Updated: get("UpdatedDate"),
	}, nil
}

// elements hands out the elements below the root.
func (x *reader) elements(yield func(*Element, error) bool) {
	for {
		tok, err := x.token()
		if err != nil {
			yield(nil, err)
			return
		}
		switch t := tok.(type) {
		case xml.StartElement:
			e, err := x.element(t, "")
			if err == nil && e == nil {
				continue // a property without a record
			}
			if !yield(e, err) || err != nil {
				return
			}
		case xml.EndElement:
			if err := x.end(); err != nil {
				yield(nil, err)
			}
			return
		}
	}
}

// end refuses anything after the root.
func (x *reader) end() error {
	for {
		tok, err := x.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refuse("PackOut.xml is not valid XML (%v)", err)
		}
		if _, ok := tok.(xml.StartElement); ok {
			return refuse("PackOut.xml has a second root")
		}
	}
}

func (x *reader) enter() error {
	if x.depth++; x.depth > x.limits.Depth {
		return refuse("PackOut.xml has elements more than %d deep", x.limits.Depth)
	}
	return nil
}

// element reads a record, nil when the element is a property.
func (x *reader) element(start xml.StartElement, parent string) (*Element, error) {
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer func() { x.depth-- }()
	kind, _ := attribute(start, "type")
	if kind == "" || kind == "properties" {
		_, err := x.property(start)
		return nil, err
	}
	if x.records++; x.records > x.limits.Records {
		return nil, refuse("PackOut.xml has more than %d records", x.limits.Records)
	}
	line, _ := x.dec.InputPos()
	e := &Element{Name: start.Name.Local, Type: kind, Line: line, Path: start.Name.Local, index: map[string]int{}}
	if parent != "" {
		e.Path = parent + "/" + e.Path
	}
	for {
		tok, err := x.token()
		if err != nil {
			return nil, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			kind, _ := attribute(t, "type")
			if kind == "" || kind == "properties" {
				p, err := x.property(t)
				if err != nil {
					return nil, err
				}
				if e.add(p); len(e.Properties) > x.limits.Columns {
					return nil, refuse("%s (line %d) has more than %d columns", e.Name, e.Line, x.limits.Columns)
				}
				continue
			}
			child, err := x.element(t, e.Path)
			if err != nil {
				return nil, err
			}
			e.Children = append(e.Children, child)
		case xml.EndElement:
			return e, nil
		}
	}
}

// property reads a value. What is nested in it is lost, as in the ERP.
func (x *reader) property(start xml.StartElement) (Property, error) {
	p := Property{Name: start.Name.Local}
	p.Reference, _ = attribute(start, "reference")
	p.Key, _ = attribute(start, "reference-key")
	var text strings.Builder
	depth := 0
	for {
		tok, err := x.token()
		if err != nil {
			return p, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if depth++; x.depth+depth > x.limits.Depth {
				return p, refuse("PackOut.xml has elements more than %d deep", x.limits.Depth)
			}
		case xml.CharData:
			if depth == 0 {
				text.Write(t)
			}
		case xml.EndElement:
			if depth--; depth < 0 {
				p.Text = text.String()
				return p, nil
			}
		}
	}
}

// String names the element and where it stands.
func (e *Element) String() string { return fmt.Sprintf("%s (line %d)", e.Path, e.Line) }
