package registry

import "context"

// Tables implements [Registry].
func (c *Cache) Tables(ctx context.Context, q ListQuery) (Listing[Table], error) {
	return c.Catalog().Tables(ctx, q)
}

// Table implements [Registry].
func (c *Cache) Table(ctx context.Context, name string, with ...Detail) (Table, error) {
	return c.Catalog().Table(ctx, name, with...)
}

// Columns implements [Registry].
func (c *Cache) Columns(ctx context.Context, table string, q ListQuery) (Listing[Column], error) {
	return c.Catalog().Columns(ctx, table, q)
}

// Element implements [Registry].
func (c *Cache) Element(ctx context.Context, name string) (Element, error) {
	return c.Catalog().Element(ctx, name)
}

// Windows implements [Registry].
func (c *Cache) Windows(ctx context.Context, q ListQuery) (Listing[Window], error) {
	return c.Catalog().Windows(ctx, q)
}

// Window implements [Registry].
func (c *Cache) Window(ctx context.Context, name string, with ...Detail) (Window, error) {
	return c.Catalog().Window(ctx, name, with...)
}

// Processes implements [Registry].
func (c *Cache) Processes(ctx context.Context, q ListQuery) (Listing[Process], error) {
	return c.Catalog().Processes(ctx, q)
}

// Process implements [Registry].
func (c *Cache) Process(ctx context.Context, name string, with ...Detail) (Process, error) {
	return c.Catalog().Process(ctx, name, with...)
}

// References implements [Registry].
func (c *Cache) References(ctx context.Context, q ListQuery) (Listing[Reference], error) {
	return c.Catalog().References(ctx, q)
}

// Reference implements [Registry].
func (c *Cache) Reference(ctx context.Context, name string, with ...Detail) (Reference, error) {
	return c.Catalog().Reference(ctx, name, with...)
}

// Search implements [Registry].
func (c *Cache) Search(ctx context.Context, q SearchQuery) (SearchResult, error) {
	return c.Catalog().Search(ctx, q)
}

// Statistics implements [Registry].
func (c *Cache) Statistics(ctx context.Context) (Statistics, error) {
	s, err := c.Catalog().Statistics(ctx)
	s.Loaded = *c.checked.Load()
	return s, err
}
