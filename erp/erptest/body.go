package erptest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// Texts of the installation's message dictionary.
const (
	msgValidation     = "Validation error"
	msgFillMandatory  = "Fill mandatory fields: "
	msgDeleted        = "Deleted"
	msgFailedDocument = "Failed when processing document"
	msgAlreadyRunning = "Process is already running"
)

// invalid is a request whose content does not fit the dictionary.
func invalid(format string, args ...any) error {
	return failf(http.StatusBadRequest, msgValidation, format, args...)
}

// bodyValue parses the request's body, as leniently as the ERP does.
func (c *call) bodyValue() (any, error) {
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	v, err := wire.Parse(body)
	var syntax *wire.SyntaxError
	if errors.As(err, &syntax) {
		return nil, plainError("Malformed JSON: " + syntax.Error())
	}
	return v, err
}

// asObject is the JSON object in v. Anything else makes the real server fail
// as on any unexpected exception.
func asObject(v any) (*wire.Object, error) {
	o, ok := v.(*wire.Object)
	switch {
	case ok:
		return o, nil
	case v == nil:
		return nil, plainError("The request has no body: a JSON object is expected")
	}
	if _, ok := v.([]any); ok {
		return nil, plainError("Expected a JSON object but was an array")
	}
	return nil, plainError("Expected a JSON object but was " + jsonOf(v))
}

// extraMembers may stand in the body of a record although they are no columns.
var extraMembers = map[string]bool{
	"doc-action": true, "id": true, "identifier": true, "model-name": true, "tableName": true, "uid": true,
}

// propertyName is the other name of a column in JSON: its first letter in
// lower case unless the name has an underscore.
func propertyName(column string) string {
	if column == "" || strings.Contains(column, "_") {
		return column
	}
	return strings.ToLower(column[:1]) + column[1:]
}

// checkNames refuses members that are neither columns nor tolerated. Arrays
// pass: they may be children.
func checkNames(t *store.Table, o *wire.Object) error {
	for _, name := range o.Names() {
		if extraMembers[name] {
			continue
		}
		if v, _ := o.Get(name); isArray(v) {
			continue
		}
		col, ok := t.Column(name)
		if !ok {
			return invalid("Column %s does not exist", name)
		}
		property := propertyName(col.Name)
		if name == property || name == col.Name {
			continue
		}
		if property == col.Name {
			return invalid("Wrong name for column %s, you must use %s", name, property)
		}
		return invalid("Wrong name for column %s, you must use %s or %s", name, property, col.Name)
	}
	return nil
}

func isArray(v any) bool {
	_, ok := v.([]any)
	return ok
}

// member is what a body says about a column.
func member(o *wire.Object, column string) (any, bool) {
	if v, ok := o.Get(propertyName(column)); ok {
		return v, true
	}
	return o.Get(column)
}

// childArrays are the members of a body that are children: arrays not named
// like a column.
func childArrays(t *store.Table, o *wire.Object) []string {
	var names []string
	for _, name := range o.Names() {
		if v, _ := o.Get(name); isArray(v) {
			if _, ok := t.Column(name); !ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// slowestBody is how slow a body may come, in bytes a second, once the patience
// with it is over.
const slowestBody = 64 << 10

// pacedBody is a request's body that does not come slower than it may. A caller
// who sends nothing, or a byte now and then, would hold a connection otherwise.
type pacedBody struct {
	io.ReadCloser
	conn     *http.ResponseController
	patience time.Duration
	start    time.Time
	got      int64
}

// pace bounds how long the body of r may take. What the handler leaves unread is
// bounded, too.
func (s *Server) pace(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), patience: s.opts.BodyTimeout, start: time.Now()}
	b.extend()
	r.Body = b
}

// extend lets the next bytes come as late as what came before allows. Writers
// that are no connections have no deadlines.
func (b *pacedBody) extend() {
	_ = b.conn.SetReadDeadline(b.start.Add(b.patience + time.Duration(b.got)*time.Second/slowestBody))
}

func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.got += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		_ = b.conn.SetReadDeadline(time.Time{}) // or it would end the work on the request
	case n > 0:
		b.extend()
	}
	return n, err
}
