package erptest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func taskRoutes() []route {
	const one = "v1/tasks/{slug}"
	return []route{
		{method: http.MethodGet, pattern: one, handle: reading(readError, getTask)},
		{method: http.MethodPost, pattern: one, handle: reading(readError, runTask), consumes: "application/json"},
	}
}

var taskColumns = []string{"Name", "Description", "Help", "EntityType"}

// getTask handles GET /tasks/{slug}.
func getTask(ctx context.Context, rd *reader) (any, error) {
	row, err := rd.findObject(ctx, engine.KindTask, "task", rd.c.param("slug"), false)
	if err != nil {
		return nil, err
	}
	return rd.objectOf(ctx, "AD_Task", row, taskColumns, "Name")
}

// runTask handles POST /tasks/{slug}. The real server hands the command to the
// operating system. This one never does: it knows a few harmless commands,
// whose output is made up, and says of any other that it was not found.
func runTask(ctx context.Context, rd *reader) (any, error) {
	row, err := rd.findObject(ctx, engine.KindTask, "task", rd.c.param("slug"), true)
	if err != nil {
		return nil, err
	}
	exit, out, errOut := rd.c.srv.builtin(strings.Fields(row.String("OS_Command")))
	return wire.NewObject("exitValue", exit, "stdOut", out, "stdErr", errOut), nil
}

// builtin runs a command from the server's own knowledge: echo, date, df,
// hostname, java -version, true and false. Anything else ends as in a shell that
// does not find it.
func (s *Server) builtin(words []string) (exit int, out, errOut string) {
	name := ""
	if len(words) > 0 {
		name = words[0]
	}
	switch name {
	case "echo":
		return 0, strings.Join(words[1:], " ") + "\n", ""
	case "date":
		return 0, s.now().In(s.opts.Location).Format(time.UnixDate) + "\n", ""
	case "df":
		return 0, "Filesystem      Size  Used Avail Use% Mounted on\nerptest         100G   40G   60G  40% /\n", ""
	case "hostname":
		return 0, "erptest\n", ""
	case "java":
		return 0, "", "openjdk version \"17.0.0\" (embedded ERP, no Java is installed)\n"
	case "true":
		return 0, "", ""
	case "false":
		return 1, "", ""
	}
	return 127, "", name + ": command not found; the embedded ERP runs no commands of the operating system\n"
}
