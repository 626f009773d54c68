package tools

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/internal/docsearch"
)

// Knowledge finds passages in documents; [Documents] do.
type Knowledge interface {
	Search(ctx context.Context, question string, limit int) (Found, error)
}

// Found is the result of a search in documents, Hit a passage of it.
type (
	Found = docsearch.Found
	Hit   = docsearch.Hit
)

// Documents are the Markdown files (.md, .markdown) of some folders and those below
// them. Links are not followed, and nothing that begins with a dot is read. They are
// safe for concurrent use; Close lets go of the folders.
type Documents = docsearch.Library

// OpenDocuments reads the documents of folders, and reads them again when they have
// changed. A folder that cannot be read is an error. The log says which documents are
// too large; nil is silent.
func OpenDocuments(ctx context.Context, folders []string, log *slog.Logger) (*Documents, error) {
	return docsearch.Open(ctx, folders, &docsearch.Options{Logger: log})
}

type searchKnowledgeIn struct {
	Query string `json:"query" jsonschema:"words of what you want to know, such as: close an accounting period"`
	Limit int    `json:"limit,omitempty" jsonschema:"most passages to return"`
}

type passageLine struct {
	Title   string `json:"title"`
	Heading string `json:"heading,omitempty"`
	Passage string `json:"passage" jsonschema:"found words between ** and **"`
	Source  string `json:"source" jsonschema:"file, or where in the dictionary"`
	Kind    string `json:"kind" jsonschema:"document or dictionary"`
}

type searchKnowledgeOut struct {
	Notice    string        `json:"notice"`
	Hits      []passageLine `json:"hits" jsonschema:"best first"`
	Total     int           `json:"total" jsonschema:"passages that have something of the query"`
	Truncated bool          `json:"truncated" jsonschema:"whether there are more: use more words or a higher limit"`
	Notes     []string      `json:"notes,omitempty"`
}

func (b *Toolbox) searchKnowledge() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "searchKnowledge", Title: "Search documents", Sets: []string{SetChat}, Hints: readOnly,
		Description: "Searches the operator's documents and the help texts of the dictionary by words. For names of tables and columns use searchRegistry; for records, searchRecords.",
		Input:       input[searchKnowledgeIn](between("limit", 1, 20, 5), shorter(500, "query")),
	}, func(ctx context.Context, c *mcp.Call, in searchKnowledgeIn) (*searchKnowledgeOut, error) {
		if strings.TrimSpace(in.Query) == "" {
			return nil, fail(mcp.CodeInvalidArguments, `such as {"query": "close a period"}`, "the query is empty")
		}
		out := &searchKnowledgeOut{Notice: untrusted}
		var found Found
		if b.knowledge != nil {
			var err error
			if found, err = b.knowledge.Search(ctx, in.Query, in.Limit); err != nil {
				return nil, err
			}
		} else {
			out.Notes = append(out.Notes, "no folder of documents is set up: only the dictionary was searched")
		}
		help, err := b.help(ctx, c)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			out.Notes = append(out.Notes, "no backend in use has a dictionary: only documents were searched")
		case err != nil && (b.knowledge == nil || ctx.Err() != nil):
			return nil, err
		case err != nil:
			out.Notes = append(out.Notes, "the dictionary could not be searched: "+clip(mcp.ErrorOf(err).Message, 200))
		default:
			more := help.Search(in.Query, in.Limit)
			found.Hits, found.Total = append(found.Hits, more.Hits...), found.Total+more.Total
		}
		slices.SortStableFunc(found.Hits, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
		lines := mapped(found.Hits[:min(in.Limit, len(found.Hits))], func(h *Hit) passageLine {
			return passageLine{Title: h.Title, Heading: h.Heading, Passage: h.Passage, Source: clip(h.Source, 300), Kind: h.Kind}
		})
		out.Hits, out.Total = fitting(lines), found.Total
		out.Truncated = out.Total > len(out.Hits)
		return out, nil
	})
}

// helpIndex is the key of the index that [Toolbox.help] derives from a dictionary.
type helpIndex struct{}

// help is an index of the help texts that the caller's dictionary has.
func (b *Toolbox) help(ctx context.Context, c *mcp.Call) (*docsearch.Index, error) {
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, err
	}
	state := registry.State(reg)
	return registry.Derive(state, helpIndex{}, func() (*docsearch.Index, error) {
		passages, err := docsearch.Dictionary(ctx, state)
		if err != nil {
			return nil, err
		}
		return docsearch.NewIndex(passages), nil
	})
}
