package mcp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// Mentioned are the names of tools of s that occur in text, in the order of s.
func (s Set) Mentioned(text string) []string {
	var names []string
	for i := range s { // a tool is large to copy
		if indexName(text, s[i].Name) >= 0 {
			names = append(names, s[i].Name)
		}
	}
	return names
}

// Without is text without the parts that name a tool of s that is not offered.
// From a list of names, or in parentheses, the name alone is removed; otherwise
// its clause, its sentence with those that lean on it ("It …", "Otherwise …"), or its
// line. Indented lines belong to the item above them. Numbered items are numbered anew.
// The text is one that was written for an assistant, such as a hint or a description,
// never data.
func (s Set) Without(text string, offers func(tool string) bool) string {
	missing := slices.DeleteFunc(s.Mentioned(text), offers)
	if len(missing) == 0 {
		return text
	}
	var lines []string
	number := 0
	for _, item := range items(text) {
		body := strings.TrimLeft(item, " \t")
		indent := item[:len(item)-len(body)]
		prefix := numbered().FindString(body)
		kept := strings.TrimPrefix(body, prefix)
		if namesOne(kept, missing) {
			kept = s.lineWithout(continued().ReplaceAllString(kept, " "), missing)
		}
		if kept == "" && body != "" {
			continue
		}
		if prefix != "" {
			number++
			prefix = strconv.Itoa(number) + ". "
		} else {
			number = 0
		}
		lines = append(lines, indent+prefix+kept)
	}
	return strings.Join(lines, "\n")
}

// items are the lines of a text, each numbered or dashed one with the indented lines
// that go on with it.
func items(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		last := len(all) - 1
		if last >= 0 && listItem().MatchString(all[last]) && continued().MatchString("\n"+line) && !listItem().MatchString(line) {
			all[last] += "\n" + line
			continue
		}
		all = append(all, line)
	}
	return all
}

var (
	numbered      = lazyregexp.New(`^\d+\. `)
	listItem      = lazyregexp.New(`^\s*(\d+\.|-) `)
	continued     = lazyregexp.New(`\n[ \t]+`)
	leaning       = lazyregexp.New(`^(It|They|This|That|These|Those|Both|Then|Otherwise|Else|Others|For others)\b`)
	parenthesised = lazyregexp.New(` ?\(([^()]*)\)`)
	sentenceEnd   = lazyregexp.New(`[.?!]["']?\s+`)
)

// lineWithout is one line without what names a missing tool.
func (s Set) lineWithout(line string, missing []string) string {
	if !namesOne(line, missing) {
		return line
	}
	line = parenthesised().ReplaceAllStringFunc(line, func(group string) string {
		if !namesOne(group, missing) {
			return group
		}
		inside := group[strings.IndexByte(group, '(')+1 : len(group)-1]
		var left []string
		for part := range strings.SplitSeq(inside, ", ") {
			if !namesOne(part, missing) {
				left = append(left, part)
			}
		}
		if len(left) == 0 {
			return ""
		}
		return " (" + strings.Join(left, ", ") + ")"
	})
	for _, name := range missing {
		for i := range s { // "this or that", of which one is offered
			other := s[i].Name
			if slices.Contains(missing, other) {
				continue
			}
			for _, join := range []string{" or ", " and ", ", "} {
				line = strings.ReplaceAll(line, name+join+other, other)
				line = strings.ReplaceAll(line, other+join+name, other)
			}
		}
	}
	var kept []string
	gone := false
	for _, sentence := range sentences(line) {
		if gone && leaning().MatchString(sentence) {
			continue
		}
		sentence = sentenceWithout(sentence, missing)
		if gone = sentence == ""; !gone {
			kept = append(kept, sentence)
		}
	}
	return strings.Join(kept, " ")
}

// sentences are the sentences of a line, each with its end.
func sentences(line string) []string {
	var out []string
	for {
		at := sentenceEnd().FindStringIndex(line)
		if at == nil {
			break
		}
		out = append(out, strings.TrimSpace(line[:at[1]]))
		line = line[at[1]:]
	}
	if line = strings.TrimSpace(line); line != "" {
		out = append(out, line)
	}
	return out
}

// sentenceWithout drops the clauses that name a missing tool.
func sentenceWithout(sentence string, missing []string) string {
	if !namesOne(sentence, missing) {
		return sentence
	}
	clauses := strings.Split(sentence, "; ")
	clauses = slices.DeleteFunc(clauses, func(clause string) bool { return namesOne(clause, missing) })
	kept := strings.Join(clauses, "; ")
	if strings.TrimSpace(kept) == "" {
		return ""
	}
	if end := sentence[len(sentence)-1]; strings.IndexByte(".?!", end) >= 0 && kept[len(kept)-1] != end {
		kept += string(end)
	}
	return kept
}

func namesOne(text string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return indexName(text, name) >= 0 })
}

// indexName is where the name stands in text as a word of its own, -1 if it
// does not.
func indexName(text, name string) int {
	from := 0
	for name != "" {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(name)
		if (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end])) {
			return at
		}
		from = end
	}
	return -1
}

func inName(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Reworded is a tool of s whose description and schemas do not name tools that
// are not offered.
func (s Set) Reworded(t Tool, offers func(tool string) bool) Tool {
	t.Description = s.Without(t.Description, offers)
	for _, schema := range []**jsonschema.Schema{&t.Input, &t.Output} {
		if *schema != nil {
			*schema = (*schema).CloneSchemas()
			s.reword(*schema, offers)
		}
	}
	return t
}

// reword changes the descriptions of a schema and of those in it.
func (s Set) reword(schema *jsonschema.Schema, offers func(tool string) bool) {
	schema.Description = s.Without(schema.Description, offers)
	for _, p := range schema.Properties {
		s.reword(p, offers)
	}
	if schema.Items != nil {
		s.reword(schema.Items, offers)
	}
	if schema.AdditionalProperties != nil {
		s.reword(schema.AdditionalProperties, offers)
	}
}
