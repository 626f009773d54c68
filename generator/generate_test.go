package generator

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	a, err := Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": "com.example.demo", "modules": []string{"feature", "p2", "test"},
		"components": []string{"process:ImportOrders", "callout:OrderCallout@C_Order.C_BPartner_ID", "event-handler:OrderEvents@C_Order", "form:Board", "window-validator:Val@*", "rest-extension:Status@v1/demo"}})
	require.NoError(t, err)
	for _, f := range a.Tree.Files() {
		fmt.Println("=====", f.Name)
		if len(f.Content) < 6000 && f.Name[len(f.Name)-3:] != "zip" {
			fmt.Println(string(f.Content))
		}
	}
}
