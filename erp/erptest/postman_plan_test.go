package erptest_test

import (
	"fmt"
	"strings"
)

// The ERP's Postman collection is one flat list that a person clicks through.
// postmanOrder is an order in which it runs by itself: what needs a log-in comes
// after it, what ends one at the end. Numbers are places in the collection,
// from 1; a star is the request as [postmanNote].edit changes it.
var postmanOrder = []struct{ title, requests string }{
	{"first step of a log-in, choices, second step", "1 7 8 9 10 3"},
	{"models", "11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 28* 29 32 33 34 35"},
	{"windows", "36 37 38 39 40 41 42 43 44 45 46 46* 47 48"},
	{"forms, processes, tasks", "49 50 51 52 53 54 55 56"},
	{"attachments, prints, a reference", "58 59 60 61 61* 58* 59* 60* 62 31 63 64 65"},
	{"info windows", "85 86 87 88 89"},
	{"workflow", "90 91 92 93 93* 94 94* 95 95* 96 96*"},
	{"status lines, charts, menu", "97 98 99 100 101 102 103"},
	{"orders", "104 105 106 107"},
	{"uploads", "108 109 110 111 112 113 114 115 108* 110* 111* 112* 114*"},
	{"batch, health, times", "116 117 118 119 120 121"},
	{"token key, refresh", "6 4"},
	{"administrator", "83 84 30 30* 68 69 70 71 72 57 73 74 75 76 77 79 78 80 82 81 66 67"},
	{"log-in in one step, log-out", "2 5"},
}

// postmanValues are the variables, beyond the address, that the collection uses
// and its environment lacks.
var postmanValues = map[string]string{
	"healthMonitoringKey": "secret", "dbStatusCheck": "true", "tableName": "C_BPartner", "locale": "es_CO", "nodeId": "local",
}

// postmanNote tells what is special about a request of the collection.
type postmanNote struct {
	// request is its method and path below /api/v1, without the query.
	request string
	// status is the status of the response, when it is not a success.
	status int
	// fails is part of the message with which the collection's own script fails.
	fails string
	// reason says why it is not meaningful as it stands.
	reason string
	// before is a script that runs first.
	before string
	// edit changes a copy, which must succeed; text says how.
	edit func(*postmanItem)
	text string
	// editedFails is what fails is, for the copy.
	editedFails string
}

const bareArrays = "The script of the collection reads a bare array; reference and contract say an object with a member, and so is the response. " +
	"The variable which it should set is set for the requests that use it."

const ownRecord = "The id is of a record in its author's database."

// lastOf is a script that sets a variable to a member of the last element of
// a list, as scripts of the collection try to.
func lastOf(path, list, member, variable string) string {
	return fmt.Sprintf("call('GET', %q, null, r => pm.environment.set(%q, (%s).at(-1)[%q]));", path, variable, list, member)
}

var postmanNotes = map[int]postmanNote{
	28: {
		request: "PUT models/c_tax/1000000", status: 404, reason: ownRecord + " In the sandbox it is a tax of another tenant.",
		before: `call('GET', "models/c_tax?$filter=Name eq 'MyGST'", null, r => pm.environment.set("newTax", r.records[0].id));`,
		edit:   func(i *postmanItem) { i.replace("1000000", "{{newTax}}") },
		text:   "with the tax that the request before creates",
	},
	30: {
		request: "PUT models/ad_user/100", status: 404, reason: ownRecord + " It is that of the image; the user is there. Only the System tenant may change the user, so the request runs with the administrator's log-in.",
		edit: func(i *postmanItem) { i.replace(`\"id\":5000074, //`, `//`) },
		text: "without the image's id, which creates the image",
	},
	46: {
		request: "DELETE windows/bank-cash/tabs/bank-account-document/1000001", status: 404, reason: ownRecord,
		before: `call('GET', "models/c_bankaccountdoc?$filter=Name eq 'My Check Book 2'", null, r => pm.environment.set("newDocument", r.records[0].id));`,
		edit:   func(i *postmanItem) { i.replace("1000001", "{{newDocument}}") },
		text:   "with the document that number 45 creates",
	},
	57: {
		request: "GET files",
		before:  `call('GET', "nodes/local/logs", null, r => { const f = r.logs.at(-1); pm.environment.set("logFileName", encodeURIComponent(f.fileName)); pm.environment.set("logFileLength", f.fileSize); });`,
	},
	58: {
		request: "GET models/c_order/1000022/attachments", status: 404, reason: ownRecord,
		edit: func(i *postmanItem) { i.replace("1000022", "100") }, text: "with order 100",
	},
	59: {
		request: "GET models/c_order/1000022/attachments/zip", status: 404, reason: ownRecord,
		edit: func(i *postmanItem) { i.replace("1000022", "100") }, text: "with order 100",
	},
	60: {
		request: "GET models/c_order/1000022/attachments/IDEMPIERE-3997.patch", status: 404, reason: ownRecord + " So is the file.",
		edit: func(i *postmanItem) { i.replace("1000022", "100"); i.replace("IDEMPIERE-3997", "IDEMPIERE-4018") },
		text: "with order 100 and the file that number 61 attaches",
	},
	61: {
		request: "POST models/c_order/1000022/attachments", status: 404, reason: ownRecord,
		edit: func(i *postmanItem) { i.replace("1000022", "100") }, text: "with order 100",
	},
	62: {
		request: "DELETE models/m_product/144/attachments",
		before:  `call('POST', "models/m_product/144/attachments", {name: "gnome.txt", data: "R25vbWU="}, () => {});`,
	},
	68: {request: "GET nodes", fails: "Cannot read properties of undefined", reason: bareArrays},
	70: {request: "GET nodes/local/logs", fails: "Cannot read properties of undefined", reason: bareArrays},
	71: {request: "GET nodes/local/logs/file", before: lastOf("nodes/local/logs", "r.logs", "fileName", "logFileName")},
	74: {request: "GET servers", fails: "Cannot read properties of undefined", reason: bareArrays},
	75: {request: "GET servers/{{serverId}}", before: lastOf("servers", "r.servers", "id", "serverId")},
	78: {request: "POST servers/reload", fails: "Cannot read properties of undefined", reason: bareArrays},
	85: {request: "GET infos", fails: "Cannot read properties of undefined", reason: bareArrays},
	86: {request: "GET infos/{{infoSlug}}", before: lastOf("infos", "r.infowindows", "slug", "infoSlug")},
	93: {
		request: "PUT workflow/reject/100", status: 400, reason: "The activity is the one that number 92 approves; nobody can act on it any more.",
		edit: func(i *postmanItem) { i.replace("100", "101") }, text: "with activity 101",
	},
	94: {
		request: "PUT workflow/forward/1000000", status: 404, reason: ownRecord + " In the sandbox it is an activity of another tenant.",
		edit: func(i *postmanItem) { i.replace("1000000", "105"); i.replace(`\"102\"`, `\"103\"`) },
		text: "with activity 105, forwarded to user 103: user 102 is no employee",
	},
	95: {
		request: "PUT workflow/acknowledge/1001203", status: 404, reason: ownRecord,
		edit: func(i *postmanItem) { i.replace("1001203", "105") }, text: "with activity 105",
	},
	96: {
		request: "PUT workflow/setuserchoice/1001223", status: 404, reason: ownRecord,
		edit: func(i *postmanItem) {
			i.replace("1001223", "104")
			i.replace("Setting a value using setuserchoice", "3")
		},
		text: "with activity 104 and a priority as value",
	},
	108: {
		request: "POST uploads",
		edit:    func(i *postmanItem) { i.checksum(`(\\"sha256\\": \\")[0-9a-f]{64}`, "whole") },
		text:    "with the checksum of the file that numbers 110* and 111* send",
	},
	110: {
		request: "PUT uploads/{{uploadId}}/chunks/1", status: 500, fails: "expected response to have status code 200", reason: postmanCloud,
		edit: func(i *postmanItem) { i.chunk(1) }, text: "with a made file of the same size and its checksum",
	},
	111: {
		request: "PUT uploads/{{uploadId}}/chunks/2", status: 500, fails: "expected response to have status code 200", reason: postmanCloud,
		edit: func(i *postmanItem) { i.chunk(2) }, text: "with a made file of the same size and its checksum",
	},
	112: {
		request: "GET uploads/{{uploadId}}/file", status: 400, fails: "expected response to have status code 200", reason: "The two chunks before have not arrived, so there is no file.",
		before: `const wait = n => call('GET', "uploads/" + pm.collectionVariables.get("uploadId"), null, r => { if (r.status === "PROCESSING" && n > 0) setTimeout(() => wait(n - 1), 50); }); wait(200);`,
		edit:   func(*postmanItem) {}, text: "once the chunks have arrived",
	},
	114: {
		request: "POST uploads/{{uploadId}}/copy", status: 400, fails: "expected response to have status code 202",
		reason: "The members of the body are empty, for its reader to fill.",
		edit: func(i *postmanItem) {
			i.replace(`\"copyLocation\": \"\"`, `\"copyLocation\": \"ATTACHMENT\"`)
			i.replace(`\"tableName\": \"\"`, `\"tableName\": \"C_Order\"`)
			i.replace(`\"recordId\": \"\"`, `\"recordId\": \"100\"`)
		},
		text:        "to the attachments of order 100. The collection expects 202, the contract knows 200 only, which is the response",
		editedFails: "expected response to have status code 202 but got 200",
	},
}

const postmanCloud = "The file lies in the cloud of Postman, where only its author reaches it; nothing is sent, and the server responds that the checksum does not match, which the reference has as 500."

// postmanTable is docs/postman.md's table of what the plan says.
func postmanTable() string {
	var b strings.Builder
	b.WriteString("| No. | Request | Response | Why | Also run, with success |\n|---|---|---|---|---|\n")
	for n := 1; n <= 121; n++ {
		note := postmanNotes[n]
		if note.reason == "" && note.edit == nil {
			continue
		}
		response := "success"
		if note.status != 0 {
			response = fmt.Sprint(note.status)
		}
		if note.fails != "" {
			response += "; its script fails"
		}
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %s |\n", n, note.request, response, note.reason, note.text)
	}
	return b.String()
}
