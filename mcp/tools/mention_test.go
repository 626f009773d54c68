package tools_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

// broken is a text that something was cut out of badly.
var broken = regexp.MustCompile(`\(\s*\)|\(,|,\s*\)| [.,;:]|[,;]\s*$|\.\.|  `)

// leaning is an item that refers to one that was cut out before it.
var leaning = regexp.MustCompile(`(?m)^\d+\. (For others|Others|Otherwise|Else|It|They|Never guess them)\b`)

// numbered makes sure that the items of each list count from 1, also around lines that
// go on with one.
func numbered(t *testing.T, text string) {
	t.Helper()
	next := 1
	for line := range strings.SplitSeq(text, "\n") {
		number, _, is := strings.Cut(line, ". ")
		n, err := strconv.Atoi(number)
		switch {
		case is && err == nil:
			require.Equal(t, next, n, text)
			next++
		case !strings.HasPrefix(line, " "):
			next = 1
		}
	}
}

// Whatever a session offers, by tool sets, by backends or by rules: no text names a
// tool that is not among it.
func TestTextsNameOnlyWhatIsOffered(t *testing.T) {
	t.Parallel()
	pool, err := backend.NewPool("", presence(true)) // without a dictionary: prompts have no tables to describe
	require.NoError(t, err)
	catalog := tools.New(tools.Options{Pool: pool}).Catalog()
	all := catalog.Tools
	names := all.Names()
	mentions := map[string][]string{} // what the definition of a tool names
	for i := range all {
		raw, err := json.Marshal(all[i].Definition())
		require.NoError(t, err)
		mentions[all[i].Name] = slices.DeleteFunc(all.Mentioned(string(raw)), func(name string) bool { return name == all[i].Name })
	}
	checked := map[string]bool{} // definitions without the same tools are the same
	check := func(offered []string) {
		offers := func(tool string) bool { return slices.Contains(offered, tool) }
		text := func(where, text string) {
			require.Empty(t, slices.DeleteFunc(all.Mentioned(text), offers), "%s: %s", where, text)
			require.Empty(t, broken.FindString(text), "%s: %s", where, text)
			require.Empty(t, leaning.FindString(text), "%s: %s", where, text)
			numbered(t, text)
		}
		for _, name := range offered {
			missing := slices.DeleteFunc(slices.Clone(mentions[name]), offers)
			key := name + " " + strings.Join(missing, " ")
			if len(missing) == 0 || checked[key] {
				continue
			}
			checked[key] = true
			tool, _ := all.Tool(name)
			tool = all.Reworded(tool, offers)
			assert.NotEmpty(t, tool.Description, "%s without %v", name, missing)
			raw, err := json.Marshal(tool.Definition())
			require.NoError(t, err)
			require.Empty(t, slices.DeleteFunc(all.Mentioned(string(raw)), offers), "%s: %s", name, raw)
			text(name, tool.Description)
		}
		instructions := all.Without(catalog.Instructions, offers)
		text("instructions", instructions)
		for i, line := range strings.Split(instructions, "\n")[1:] {
			require.Regexp(t, `^\d+\. [A-Za-z].*[.:?!"]$`, line)
			require.True(t, line[0] == byte('1'+i), instructions)
		}
		call := &mcp.Call{Offers: offers}
		for _, p := range catalog.Prompts {
			if slices.ContainsFunc(p.Tools, func(tool string) bool { return !offers(tool) }) {
				continue
			}
			arguments := map[string]string{"table": "C_Order", "question": "who owes us", "purpose": "bottles"}
			messages, err := p.Get(t.Context(), call, arguments)
			require.NoError(t, err)
			for _, m := range messages {
				text("prompt "+p.Name, m.Content.Text)
				if m.Content.Embedded != nil {
					require.Empty(t, slices.DeleteFunc(all.Mentioned(m.Content.Embedded.Text), offers), p.Name)
					numbered(t, m.Content.Embedded.Text)
				}
			}
		}
	}
	sets := all.SetNames()
	for bits := range 1 << len(sets) { // every choice of tool sets
		var chosen []string
		for i, set := range sets {
			if bits&(1<<i) != 0 {
				chosen = append(chosen, set)
			}
		}
		if bits > 64 && bits%7 != 0 && len(chosen) < len(sets)-2 {
			continue // the rest is like these
		}
		if len(chosen) > 0 {
			check(all.Filter(chosen).Names())
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 { // any tools, as rules and backends may leave them
		check(slices.DeleteFunc(slices.Clone(names), func(string) bool { return random.IntN(3) == 0 }))
	}
	for _, name := range names { // all but one, and one alone
		check(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name }))
		check([]string{name})
	}
	assert.Greater(t, len(checked), 20)
}
