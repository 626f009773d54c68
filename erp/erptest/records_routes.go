package erptest

import "net/http"

// binaryOut is what the attachment downloads produce.
const binaryOut = "application/octet-stream"

// recordRoutes are the operations on records, through tables and through views.
func recordRoutes() []route {
	routes := []route{
		{method: http.MethodGet, pattern: "v1/models", handle: reading(readError, listModels)},
	}
	for _, records := range []string{"v1/models/{table}", "v1/views/{view}"} {
		record := records + "/{id}"
		files := record + "/attachments"
		routes = append(routes,
			route{method: http.MethodGet, pattern: records + "/yaml", handle: describeRecords, produces: "application/yaml"},
			route{method: http.MethodGet, pattern: records, handle: queryRecords},
			route{method: http.MethodPost, pattern: records, handle: createRecord},
			route{method: http.MethodGet, pattern: record, handle: reading(readError, getRecord)},
			route{method: http.MethodPut, pattern: record, handle: updateRecord},
			route{method: http.MethodPatch, pattern: record, handle: updateRecord, relaxed: true},
			route{method: http.MethodDelete, pattern: record, handle: deleteRecord},
			route{method: http.MethodGet, pattern: record + "/{property}", handle: reading(readError, getProperty)},
			route{method: http.MethodGet, pattern: record + "/print", handle: printModel},
			route{method: http.MethodGet, pattern: record + "/archives", handle: listArchives},
			route{method: http.MethodGet, pattern: record + "/archives/{archiveId}", handle: getArchive, produces: binaryOut},
			route{method: http.MethodGet, pattern: files, handle: listAttachments},
			route{method: http.MethodPost, pattern: files, handle: addAttachment},
			route{method: http.MethodDelete, pattern: files, handle: deleteAttachments},
			route{method: http.MethodGet, pattern: files + "/zip", handle: attachmentsZip, produces: binaryOut},
			route{method: http.MethodPost, pattern: files + "/zip", handle: addAttachmentsZip},
			route{method: http.MethodGet, pattern: files + "/{file}", handle: getAttachment, produces: binaryOut},
			route{method: http.MethodDelete, pattern: files + "/{file}", handle: deleteAttachment},
		)
	}
	return routes
}
