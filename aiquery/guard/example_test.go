package guard_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/erphub/erphub/aiquery/guard"
)

// A role sees orders of one tenant and not who placed them.
func Example() {
	policy := &guard.Policy{
		Schema: "adempiere",
		Tables: map[string]*guard.Table{"c_order": {
			Name:       "C_Order",
			Columns:    []guard.Column{{Name: "c_order_id", Type: "numeric"}, {Name: "documentno", Type: "varchar"}, {Name: "email", Type: "varchar", Redacted: true}},
			Key:        []string{"c_order_id"},
			Conditions: []guard.Condition{{Column: "ad_client_id", IDs: []int64{11}}},
		}},
	}
	g := guard.New(nil)
	ctx := context.Background()

	plan, err := g.Secure(ctx, policy, "SELECT documentno, email FROM c_order ORDER BY documentno", 0, 10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Tables, plan.Columns[1].Redacted)
	fmt.Println(plan.SQL) // what the database gets; the caller's text never does

	_, err = g.Secure(ctx, policy, "SELECT * FROM ad_user", 0, 10)
	var refused *guard.Refusal
	if errors.As(err, &refused) {
		fmt.Println(refused.Kind, "at", refused.Position)
	}
	// Output:
	// [C_Order] true
	// SELECT * FROM (SELECT documentno, email FROM (SELECT s.c_order_id AS c_order_id, s.documentno AS documentno, '***'::pg_catalog.text AS email FROM adempiere.c_order s WHERE s.ad_client_id IN (11)) c_order ORDER BY documentno, c_order.c_order_id) q LIMIT 11
	// permission denied at 15
}
