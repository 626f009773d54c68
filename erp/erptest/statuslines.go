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
	return []route{{method: http.MethodGet, pattern: "v1/statuslines/{id}", handle: reading(singleErrorOf("status line"), getStatusLine)}}
}

// getStatusLine handles GET /statuslines/{id}: the text of one, or null.
func getStatusLine(ctx context.Context, rd *reader) (any, error) {
	id := rd.c.param("id")
	if !engine.IsRecordID(id) {
		return nil, notNumber(id)
	}
	t, err := rd.tx.Table(ctx, "AD_StatusLine")
	if err != nil {
		return nil, err
	}
	row, err := rd.c.session.FindRow(ctx, rd.tx, t, id)
	var api *apiError
	if err != nil && asAPI(err, &api) || err == nil && row.String("SQLStatement") == "" {
		if engine.IsUUID(id) {
			id = "-1" // what the ERP finds instead of a number
		}
		return nil, fail(http.StatusNotFound, "Status Line not found", "No valid status line with the given id = "+id)
	}
	if err != nil {
		return nil, err
	}
	text, err := rd.statusMessage(ctx, row)
	return wire.NewObject("message", text), err
}

// statusMessage is the message of a status line with the first row of its
// statement; nil when there is no row, the statement fails or needs a context that
// a request does not have.
func (rd *reader) statusMessage(ctx context.Context, row store.Row) (any, error) {
	text, ok, err := rd.statusText(ctx, row)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		rd.c.srv.log.Warn("evaluating a status line", "name", row.String("Name"), "error", err)
	}
	if err != nil || !ok {
		return nil, nil
	}
	return text, nil
}

func (rd *reader) statusText(ctx context.Context, row store.Row) (text string, ok bool, err error) {
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: &store.Table{}, Row: store.Row{}}}
	bound, ok, err := vars.Bind(ctx, rd.tx, row.String("SQLStatement"))
	if err != nil || !ok {
		return "", false, err
	}
	if words, _ := engine.SQLWords(bound.Text); len(words) == 0 || !strings.EqualFold(words[0], "select") {
		return "", false, engine.PublicError("The statement of the status line is no query: " + row.String("Name"))
	}
	var values []any
	bound.Text = "SELECT * FROM (" + bound.Text + ") LIMIT 1"
	if err := rd.c.session.QueryDictionary(ctx, rd.tx, bound, func(v []any) error {
		values = v
		return nil
	}); err != nil || values == nil {
		return "", false, err
	}
	m, err := engine.OneRow(ctx, rd.tx, "AD_Message", row.Int("AD_Message_ID"))
	if err != nil || m == nil {
		return "", false, err
	}
	pattern, err := engine.Message(ctx, rd.tx, m.String("Value"), rd.c.session.Language, m.String("MsgText"))
	if err != nil {
		return "", false, err
	}
	text, ok = formatMessage(pattern, values)
	return text, ok, nil
}

// formatMessage puts values into a message of Java's MessageFormat: {0} is the
// first one as the database writes it, {0,number} the same as a number, a quote
// begins and ends literal text, and two of them are one. ok is false for messages
// that are not such a format or need more values.
func formatMessage(text string, values []any) (_ string, ok bool) {
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
				return "", false
			}
			number, format, _ := strings.Cut(text[i+1:i+end], ",")
			n, err := strconv.Atoi(strings.TrimSpace(number))
			if err != nil || n < 0 || n >= len(values) {
				return "", false
			}
			b.WriteString(messageValue(values[n], strings.TrimSpace(format)))
			i += end
		default:
			b.WriteByte(ch)
		}
	}
	return b.String(), true
}

// messageValue is a value in a message; the format number groups its digits and
// shows at most three decimals, "number,integer" none, as English has them.
func messageValue(v any, format string) string {
	if v == nil {
		return "null"
	}
	text := store.TextOf(v)
	if f, ok := v.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	kind, style, _ := strings.Cut(format, ",")
	if strings.TrimSpace(kind) != "number" {
		return text
	}
	r, ok := engine.ParseRat(text)
	if !ok {
		return text
	}
	decimals := 3
	if strings.TrimSpace(style) == "integer" {
		decimals = 0
	}
	text = r.FloatString(decimals)
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
