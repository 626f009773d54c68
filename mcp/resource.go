package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// Resource is something to read at a fixed URI.
type Resource struct {
	URI, Name, Title string
	Description      string
	MIMEType         string
	Read             func(ctx context.Context, c *Call) (ResourceContent, error)
}

// ResourceTemplate is a family of resources.
type ResourceTemplate struct {
	// URITemplate is by RFC 6570, such as erp://table/{table}.
	URITemplate, Name, Title string
	Description              string
	MIMEType                 string
	// Read reads one; variables are those of the template, decoded. What is not
	// there is [NoResource].
	Read func(ctx context.Context, c *Call, uri string, variables map[string]string) (ResourceContent, error)
	// Complete offers values by name of the variable.
	Complete map[string]Completer
}

// ResourceContent is the content of a resource: Text, or Data when that is set.
type ResourceContent struct {
	// URI is of what was read; empty means as requested.
	URI      string
	MIMEType string
	Text     string
	Data     []byte
}

// NoResource is the error for a URI where there is nothing. near are URIs that
// may have been meant.
func NoResource(uri string, near ...string) error {
	e := &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no resource %s", text.Quote(uri))}
	if len(near) > 0 {
		e.Hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return e
}
