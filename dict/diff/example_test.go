package diff_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

// What an ERP lacks of a definition, and the plan that brings it there.
func Example() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	database := srv.Database()
	defer database.Close()
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	if err != nil {
		log.Fatal(err)
	}
	dictionary, err := registry.LoadCatalog(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	remark := dict.NewTable("XX_Remark").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeText})
	result, err := diff.Compare(ctx, dictionary, nil, remark)
	if err != nil {
		log.Fatal(err)
	}
	if err := result.WriteText(os.Stdout); err != nil {
		log.Fatal(err)
	}
	plan, err := diff.NewPlan(result, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(plan.Steps()), "steps")
	// Output:
	// # XX_Remark
	//   + table XX_Remark  access Client+Organization, 10 columns
	//   + column XX_Remark.XX_Remark_ID  ID, key, mandatory
	//   + column XX_Remark.XX_Remark_UU  UUID, mandatory
	//   + column XX_Remark.AD_Client_ID  Table Direct, mandatory, default @#AD_Client_ID@
	//   + column XX_Remark.AD_Org_ID  Table Direct, mandatory, default @AD_Org_ID@
	//   + column XX_Remark.IsActive  Yes-No, mandatory, default Y
	//   + column XX_Remark.Created  Date+Time, mandatory, default SYSDATE
	//   + column XX_Remark.CreatedBy  Table, mandatory
	//   + column XX_Remark.Updated  Date+Time, mandatory, default SYSDATE
	//   + column XX_Remark.UpdatedBy  Table, mandatory
	//   + column XX_Remark.XX_Text  Text
	//
	// Plan: 11 to add, 0 to change, 0 to remove.
	// 22 steps
}
