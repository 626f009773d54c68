package ddl_test

import (
	"fmt"
	"log"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
)

func ExampleStatements() {
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Remark").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeText}))
	if err != nil {
		log.Fatal(err)
	}
	statements, err := ddl.Statements(plan, dict.PostgreSQL, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range statements {
		fmt.Println(s.Text)
	}
	// Output:
	// CREATE TABLE XX_Remark (AD_Client_ID NUMERIC(10) NOT NULL, AD_Org_ID NUMERIC(10) NOT NULL, Created TIMESTAMP NOT NULL DEFAULT getDate(), CreatedBy NUMERIC(10) NOT NULL, IsActive CHAR(1) NOT NULL CHECK (IsActive IN ('Y','N')) DEFAULT 'Y', Updated TIMESTAMP NOT NULL DEFAULT getDate(), UpdatedBy NUMERIC(10) NOT NULL, XX_Remark_ID NUMERIC(10) NOT NULL, XX_Remark_UU UUID NOT NULL, XX_Text TEXT DEFAULT NULL, CONSTRAINT XX_Remark_Key PRIMARY KEY (XX_Remark_ID), CONSTRAINT XX_Remark_UU_idx UNIQUE (XX_Remark_UU))
	// ALTER TABLE XX_Remark ADD CONSTRAINT ADClient_XXRemark FOREIGN KEY (AD_Client_ID) REFERENCES ad_client(ad_client_id) DEFERRABLE INITIALLY DEFERRED
	// ALTER TABLE XX_Remark ADD CONSTRAINT ADOrg_XXRemark FOREIGN KEY (AD_Org_ID) REFERENCES ad_org(ad_org_id) DEFERRABLE INITIALLY DEFERRED
	// ALTER TABLE XX_Remark ADD CONSTRAINT CreatedBy_XXRemark FOREIGN KEY (CreatedBy) REFERENCES ad_user(ad_user_id) DEFERRABLE INITIALLY DEFERRED
	// ALTER TABLE XX_Remark ADD CONSTRAINT UpdatedBy_XXRemark FOREIGN KEY (UpdatedBy) REFERENCES ad_user(ad_user_id) DEFERRABLE INITIALLY DEFERRED
}
