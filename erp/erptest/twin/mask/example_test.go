package mask_test

import (
	"fmt"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

func Example() {
	tables := []mask.Table{{Name: "AD_User", AccessLevel: "7", Columns: []mask.Column{
		{Name: "AD_User_ID", DisplayType: 13, Key: true}, {Name: "Name", DisplayType: 10, Length: 60},
		{Name: "EMail", DisplayType: 10, Length: 60}, {Name: "Phone", DisplayType: 10, Length: 40}, {Name: "Password", DisplayType: 10, Length: 255, Secure: true},
	}}}
	m, err := mask.New(tables, mask.Options{Key: mask.FixedKey("an example")}) // use NewKey or OpenKey for data of people
	if err != nil {
		fmt.Println(err)
		return
	}
	row := map[string]any{"AD_User_ID": int64(1000001), "Name": "Jane Roe", "EMail": "jane.roe@roe-trading.com",
		"Phone": "+49 30 555-1234", "Password": "secret"}
	if err := m.Row("AD_User", row); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(row["AD_User_ID"])
	fmt.Println(row["Name"])
	fmt.Println(row["EMail"])
	fmt.Println(row["Phone"])
	fmt.Println(row["Password"])
	// Output:
	// 1000001
	// Lidia Jalloun-Rahenjei
	// lidia.jalloun-rahenjei@slolslaindror.example.com
	// +49 16 347-6084
	// <nil>
}
