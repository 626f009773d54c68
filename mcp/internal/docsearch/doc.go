// Package docsearch finds passages in documents: Markdown files of given
// folders, and the help texts of the dictionary.
//
//	library, err := docsearch.Open(ctx, []string{"docs"}, nil)
//	found, err := library.Search(ctx, "period closing", 5)
//
// An [Index] is kept in memory and does not change. It ranks by BM25, with
// titles counting more than text; a word of the question also finds words it is
// the beginning of, and other forms of it, for less. A [Library] keeps the index
// of its folders in step with them.
package docsearch
