package erptest

import "net/http"

func listAttachments(_ *call) error   { return page(http.StatusServiceUnavailable) }
func addAttachment(_ *call) error     { return page(http.StatusServiceUnavailable) }
func deleteAttachments(_ *call) error { return page(http.StatusServiceUnavailable) }
func attachmentsZip(_ *call) error    { return page(http.StatusServiceUnavailable) }
func addAttachmentsZip(_ *call) error { return page(http.StatusServiceUnavailable) }
func getAttachment(_ *call) error     { return page(http.StatusServiceUnavailable) }
func deleteAttachment(_ *call) error  { return page(http.StatusServiceUnavailable) }
