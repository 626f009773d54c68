package api_test

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/aiquery/api"
)

// Engine, HTTP API and client have one error, which programs tell by its code.
func Example() {
	var err error = &api.Error{
		Code: api.CodeDenied, Message: `table "c_ordr" is not available`, Hint: "did you mean c_order?",
		Object: api.Object{Kind: api.TableObject, Name: "c_ordr", Similar: []string{"c_order"}},
	}
	fmt.Println(errors.Is(err, &api.Error{Code: api.CodeDenied}))
	var refused *api.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code.Status(), refused.Object.Similar)
	}
	// Output:
	// true
	// 403 [c_order]
}
