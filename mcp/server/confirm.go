package server

import (
	"context"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/mcp"
)

// confirmKey is the name of the one question a tool can ask at a time.
const confirmKey = "confirm"

// confirmSchema is the form the user fills in.
var confirmSchema = &jsonschema.Schema{
	Type: "object",
	Properties: map[string]*jsonschema.Schema{
		confirmKey: {Type: "boolean", Title: "Go ahead", Description: "whether to do it"},
	},
	Required: []string{confirmKey},
}

// confirm is how the user of this call is asked, whatever the tool.
func (s *Server) confirm(c *mcp.Call, req *sdk.CallToolRequest) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, question string) (bool, error) {
		switch { // what the client can is looked at when there is a question, which is rare
		case s.opts.Confirm == ConfirmClient:
			return true, nil
		case elicits(req):
			return s.byQuestion(c, req)(ctx, question)
		}
		return false, &mcp.Error{
			Code: mcp.CodeConfirmationRequired, Message: "the user has to agree, and this client cannot ask its user: " + question,
			Hint: "nothing was changed; use a client that supports elicitation, or an operator who trusts the client to ask its user starts the server with --confirm client",
		}
	}
}

// elicits reports whether the client can show the user a form.
func elicits(req *sdk.CallToolRequest) bool {
	caps := req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	return caps.Elicitation.Form != nil || caps.Elicitation.URL == nil
}

// byQuestion asks the user through the client, which calls again with the
// answer. What it brings back is believed only with the seal of the question.
func (s *Server) byQuestion(c *mcp.Call, req *sdk.CallToolRequest) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, question string) (bool, error) {
		if req.Params.RequestState == "" {
			return false, &mcp.ConfirmationRequired{Message: question}
		}
		if err := s.opts.Boundary.Unseal(ctx, c, mcp.Whole(ctx, question), req.Params.RequestState); err != nil {
			if !errors.Is(err, mcp.ErrConfirmation) {
				return false, err
			}
			return false, &mcp.Error{
				Code: mcp.CodeConfirmationRequired, Message: err.Error(),
				Hint: "call again from the start, without the state of the earlier question", Err: err,
			}
		}
		answer, ok := req.Params.InputResponses[confirmKey].(*sdk.ElicitResult)
		if !ok || answer.Action != "accept" {
			return false, nil
		}
		agreed, _ := answer.Content[confirmKey].(bool)
		return agreed, nil
	}
}
