package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/dict/diff"
)

func comment(t testing.TB, r *diff.Result, findings []review.Finding, opts *review.CommentOptions) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, review.WriteComment(&b, r, findings, opts))
	return b.String()
}

func TestComment(t *testing.T) {
	t.Parallel()
	result := &diff.Result{Changes: []diff.Change{
		{Kind: diff.KindTable, Name: "XX_New", Table: "XX_New", Action: diff.Create, Detail: "access All, 12 columns"},
		{Kind: diff.KindColumn, Name: "XX_Old.XX_Body", Table: "XX_Old", Action: diff.Rename, Was: "XX_Text"},
		{Kind: diff.KindColumn, Name: "XX_Old.XX_Code", Table: "XX_Old", Action: diff.Update, Destructive: "short",
			Attributes: []diff.Attribute{{Column: "FieldLength", Has: "40", Wanted: "20", Destructive: "short"}, {Column: "Help", Has: "", Wanted: "a\nb"}}},
	}}
	got := comment(t, result, []review.Finding{{Rule: "length-shortened", Severity: review.Error, Where: "XX_Old.XX_Code", Message: "too short", Advice: "keep it"}},
		&review.CommentOptions{Server: "https://erp.example.com"})
	assert.Equal(t, `### Dictionary changes

**1 of the changes lose content or remove something** and need `+"`--allow-destructive`"+`. Plan&#58; 1 to add, 1 to change, 0 to remove, 1 to rename. On https&#58;&#47;&#47;erp.example.com.

| | what | where | why |
|---|---|---|---|
| 🛑 | `+"`length-shortened`"+` | XX\_Old.XX\_Code | too short; keep it |

<details><summary>3 changes</summary>

| | record | details |
|---|---|---|
| create | table XX\_New | access All, 12 columns |
| rename | column XX\_Old.XX\_Body | renamed from XX\_Text |
| update | column XX\_Old.XX\_Code | FieldLength: 40 → 20<br>Help: (none) → a b |

</details>
`, got)
	assert.Equal(t, "### Dictionary changes\n\nNo changes&#58; the ERP is as the definitions say.\n", comment(t, &diff.Result{}, nil, nil))
}

// Texts of others cannot mention people, format, link or leave their cell.
func TestCommentIsText(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{"@everyone", "<script>alert(1)</script>", "a | b", "`x` ```", "[x](http://x)", "![i](http://x)", "</details>", "#12 !7 ~bug",
		"a\n\n# head", "<!-- x", "\x1b[31mred", "&lt;b&gt;", "*b* __b__ ~~s~~", `\| \`, "https://x.example", "$\\frac{1}{2}$"} {
		result := &diff.Result{Changes: []diff.Change{{Kind: diff.KindColumn, Name: hostile, Action: diff.Update, Detail: hostile, Was: hostile,
			Attributes: []diff.Attribute{{Column: "Help", Has: hostile, Wanted: hostile}}}}}
		got := comment(t, result, []review.Finding{{Rule: "x", Severity: review.Info, Where: hostile, Message: hostile, Advice: hostile}}, &review.CommentOptions{Server: hostile})
		assert.NotContains(t, strings.Replace(got, "</details>", "", 1), hostile) // but for its own
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "| ") && strings.Contains(line, "update") {
				assert.Equal(t, 4, strings.Count(line, "|"), line)
			}
		}
		assert.Equal(t, 1, strings.Count(got, "</details>"), hostile)
	}
}

// A comment has a size that servers take, and says what it leaves out.
func TestCommentIsBounded(t *testing.T) {
	t.Parallel()
	result := &diff.Result{}
	var findings []review.Finding
	for i := range 5000 {
		name := fmt.Sprintf("XX_Table%d.%s", i, strings.Repeat("|", 50))
		result.Changes = append(result.Changes, diff.Change{Kind: diff.KindColumn, Name: name, Action: diff.Create})
		findings = append(findings, review.Finding{Rule: "long-name", Severity: review.Warning, Where: name, Message: "long"})
	}
	for _, most := range []int{0, 1, 2000, 10_000} {
		got := comment(t, result, findings, &review.CommentOptions{Most: most})
		limit := map[int]int{0: 60_000, 1: 2000, 2000: 2000, 10_000: 10_000}[most]
		assert.LessOrEqual(t, len(got), limit)
		assert.Contains(t, got, "more findings are left out")
		assert.Contains(t, got, "more changes are left out")
		assert.True(t, strings.HasSuffix(got, "</details>\n"))
	}
	few := comment(t, result, nil, nil)
	assert.Contains(t, few, "| create |")
}
