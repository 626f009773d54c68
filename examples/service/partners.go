package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"time"

	"github.com/erphub/erphub/erp"
)

// partners lists business partners whose name contains what the request says.
func partners(client *erp.Client) http.HandlerFunc {
	type partner struct {
		Value string `json:"Value"`
		Name  string `json:"Name"`
	}
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second) // and no longer than the caller waits
		defer cancel()
		page, err := erp.QueryAs[partner](ctx, client, "C_BPartner", &erp.Query{
			Filter:  erp.Contains(erp.ToLower("Name"), erp.TextInLower(r.FormValue("name"))).And(erp.Eq("IsCustomer", true)),
			OrderBy: []string{"Name"}, Limit: 20,
		})
		switch {
		case errors.Is(err, erp.ErrInexpressible): // the ERP's filters know no quotes
			http.Error(w, "a name without quotes, please", http.StatusBadRequest)
		case erp.Retryable(err): // the ERP is away or busy
			w.Header().Set("Retry-After", "5")
			http.Error(w, "the ERP does not respond", http.StatusServiceUnavailable)
		case err != nil:
			log.Print(err) // says what was tried and holds no secret
			http.Error(w, "something went wrong", http.StatusBadGateway)
		default:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(page.Records)
		}
	}
}
