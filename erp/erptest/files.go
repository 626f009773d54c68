package erptest

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
)

// Folders of the file system the server pretends to have. Nothing of it is on
// the machine's disk.
const (
	serverHome = "/opt/idempiere-server"
	logFolder  = serverHome + "/log"
)

// unreadableFiles exist on the server, outside of the folders files may be
// fetched from.
var unreadableFiles = []string{"/etc/passwd", serverHome + "/idempiere.properties", serverHome + "/idempiereEnv.properties"}

// downloads are the media types of the routes that send files.
const downloads = "application/octet-stream,text/html,text/plain"

func filesRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/files", handle: downloadFile, produces: downloads}}
}

// mustAdminister refuses everybody but administrators.
func (c *call) mustAdminister(what string) error {
	if c.session.IsAdministrator() {
		return nil
	}
	return fail(http.StatusForbidden, "Access denied", "Access denied for "+what+" request")
}

// downloadFile handles GET /files: a file that a process left in the temporary
// folder, or a log file. A process tells the name of its file without the
// folder; unless the server is strict that will do.
func downloadFile(c *call) error {
	if err := c.mustAdminister("get file"); err != nil {
		return err
	}
	var length int64
	if text := c.query.get("length"); text != "" {
		var err error
		if length, err = strconv.ParseInt(text, 10, 64); err != nil {
			return page(http.StatusNotFound)
		}
	}
	// Without a cluster the real server does not look at node_id.
	if !c.query.has("fileName") {
		return page(http.StatusInternalServerError)
	}
	name := c.query.get("fileName")
	full := name
	if !strings.Contains(name, "/") && !c.srv.opts.Strict {
		full = engine.TempFolder + "/" + name
	}
	data, err := c.srv.readFile(full, name)
	if err != nil {
		return err
	}
	if int64(len(data)) != length {
		return fail(http.StatusForbidden, "Access denied", "Access denied for file: "+name)
	}
	c.download(downloadType(name), data)
	return nil
}

// downloadType is the media type a file is sent as, by its name.
func downloadType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return "text/html"
	case ".csv", ".ssv", ".log":
		return "text/plain"
	}
	return engine.MediaType(name)
}

// readFile reads a file of the pretended file system; messages name it as the
// caller did.
func (s *Server) readFile(full, name string) ([]byte, error) {
	missing := fail(http.StatusNotFound, "File not found", "File not found: "+name)
	if !path.IsAbs(full) {
		return nil, missing
	}
	clean := path.Clean(full)
	if slices.Contains(unreadableFiles, clean) {
		return nil, fail(http.StatusForbidden, "File not readable", "File not readable: "+name)
	}
	if file, ok := strings.CutPrefix(clean, logFolder+"/"); ok {
		if data, ok := s.events.read(file); ok {
			return data, nil
		}
		return nil, missing
	}
	if data, ok := s.erp.Files.Get(clean); ok {
		return data, nil
	}
	return nil, missing
}
