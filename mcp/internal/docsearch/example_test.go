package docsearch_test

import (
	"fmt"

	"github.com/erphub/erphub/mcp/internal/docsearch"
)

// Open does the same with folders of Markdown files, and follows their changes.
func Example() {
	index := docsearch.NewIndex(docsearch.Split("guide.md", "# Guide\n## Periods\nClose the period at the end of a month.\n## Prices\nA price list has versions.\n"))
	found := index.Search("closing periods", 3)
	for _, hit := range found.Hits {
		fmt.Println(hit.Source, hit.Heading)
		fmt.Println(hit.Passage)
	}
	// Output:
	// guide.md Periods
	// **Close** the **period** at the end of a month.
}
