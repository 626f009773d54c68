package values_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleReader_Record() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, 0)
	if err != nil {
		log.Fatal(err)
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		log.Fatal(err)
	}
	dictionary := values.NewDictionary(restdict.NewSource(client, nil))
	table, err := dictionary.Table(ctx, "C_BPartner")
	if err != nil {
		log.Fatal(err)
	}
	reader, err := values.New(client, dictionary, values.Options{})
	if err != nil {
		log.Fatal(err)
	}
	read, problems, err := reader.Record(ctx, &table, map[string]json.RawMessage{
		"C_BP_Group_ID":  json.RawMessage(`"Standard"`),
		"SOCreditStatus": json.RawMessage(`"Credit OK"`),
		"IsCustomer":     json.RawMessage(`"maybe"`),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range read {
		fmt.Println(v.Column.Name, v.Send)
	}
	for _, problem := range problems {
		fmt.Println(problem)
	}
	// Output:
	// C_BP_Group_ID 103
	// SOCreditStatus O
	// IsCustomer: "maybe" is neither yes nor no; write true or false, Y or N
}
