package contract_test

import (
	"fmt"
	"log"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/erp/contract"
)

func ExampleCurrent() {
	var document struct {
		OpenAPI string `yaml:"openapi"`
		Paths   map[string]any
	}
	if err := yaml.Unmarshal(contract.Current(), &document); err != nil {
		log.Fatal(err)
	}
	fmt.Println(document.OpenAPI, document.Paths["/models/{tableName}"] != nil)
	// Output: 3.0.3 true
}
