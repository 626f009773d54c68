package httpapi

import (
	"fmt"
	"strconv"

	"github.com/erphub/erphub/internal/httpserver"
)

// maxInt is the largest number of a record in the ERP.
const maxInt = 1<<31 - 1

// number reads the number of a record: decimal digits only.
func number(what, text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, httpserver.InvalidRequest(fmt.Sprintf("%s is a number from 0 to %d", what, maxInt), "")
	}
	return int(n), nil
}
