package tools

import (
	"slices"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// chatTools are those of the chat set that the registry and query tools are not
// among.
func (b *Toolbox) chatTools() mcp.Set {
	knowledge := mcp.Set{b.searchKnowledge()}
	if b.knowledge == nil { // it searches the dictionary alone
		knowledge = needs[backend.Registrar](b, knowledge...)
	}
	return slices.Concat(
		needs[backend.Recorder](b, b.searchRecords(), b.getRecord()),
		needs[backend.Processor](b, b.executeProcess()),
		needs[backend.Jobber](b, b.listServerJobs(), b.getServerJob(), b.toggleServerJob()),
		knowledge, mcp.Set{b.checkHealth(), b.getBackendStatus()},
	)
}
