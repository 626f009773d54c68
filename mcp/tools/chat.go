package tools

import "github.com/erphub/erphub/mcp"

// chatTools are those of the chat set that no other set has as well.
func (b *Toolbox) chatTools() mcp.Set {
	return mcp.Set{
		b.searchRecords(), b.getRecord(), b.executeProcess(), b.listServerJobs(), b.getServerJob(), b.toggleServerJob(),
		b.searchKnowledge(), b.checkHealth(), b.getBackendStatus(),
	}
}
