package erptest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func taskRoutes() []route {
	const one = "v1/tasks/{slug}"
	return []route{
		{method: http.MethodGet, pattern: "v1/tasks", handle: listTasks},
		{method: http.MethodGet, pattern: one, handle: getTask},
		{method: http.MethodPost, pattern: one, handle: runTask, consumes: "application/json"},
	}
}

var taskColumns = []string{"Name", "Description", "Help", "EntityType"}

// listTasks handles GET /tasks.
func listTasks(c *call) error {
	list, err := c.slugged("AD_Task", engine.KindTask, taskColumns, `"AD_Task"."Name", "AD_Task"."AD_Task_ID"`)
	if err != nil {
		return listError("task", err)
	}
	c.json(http.StatusOK, wire.NewObject("tasks", list))
	return nil
}

// getTask handles GET /tasks/{slug}.
func getTask(c *call) error {
	var response *wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		row, err := rd.findTask(ctx, c.param("slug"), false)
		if err != nil {
			return err
		}
		t, err := rd.tx.Table(ctx, "AD_Task")
		if err != nil {
			return err
		}
		records, err := rd.dictionaryObjects(ctx, t, []store.Row{row}, taskColumns)
		if err != nil {
			return err
		}
		response = records[0].object
		response.Set("slug", slug.Of(row.String("Name")))
		return nil
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// findTask is the active task with that slug, which the role must have access
// to, with the permission to run it if run says so.
func (rd *reader) findTask(ctx context.Context, slug string, run bool) (store.Row, error) {
	row, err := rd.findBySlug(ctx, "AD_Task", slug)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, fail(http.StatusNotFound, "Invalid task name", "No match found for task name: "+slug)
	}
	read, write, err := rd.c.session.ObjectAccess(ctx, rd.tx, engine.KindTask, row.Int("AD_Task_ID"))
	if err != nil {
		return nil, err
	}
	if !read || run && !write {
		return nil, fail(http.StatusForbidden, "Access denied", "Access denied for task: "+slug)
	}
	return row, nil
}

// runTask handles POST /tasks/{slug}. The real server hands the command to the
// operating system. This one never does: it knows a few harmless commands,
// whose output is made up, and says of any other that it was not found.
func runTask(c *call) error {
	var command string
	err := c.read(func(ctx context.Context, rd *reader) error {
		row, err := rd.findTask(ctx, c.param("slug"), true)
		command = row.String("OS_Command")
		return err
	})
	if err != nil {
		return readError(err)
	}
	exit, out, errOut := c.srv.builtin(strings.Fields(command))
	c.json(http.StatusOK, wire.NewObject("exitValue", exit, "stdOut", out, "stdErr", errOut))
	return nil
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
