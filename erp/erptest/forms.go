package erptest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func formRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/forms", handle: listForms}}
}

// listForms handles GET /forms, by id.
func listForms(c *call) error {
	list, err := c.slugged("AD_Form", engine.KindForm, []string{"Name", "Description", "Help", "Classname", "EntityType"}, `"AD_Form"."AD_Form_ID"`)
	if err != nil {
		return listError("forms", err)
	}
	c.w.Header().Set("X-Row-Count", strconv.Itoa(len(list)))
	c.json(http.StatusOK, wire.NewObject("forms", list))
	return nil
}

// slugged lists what the role may open of a kind, each with its slug.
func (c *call) slugged(table string, kind engine.ObjectKind, columns []string, orderBy string) (list []*wire.Object, err error) {
	err = c.read(func(ctx context.Context, rd *reader) error {
		records, err := rd.dictionary(ctx, dictionaryQuery{
			table: table, columns: columns, filter: c.query.get("$filter"), orderBy: orderBy, access: kind,
		})
		for _, r := range records {
			r.object.Set("slug", slug.Of(r.row.String("Name")))
		}
		list = objectsOf(records)
		return err
	})
	return list, err
}
