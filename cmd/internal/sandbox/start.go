package sandbox

import (
	"net/http"
	"strconv"

	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/cmd/internal/startpage"
	"github.com/erphub/erphub/erp/erptest/twin"
	genapi "github.com/erphub/erphub/generator/httpapi"
)

// restrictedUser is the login without a profile: it sees less than GardenAdmin.
var restrictedUser = sandboxLogin{"", "GardenUser", "GardenUser", "11", "103", "11", "a part of GardenWorld"}

// startPage is what a browser shows at the address of a sandbox. The users of a twin
// are those of its ERP, and their password is in no file.
func startPage(url string, info *twin.Info) http.Handler {
	page := startpage.Page{
		Title: "An embedded ERP", URL: url,
		About: "This is a sandbox of erphub: the REST API of an ERP of the iDempiere family, with its dictionary and data. " +
			"Programs, the command line and assistants talk to it at this address; here you look at what it holds.",
		Talk: talkToIt(url),
		Links: []startpage.Link{
			{Path: "/api/v1/health", About: "whether it is up"},
			{Path: "erp/contract/current/openapi.yaml", About: "in the repository: the contract of the ERP's API at /api/v1"},
			{Path: httpapi.Prefix + "/openapi.yaml", About: "the contract of the AI API: SELECT statements under a role, and what tables are"},
			{Path: genapi.GeneratePrefix + "/openapi.yaml", About: "the contract of the generator of plugins"},
			{Path: "erphub server api", About: "serves the deployment board and metrics beside it, with --profile system, after erphub env deploy install"},
			{Path: "erphub mcp config --client claude-code --url " + url, About: "prints what an assistant needs; --client names others"},
		},
	}
	if info != nil {
		page.Talk = talkToTwin(url, info)
		for _, l := range info.Report.Logins {
			page.Users = append(page.Users, startpage.User{Name: l.User, Client: strconv.FormatInt(l.Client, 10), Role: strconv.FormatInt(l.Role, 10), About: "what this role of the ERP sees"})
		}
		return startpage.Handler(page)
	}
	for _, l := range append(sandboxLogins[:len(sandboxLogins):len(sandboxLogins)], restrictedUser) {
		page.Users = append(page.Users, startpage.User{Name: l.username, Password: l.password, Client: l.client, Role: l.role, Org: l.org, About: l.about})
	}
	return startpage.Handler(page)
}
