package mcp

import "context"

// Catalog is everything an assistant is offered.
type Catalog struct {
	Tools     Set
	Prompts   []Prompt
	Resources []Resource
	Templates []ResourceTemplate
	// Instructions tell the model the order of work, in less than 10 lines.
	Instructions string
}

// Prompt is a prepared text a user can start from.
type Prompt struct {
	// Name is the name that callers write, by the rules of a tool's name.
	Name, Title string
	// Description says what the prompt is for; needed.
	Description string
	Arguments   []PromptArgument
	// Tools are the tools the prompt cannot do without: it is offered to callers who
	// are offered all of them. Empty: to everybody.
	Tools []string
	// Get makes the messages. c.Tool is the prompt's name.
	Get func(ctx context.Context, c *Call, arguments map[string]string) ([]Message, error)
}

// PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name, Title string
	Description string // needed
	Required    bool
	// Complete offers values; nil offers none.
	Complete Completer
}

// Message is one message of a prompt.
type Message struct {
	// Role is "user" or "assistant"; empty means user.
	Role    string
	Content Content
}

// Completer offers values that begin with, or resemble, what was typed so far.
// others holds the arguments that are filled in already.
type Completer func(ctx context.Context, c *Call, typed string, others map[string]string) (Completion, error)

// Completion is the offer of a [Completer].
type Completion struct {
	// Values are offered in order; the first 100 count.
	Values []string
	// Total is the number of values altogether; 0 means len(Values).
	Total int
}
