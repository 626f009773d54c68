package tools

import (
	"slices"

	"github.com/erphub/erphub/mcp"
)

// The tool sets.
const (
	SetRegistry  = "registry"  // the dictionary
	SetQuery     = "query"     // read data: SQL under a role, records
	SetTable     = "table"     // make and change tables
	SetGenerator = "generator" // plugin sources
	SetDoctor    = "doctor"    // is everything set up
	SetRecords   = "records"   // make and change records
	SetDeploy    = "deploy"    // the deployment log
	SetChat      = "chat"      // what a chat agent needs
	SetOwn       = "own"       // queries of the operator's
	SetAccess    = "access"    // who one is, and who may do what
	SetMetrics   = "metrics"   // numbers with a definition, and sums without SQL
	SetSpec      = "spec"      // the tools of the service's specification, and no other
)

// toolsets say what the tool sets are for, those that are for many first.
var toolsets = []struct{ name, about string }{
	{SetRegistry, "look up tables, columns, windows, processes and lists"},
	{SetQuery, "read data: SQL with the permissions of a role, and records by filter"},
	{SetMetrics, "figures with a definition, and sums without SQL"},
	{SetRecords, "create, change and delete records, process documents, run processes"},
	{SetTable, "create and change tables of the dictionary, with a role of the System tenant"},
	{SetAccess, "who the caller is, who may do what, and what other tools there are"},
	{SetDeploy, "the log of builds and deployments"},
	{SetGenerator, "generate the sources of plugins"},
	{SetDoctor, "examine the environment, the connections and the configuration"},
	{SetChat, "what a chat agent inside the ERP needs; most of it is in other sets, too"},
	{SetSpec, "the tools of the service's specification, no more and no fewer; all are in other sets, too"},
	{SetOwn, "queries of the operator's own"},
}

// DefaultSets are the sets that a caller gets who names none. Those of a tenant's user
// ask about their business and keep its records; tables, plugins and the server itself
// are the affair of the System tenant, whose roles alone may change the dictionary
// and see no business data. A caller who is not known may be either.
func DefaultSets(c mcp.Caller) []string {
	system := []string{SetRegistry, SetQuery, SetTable, SetGenerator, SetDoctor, SetAccess, SetOwn}
	tenant := []string{SetMetrics, SetQuery, SetRecords, SetAccess, SetOwn}
	switch {
	case !c.Known:
		return slices.Concat(system, tenant)
	case c.ClientID == systemTenant:
		return system
	}
	return tenant
}

// systemTenant is the number of the tenant that the dictionary belongs to.
const systemTenant = 0

// specified are the tools of the set spec.
var specified = []string{
	"listTables", "describeTable", "listColumns", "listWindows", "listProcesses", "listReferences", "searchRegistry", "getStatistics",
	"executeQuery", "explainQuery", "getQueryTemplates",
	"createTable", "syncTable", "listTablesByEntity", "deleteTable", "getColumnPrefixHelp",
	"listGenerators", "getGeneratorInfo", "generatePlugin", "generateModel", "generateProcess", "generateCallout", "runGenerator",
	"checkEnvironment", "checkApi", "checkDatabase", "getConfigStatus",
}
