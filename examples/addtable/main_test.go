package main

import (
	"context"
	"fmt"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// #   action  what          name                       detail
	// 1   create  AD_Table      XX_Machine                 access Client+Organization, entity type U
	// 2   ensure  AD_Element    XX_Machine_ID
	// 3   create  AD_Column     XX_Machine.XX_Machine_ID   ID(22), key, mandatory
	// 4   ensure  AD_Element    XX_Machine_UU
	// 5   create  AD_Column     XX_Machine.XX_Machine_UU   UUID(36), mandatory
	// 6   ensure  AD_Element    AD_Client_ID               official 102
	// 7   create  AD_Column     XX_Machine.AD_Client_ID    Table Direct(10), mandatory, default @#AD_Client_ID@
	// 8   ensure  AD_Element    AD_Org_ID                  official 113
	// 9   create  AD_Column     XX_Machine.AD_Org_ID       Table Direct(10), mandatory, default @AD_Org_ID@
	// 10  ensure  AD_Element    IsActive                   official 348
	// 11  create  AD_Column     XX_Machine.IsActive        Yes-No(1), mandatory, default Y
	// 12  ensure  AD_Element    Created                    official 245
	// 13  create  AD_Column     XX_Machine.Created         Date+Time(7), mandatory, default SYSDATE
	// 14  ensure  AD_Element    CreatedBy                  official 246
	// 15  create  AD_Column     XX_Machine.CreatedBy       Table(10), mandatory
	// 16  ensure  AD_Element    Updated                    official 607
	// 17  create  AD_Column     XX_Machine.Updated         Date+Time(7), mandatory, default SYSDATE
	// 18  ensure  AD_Element    UpdatedBy                  official 608
	// 19  create  AD_Column     XX_Machine.UpdatedBy       Table(10), mandatory
	// 20  ensure  AD_Element    Value                      official 620
	// 21  create  AD_Column     XX_Machine.Value           String(40), mandatory, identifier
	// 22  ensure  AD_Element    Name                       official 469
	// 23  create  AD_Column     XX_Machine.Name            String(60), mandatory, identifier
	// 24  ensure  AD_Element    M_Warehouse_ID
	// 25  create  AD_Column     XX_Machine.M_Warehouse_ID  Table Direct(10), mandatory
	// 26  ensure  AD_Element    Power
	// 27  create  AD_Column     XX_Machine.Power           Quantity(22)
	// 28  ensure  AD_Element    XX_State
	// 29  create  AD_Reference  XX_Machine State           list
	// 30  create  AD_Ref_List   XX_Machine State.R         Running
	// 31  create  AD_Ref_List   XX_Machine State.M         Maintenance
	// 32  create  AD_Column     XX_Machine.XX_State        List(1), default R
	// 33  run     sync-table    XX_Machine
	// 22 records created, 10 found
	// 0 records created, 32 found
}
