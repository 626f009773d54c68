package erptest

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func nodesRoutes() []route {
	const node = "v1/nodes/{id}"
	return []route{
		{method: http.MethodGet, pattern: "v1/nodes", handle: administering((*call).mustAdminister, "get nodes", listNodes)},
		{method: http.MethodGet, pattern: node, handle: administering((*call).node, "get node info", getNode)},
		{method: http.MethodGet, pattern: node + "/logs", handle: administering((*call).node, "get node logs", listNodeLogs)},
		{method: http.MethodDelete, pattern: node + "/logs", handle: administering((*call).node, "delete logs", deleteNodeLogs)},
		{method: http.MethodPost, pattern: node + "/logs/rotate", handle: administering((*call).node, "rotate log", rotateNodeLog)},
		{method: http.MethodPut, pattern: node + "/logs/level/{level}", handle: setNodeLogLevel},
		{method: http.MethodGet, pattern: node + "/logs/file", handle: nodeLogByQuery, produces: downloads},
		// The published contract has this path, the real server does not.
		{method: http.MethodGet, pattern: node + "/logs/{file}", handle: nodeLogByPath, produces: downloads, relaxed: true},
	}
}

// localNode is the id by which every server knows itself.
const localNode = "local"

// nodeState is what the server remembers of itself.
type nodeState struct {
	started time.Time // by the server's clock

	mu   sync.Mutex // guards peak
	peak int        // the most goroutines that were seen
}

func (n *nodeState) threads() (count, peak int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	count = runtime.NumGoroutine()
	n.peak = max(n.peak, count)
	return count, n.peak
}

// hostName is the machine's name.
func hostName() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "localhost"
}

// node lets administrators through to the node in the path; what is the request
// as the refusal names it.
func (c *call) node(what string) error {
	if err := c.mustAdminister(what); err != nil {
		return err
	}
	if id := c.param("id"); id != localNode {
		return fail(http.StatusNotFound, "Invalid Node Id", "No match found for node id: "+id)
	}
	return nil
}

// administering is a handler that responds to those whom guard lets through; what is
// the request as the refusal names it.
func administering(guard func(c *call, what string) error, what string, respond func(c *call) any) handler {
	return func(c *call) error {
		if err := guard(c, what); err != nil {
			return err
		}
		c.json(http.StatusOK, respond(c))
		return nil
	}
}

// listNodes handles GET /nodes as a server without cluster does: with one
// object that is not a list.
func listNodes(c *call) any {
	return wire.NewObject("id", localNode, "name", hostName())
}

// getNode handles GET /nodes/{id}. What the real server tells of the Java
// runtime, this one tells of Go's: threads are goroutines.
func getNode(c *call) any {
	sessions := 0
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		t, err := tx.Table(c.ctx(), "AD_Session")
		if err != nil {
			return err
		}
		sessions, err = tx.Count(c.ctx(), t, "Processed='N' AND IsActive='Y'")
		return err
	})
	status := "Connected"
	if err != nil {
		c.srv.log.Warn("counting sessions", "error", err)
		status = "Not connected"
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	database := "sqlite:memory"
	if p := c.srv.erp.DB.Path(); p != "" {
		database = "sqlite:file"
	}
	threads, peak := c.srv.node.threads()
	return wire.NewObject(
		"id", localNode, "hostName", hostName(), "home", serverHome,
		"os", runtime.GOOS+" "+runtime.GOARCH, "jvm", "none ("+runtime.Version()+")",
		"databaseDescription", "SQLite", "databaseConnectionURL", database, "databaseStatus", status,
		"availableProcessors", runtime.GOMAXPROCS(0),
		"averageSystemLoad", -1, // what Java tells where the load is not known
		"memoryUsage", megabytes(mem.Sys), "heapMemoryUsage", megabytes(mem.HeapInuse),
		"runtime", "erptest, an ERP for tests", "runtimeUptime", c.srv.now().Sub(c.srv.node.started).Truncate(time.Millisecond).String(),
		"threadCount", threads, "peakThreadCount", peak, "daemonThreadCount", threads-1,
		"totalStartedThreadCount", max(goroutinesCreated(), peak),
		"logLevel", c.srv.events.levelName(), "currentLogFile", c.srv.events.current(), "sessionCount", sessions,
		"garbageCollectionCount", mem.NumGC, "garbageCollectionTime", mem.PauseTotalNs/uint64(time.Millisecond))
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1fM", float64(n)/(1<<20)) }

// goroutinesCreated counts those that were ever started; 0 when the runtime
// does not tell.
func goroutinesCreated() int {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int(sample[0].Value.Uint64()) //nolint:gosec // a count of goroutines
}

// listNodeLogs handles GET /nodes/{id}/logs.
func listNodeLogs(c *call) any {
	paths, sizes := c.srv.events.sizes()
	list := make([]*wire.Object, 0, len(paths))
	for i := range paths {
		list = append(list, wire.NewObject("fileName", paths[i], "fileSize", sizes[i]))
	}
	return wire.NewObject("logs", list)
}

// deleteNodeLogs handles DELETE /nodes/{id}/logs; the file in use stays.
func deleteNodeLogs(c *call) any {
	c.srv.events.clean()
	return wire.NewObject("currentLogFile", c.srv.events.current())
}

// rotateNodeLog handles POST /nodes/{id}/logs/rotate.
func rotateNodeLog(c *call) any {
	c.srv.events.rotate()
	return wire.NewObject("currentLogFile", c.srv.events.current())
}

// setNodeLogLevel handles PUT /nodes/{id}/logs/level/{level}. (The real server
// without a cluster fails here in every case.)
func setNodeLogLevel(c *call) error {
	if err := c.mustAdminister("set log level"); err != nil {
		return err
	}
	level := strings.ToUpper(c.param("level"))
	switch _, known := logLevels[level]; {
	case strings.TrimSpace(level) == "":
		return fail(http.StatusBadRequest, "No Log Level", "No log level parameter")
	case !known:
		return fail(http.StatusBadRequest, "Invalid Log Level", "Invalid log level parameter: "+c.param("level"))
	}
	if err := c.node("set log level"); err != nil {
		return err
	}
	c.srv.events.setLevel(level)
	c.srv.events.Info("log level changed", "to", level)
	c.json(http.StatusOK, wire.NewObject("logLevel", level))
	return nil
}

// nodeLogByQuery handles GET /nodes/{id}/logs/file, whatever the id, as a server
// without a cluster does.
func nodeLogByQuery(c *call) error {
	if err := c.mustAdminister("get node log file"); err != nil {
		return err
	}
	if !c.query.has("fileName") {
		return page(http.StatusInternalServerError)
	}
	return c.sendLog(c.query.get("fileName"))
}

// nodeLogByPath handles GET /nodes/{id}/logs/{file}.
func nodeLogByPath(c *call) error {
	if err := c.node("get node log file"); err != nil {
		return err
	}
	return c.sendLog(c.param("file"))
}

// sendLog sends a file, which unless the server is strict may be named without the
// folder of the logs.
func (c *call) sendLog(name string) error {
	full := name
	if !strings.Contains(name, "/") && !c.srv.opts.Strict {
		full = logFolder + "/" + name
	}
	data, err := c.srv.readFile(full, name)
	if err != nil {
		return err
	}
	c.download(downloadType(name), data)
	return nil
}
