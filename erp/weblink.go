package erp

import (
	"cmp"
	"net/url"
	"strings"
)

// webClient is where the ERP's web client is, on the server of the REST API.
const webClient = "webui/index.zul"

// WebLink is the address of a record in the ERP's web client, for people: it
// opens the window of the table with that record, after a login where there is
// none. A zero id gives the address of the web client itself. web is the address
// of the web client where it is not that of the REST API with /webui/, such as
// https://erp.example.com/webui/; empty otherwise.
func (c *Client) WebLink(web, table string, id ID) string {
	web = cmp.Or(web, strings.TrimSuffix(strings.TrimSuffix(c.BaseURL(), "/"), "/api/v1")+"/"+webClient)
	if id.IsZero() || table == "" {
		return web
	}
	q := url.Values{"Action": {"Zoom"}, "TableName": {table}}
	if text, uuid := id.UUID(); uuid {
		q.Set("Record_UU", text)
	} else {
		q.Set("Record_ID", id.String())
	}
	separator := "?"
	if strings.Contains(web, "?") {
		separator = "&"
	}
	return web + separator + q.Encode()
}
