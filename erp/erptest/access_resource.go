package erptest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// maxResourcePattern bounds the expression of a REST_Resource.
const maxResourcePattern = 1000

// resource is one REST_Resource with the methods each role may use on it.
type resource struct {
	path    *regexp.Regexp
	methods map[int64][]string // by AD_Role_ID
}

// RestrictPath makes a rule of the REST resource access list: paths that match
// the regular expression as a whole, such as "v1/models/C_Order.*", are from
// now on open only to roles that are allowed the method; further rules for the
// same path add to what is allowed. Without a method the role is allowed
// nothing, which closes the path to everybody not allowed by another rule.
// Paths below v1/auth/ are never restricted.
func (s *Server) RestrictPath(ctx context.Context, pattern string, roleID int64, methods ...string) error {
	if len(pattern) > maxResourcePattern {
		return fmt.Errorf("restricting a path: the expression has %d characters, at most %d are allowed", len(pattern), maxResourcePattern)
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return fmt.Errorf("restricting a path: %w", err)
	}
	err := s.erp.DB.Update(ctx, func(tx *store.Tx) error {
		res, err := tx.Exec(ctx, `INSERT INTO REST_Resource(Pattern) VALUES(?)`, pattern)
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO REST_Resource_Access(REST_Resource_ID, AD_Role_ID, Methods) VALUES(?,?,?)`,
			id, roleID, strings.ToUpper(strings.Join(methods, ",")))
		tx.Changed("REST_Resource")
		return err
	})
	if err != nil {
		return fmt.Errorf("restricting a path: %w", err)
	}
	return nil
}

// checkResource refuses a path that the access list closes to the role. A path
// that no rule matches is open.
func (c *call) checkResource(ctx context.Context, tx *store.Tx) error {
	path := strings.TrimPrefix(c.r.URL.Path, "/api/")
	if strings.HasPrefix(path, "v1/auth/") || c.session.Role == nil {
		return nil
	}
	resources, err := c.srv.resources.get(ctx, tx)
	if err != nil || len(resources) == 0 {
		return err
	}
	if c.session.Sysconfig(ctx, tx, "REST_RESOURCE_ACCESS_CONTROL", "Y") != "Y" {
		return nil
	}
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	matched := false
	for _, r := range resources {
		if !r.path.MatchString(path) {
			continue
		}
		matched = true
		if slices.Contains(r.methods[c.session.RoleID], method) {
			return nil
		}
	}
	if matched {
		return page(http.StatusUnauthorized)
	}
	return nil
}

// resourceCache keeps the rules of the access list until what roles are made of
// changes, which they count as. The zero value is empty.
type resourceCache struct {
	mu     sync.Mutex // guards the fields below
	since  uint64     // the commit that last changed what the rules are made of
	rules  []*resource
	loaded bool
}

// changed gets the tables that a commit wrote to.
func (rc *resourceCache) changed(commit uint64, tables map[string]bool) {
	if engine.ChangesRoles(tables) {
		rc.mu.Lock()
		defer rc.mu.Unlock()
		rc.since, rc.rules, rc.loaded = commit, nil, false
	}
}

// size tells how many rules are in the cache.
func (rc *resourceCache) size() int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return len(rc.rules)
}

// forget empties the cache.
func (rc *resourceCache) forget() {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.rules, rc.loaded = nil, false
}

// get are the rules of the access list. A transaction that writes sees them as
// they were when it began; it cannot change them.
func (rc *resourceCache) get(ctx context.Context, tx *store.Tx) ([]*resource, error) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.loaded && tx.Commit() >= rc.since {
		return rc.rules, nil
	}
	list, err := loadResources(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("reading the resource access list: %w", err)
	}
	if !tx.Writing() && tx.Commit() >= rc.since {
		rc.rules, rc.loaded = list, true
	}
	return list, nil
}

func loadResources(ctx context.Context, tx *store.Tx) (list []*resource, err error) {
	rows, err := tx.Query(ctx, `SELECT r.REST_Resource_ID, r.Pattern, COALESCE(a.AD_Role_ID,-1), COALESCE(a.Methods,'')
		FROM REST_Resource r LEFT JOIN REST_Resource_Access a ON a.REST_Resource_ID=r.REST_Resource_ID AND a.IsActive='Y'
		WHERE r.IsActive='Y' ORDER BY r.REST_Resource_ID`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	last := int64(-1)
	for rows.Next() {
		var id, roleID int64
		var pattern, methods string
		if err := rows.Scan(&id, &pattern, &roleID, &methods); err != nil {
			return nil, err
		}
		if id != last {
			re, err := regexp.Compile(`^(?:` + pattern + `)$`)
			if err != nil || len(pattern) > maxResourcePattern {
				return nil, fmt.Errorf("REST_Resource %d: %w", id, errors.Join(errors.New("not a usable expression"), err))
			}
			list = append(list, &resource{path: re, methods: map[int64][]string{}})
			last = id
		}
		r := list[len(list)-1]
		r.methods[roleID] = append(r.methods[roleID], strings.Split(methods, ",")...)
	}
	return list, rows.Err()
}
