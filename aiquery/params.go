package aiquery

import (
	"encoding/json"
	"fmt"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// checkParams refuses what no type takes: objects, nested arrays of more than
// one level, texts PostgreSQL cannot hold.
func checkParams(params []json.RawMessage, o *Options) error {
	if len(params) > o.MaxParams {
		return run.Fail(api.CodeTooLarge, nil, "%d parameters are too many", len(params)).Advise(fmt.Sprintf("give at most %d", o.MaxParams))
	}
	total := 0
	for i, p := range params {
		if total += len(p); len(p) > o.MaxParamBytes || total > o.MaxParamsBytes {
			return run.Fail(api.CodeTooLarge, nil, "parameter $%d makes the parameters too long", i+1)
		}
		if _, err := run.DecodeParam(p); err != nil {
			return run.Fail(api.CodeInvalid, err, "parameter $%d %v", i+1, err)
		}
	}
	return nil
}
