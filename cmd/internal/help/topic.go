package help

import (
	"embed"
	"slices"
)

//go:embed topics/*.txt
var topicFiles embed.FS

// Topics are what help explains beside commands, in the order they are listed.
func Topics() []Entry {
	return []Entry{
		{"environment", "variables of the environment, and what comes before what"},
		{"exit-codes", "how commands end"},
		{"output", "formats of what commands print"},
	}
}

// Topic is the page of a topic. false: words name none.
func Topic(words []string) (*Page, bool) {
	if len(words) != 1 {
		return nil, false
	}
	i := slices.IndexFunc(Topics(), func(e Entry) bool { return e.Name == words[0] })
	if i < 0 {
		return nil, false
	}
	text, err := topicFiles.ReadFile("topics/" + words[0] + ".txt")
	if err != nil {
		return nil, false
	}
	return &Page{Path: []string{"erphub", words[0]}, Summary: Topics()[i].Text, Description: paragraphs(string(text))}, true
}
