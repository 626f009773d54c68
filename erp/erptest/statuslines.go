package erptest

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func statusLineRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: "v1/statuslines", handle: listStatusLines},
		{method: http.MethodGet, pattern: "v1/statuslines/{id}", handle: getStatusLine},
	}
}

// listStatusLines handles GET /statuslines; with_messages=true adds the texts of
// those that have one.
func listStatusLines(c *call) error {
	var list []*wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		records, err := rd.dictionary(ctx, dictionaryQuery{
			table: "AD_StatusLine", columns: []string{"Name", "EntityType"}, filter: c.query.get("$filter"),
			orderBy: `"AD_StatusLine"."Name", "AD_StatusLine"."AD_StatusLine_ID"`,
		})
		if err != nil {
			return err
		}
		for _, r := range records {
			if !strings.EqualFold(c.query.get("with_messages"), "true") {
				break
			}
			text, err := rd.statusMessage(ctx, r.row)
			if ctx.Err() != nil {
				return err
			}
			if err != nil { // one that cannot be evaluated does not spoil the others
				c.srv.log.Warn("evaluating a status line", "name", r.row.String("Name"), "error", err)
			}
			if text != "" {
				r.object.Set("message", text)
			}
		}
		list = objectsOf(records)
		return nil
	})
	if err != nil {
		return listError("status line(s)", err)
	}
	c.json(http.StatusOK, wire.NewObject("statusLines", list))
	return nil
}

// getStatusLine handles GET /statuslines/{id}: the text of one.
func getStatusLine(c *call) error {
	var text string
	err := c.read(func(ctx context.Context, rd *reader) error {
		if !engine.IsRecordID(c.param("id")) {
			return engine.PublicError("For input string: " + engine.JSONOf(c.param("id")))
		}
		t, err := rd.tx.Table(ctx, "AD_StatusLine")
		if err != nil {
			return err
		}
		row, err := rd.c.session.FindRow(ctx, rd.tx, t, c.param("id"))
		if err != nil {
			var api *apiError
			if asAPI(err, &api) && api.status == http.StatusNotFound {
				return fail(http.StatusNotFound, "Status Line not found", "No status line found matching id: "+c.param("id"))
			}
			return err
		}
		text, err = rd.statusMessage(ctx, row)
		return err
	})
	if err != nil {
		return singleError("status line(s)", err)
	}
	c.json(http.StatusOK, wire.NewObject("message", text))
	return nil
}

// statusMessage is the message of a status line with the first row of its
// statement, "" when there is no row or the statement needs a context that a
// request does not have.
func (rd *reader) statusMessage(ctx context.Context, row store.Row) (string, error) {
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: &store.Table{}, Row: store.Row{}}}
	bound, ok, err := vars.Bind(ctx, rd.tx, row.String("SQLStatement"))
	if err != nil || !ok {
		return "", err
	}
	if words, _ := engine.SQLWords(bound.Text); len(words) == 0 || !strings.EqualFold(words[0], "select") {
		return "", engine.PublicError("The statement of the status line is no query: " + row.String("Name"))
	}
	var values []any
	bound.Text = "SELECT * FROM (" + bound.Text + ") LIMIT 1"
	if err := rd.c.session.QueryDictionary(ctx, rd.tx, bound, func(v []any) error {
		values = v
		return nil
	}); err != nil || values == nil {
		return "", err
	}
	m, err := engine.OneRow(ctx, rd.tx, "AD_Message", row.Int("AD_Message_ID"))
	if err != nil || m == nil {
		return "", err
	}
	text, err := engine.Message(ctx, rd.tx, m.String("Value"), rd.c.session.Language, m.String("MsgText"))
	if err != nil {
		return "", err
	}
	return formatMessage(text, values), nil
}

// formatMessage puts values into a message of Java's MessageFormat: {0} is the
// first one, with a format after a comma not looked at, a quote begins and ends
// literal text, and two of them are one.
func formatMessage(text string, values []any) string {
	var b strings.Builder
	literal := false
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\'' && strings.HasPrefix(text[i+1:], "'"):
			b.WriteByte(ch)
			i++
		case ch == '\'':
			literal = !literal
		case ch == '{' && !literal:
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				b.WriteString(text[i:])
				return b.String()
			}
			number, _, _ := strings.Cut(text[i+1:i+end], ",")
			n, err := strconv.Atoi(strings.TrimSpace(number))
			if err != nil || n < 0 || n >= len(values) {
				b.WriteString(text[i : i+end+1])
			} else {
				b.WriteString(messageValue(values[n]))
			}
			i += end
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// messageValue is a value in a message: numbers with grouping and at most
// three decimals, as English has them.
func messageValue(v any) string {
	text := plainText(v)
	if f, ok := v.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	r, ok := engine.ParseRat(text)
	if !ok {
		return text
	}
	text = r.FloatString(3)
	whole, fraction, _ := strings.Cut(text, ".")
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "-", rest
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction
}
