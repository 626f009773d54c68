package erptest

import (
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func cachesRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: "v1/caches", handle: administering((*call).mustAdminister, "get caches", listCaches)},
		{method: http.MethodDelete, pattern: "v1/caches", handle: resetCaches},
	}
}

// cache is one cache of the server.
type cache struct {
	name, table     string
	size            int
	minutes, max    int
	reset           func(id int64) int
	wholeDictionary bool // reset by forgetting the dictionary
}

// caches are the server's caches: the dictionary's, the roles', and those of
// records.
func (s *Server) caches() []cache {
	tables, references := s.erp.DB.DictionarySize()
	roles, resources := s.erp.Roles.Size(), s.resources.size()
	forget := func(n int) func(int64) int {
		return func(int64) int {
			s.erp.Roles.Forget()
			s.resources.forget()
			return n
		}
	}
	list := []cache{
		{name: "AD_Table", table: "AD_Table", size: tables, wholeDictionary: true},
		{name: "AD_Reference", table: "AD_Reference", size: references, wholeDictionary: true},
		{name: "AD_Role", table: "AD_Role", size: roles, max: engine.MaxCachedRoles, reset: forget(roles)},
		{name: "REST_Resource", table: "REST_Resource", size: resources, reset: forget(resources)},
	}
	now := s.now()
	for _, name := range engine.RecordCacheTables {
		list = append(list, cache{
			name: name, table: name, size: s.erp.Records.Size(name, now), minutes: engine.RecordCacheMinutes, max: engine.RecordCacheSize,
			reset: func(id int64) int { return s.erp.Records.Reset(name, id) },
		})
	}
	return list
}

// listCaches handles GET /caches.
func listCaches(c *call) any {
	table, name := c.query.get("table_name"), c.query.get("name")
	list := []*wire.Object{}
	for _, one := range c.srv.caches() {
		if c.query.has("table_name") && one.table != table || c.query.has("name") && one.name != name {
			continue
		}
		list = append(list, wire.NewObject("name", one.name, "tableName", one.table, "size", one.size,
			"expireMinutes", one.minutes, "maxSize", one.max, "distributed", false))
	}
	return wire.NewObject("caches", list)
}

// resetCaches handles DELETE /caches, for those who may run Cache Reset.
func resetCaches(c *call) error {
	table := c.query.get("table_name")
	var id int64
	if text := c.query.get("record_id"); text != "" {
		var err error
		if id, err = strconv.ParseInt(text, 10, 32); err != nil {
			return page(http.StatusNotFound)
		}
	}
	if err := c.mayResetCaches(); err != nil {
		return orTitled("Server error", err)
	}
	entries, dictionary := 0, false
	for _, one := range c.srv.caches() {
		switch {
		case c.query.has("table_name") && one.table != table:
		case one.wholeDictionary:
			dictionary = true
			entries += one.size
		default:
			if table == "" {
				id = 0 // a record is one of a table
			}
			entries += one.reset(id)
		}
	}
	if dictionary {
		err := c.update(c.ctx(), func(tx *store.Tx) error {
			tx.DictionaryChanged()
			return nil
		})
		if err != nil {
			return orTitled("Server error", err)
		}
	}
	c.srv.events.Info("caches reset", "table", table, "record", id, "entries", entries)
	c.json(http.StatusOK, wire.NewObject("entriesReset", entries))
	return nil
}

// mayResetCaches refuses roles without access to the process Cache Reset.
func (c *call) mayResetCaches() error {
	return c.view(c.ctx(), func(tx *store.Tx) error {
		rows, err := engine.RowsWhere(c.ctx(), tx, "AD_Process", "AD_Process_ID", "IsActive='Y' AND Classname LIKE '%.CacheReset'")
		if err != nil {
			return err
		}
		for _, row := range rows {
			if _, run, err := c.session.ProcessAccess(c.ctx(), tx, row.Int("AD_Process_ID")); err != nil || run {
				return err
			}
		}
		return fail(http.StatusForbidden, "Access denied", "Access denied for cache reset request")
	})
}
