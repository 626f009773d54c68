package sqlshell

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// completionTime bounds what a completion waits for the server.
const completionTime = 2 * time.Second

// keywords are the words of statements that completion offers.
var keywords = strings.Fields("SELECT FROM WHERE AND OR NOT IN IS NULL LIKE ILIKE BETWEEN EXISTS GROUP BY HAVING ORDER ASC DESC NULLS FIRST LAST " +
	"LIMIT OFFSET DISTINCT JOIN LEFT RIGHT FULL INNER CROSS ON USING UNION ALL WITH AS CASE WHEN THEN ELSE END COUNT SUM AVG MIN MAX COALESCE " +
	"EXTRACT INTERVAL DATE CURRENT_DATE TRUE FALSE EXPLAIN OVER PARTITION ROW_NUMBER")

// tableWord finds what stands behind FROM and JOIN.
var tableWord = lazyregexp.New(`(?i)\b(?:FROM|JOIN)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?`)

// tableNext finds that a table comes next.
var tableNext = lazyregexp.New(`(?i)\b(?:FROM|JOIN)\s+(?:[\w\s.]+,\s*)?$`)

// Complete is what the word at a place of a line may become.
func (s *Shell) Complete(line string, at int) (head string, candidates []string, tail string) {
	begin := at
	for begin > 0 {
		r, size := utf8.DecodeLastRuneInString(line[:begin])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\\' && r != '*' {
			break
		}
		begin -= size
	}
	head, word, tail := line[:begin], line[begin:at], line[at:]
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	return head, startingWith(word, s.candidates(ctx, head, word, tail)), tail
}

func (s *Shell) candidates(ctx context.Context, head, word, tail string) []string {
	start := strings.TrimSpace(head)
	if strings.TrimSpace(s.buffer) == "" && start == "" && strings.HasPrefix(word, `\`) {
		var list []string
		for _, c := range commands() {
			list = append(list, c.name)
		}
		return list
	}
	if s.buffer == "" && strings.HasPrefix(start, `\`) {
		switch {
		case strings.HasPrefix(start, `\d`):
			return s.tableNames(ctx)
		case strings.HasPrefix(start, `\format`):
			return s.Formats
		}
		return nil
	}
	before := s.buffer + head
	if tableNext().MatchString(before) {
		return s.tableNames(ctx)
	}
	mentioned := tableWord().FindAllStringSubmatch(before+word+tail, -1)
	if owner, ok := strings.CutSuffix(before, "."); ok { // o.Doc…
		return s.columnsOf(ctx, owner, mentioned)
	}
	var list []string
	for _, m := range mentioned {
		list = append(list, s.columnNames(ctx, m[1])...)
	}
	return append(list, keywords...)
}

// columnsOf are the columns of the table, or of the alias of one, that a text ends with.
func (s *Shell) columnsOf(ctx context.Context, text string, mentioned [][]string) []string {
	owner := text[strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })+1:]
	for _, m := range mentioned {
		if strings.EqualFold(m[1], owner) || strings.EqualFold(m[2], owner) {
			return s.columnNames(ctx, m[1])
		}
	}
	return nil
}

// startingWith are the candidates that begin as the word does, in any case, each
// once and in order.
func startingWith(word string, candidates []string) []string {
	var list []string
	for _, c := range candidates {
		if len(c) >= len(word) && strings.EqualFold(c[:len(word)], word) {
			list = append(list, c)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (s *Shell) tableNames(ctx context.Context) []string {
	tables, err := s.tables(ctx)
	if err != nil {
		return nil // completion is silent
	}
	list := make([]string, len(tables))
	for i, t := range tables {
		list[i] = t.Name
	}
	return list
}

func (s *Shell) columnNames(ctx context.Context, table string) []string {
	key := strings.ToLower(table)
	columns, ok := s.names.columns[key]
	if !ok {
		meta, err := s.client.TableMetadata(ctx, table)
		if ctx.Err() != nil {
			return nil // the next time it may be there
		}
		if err == nil {
			columns = meta.Columns
		}
		s.names.columns[key] = columns
	}
	var list []string
	for _, c := range columns {
		if !c.Virtual {
			list = append(list, c.Name)
		}
	}
	return list
}
