package erptest

import "net/http"

// binaryOut is what the attachment downloads produce.
const binaryOut = "application/octet-stream"

// modelRoutes are the operations on records, tables and their attachments.
func modelRoutes() []route {
	const (
		table  = "v1/models/{table}"
		record = table + "/{id}"
		files  = record + "/attachments"
	)
	return []route{
		{method: http.MethodGet, pattern: "v1/models", handle: listModels},
		{method: http.MethodGet, pattern: table + "/yaml", handle: modelYAML, produces: "application/yaml"},
		{method: http.MethodGet, pattern: table, handle: queryModel},
		{method: http.MethodPost, pattern: table, handle: createModel},
		{method: http.MethodGet, pattern: record, handle: getModel},
		{method: http.MethodPut, pattern: record, handle: updateModel},
		{method: http.MethodPatch, pattern: record, handle: updateModel, relaxed: true},
		{method: http.MethodDelete, pattern: record, handle: deleteModel},
		{method: http.MethodGet, pattern: record + "/{property}", handle: getProperty},
		{method: http.MethodGet, pattern: record + "/print", handle: printModel},
		{method: http.MethodGet, pattern: files, handle: listAttachments},
		{method: http.MethodPost, pattern: files, handle: addAttachment},
		{method: http.MethodDelete, pattern: files, handle: deleteAttachments},
		{method: http.MethodGet, pattern: files + "/zip", handle: attachmentsZip, produces: binaryOut},
		{method: http.MethodPost, pattern: files + "/zip", handle: addAttachmentsZip},
		{method: http.MethodGet, pattern: files + "/{file}", handle: getAttachment, produces: binaryOut},
		{method: http.MethodDelete, pattern: files + "/{file}", handle: deleteAttachment},
	}
}
