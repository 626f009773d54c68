// Package aiclient calls an AI integration API: governed SQL, metadata of tables
// and windows, and what the user's own screen shows.
//
//	client, err := aiclient.New("https://erp.example.com",
//		aiclient.WithToken(token), aiclient.WithRole(102))
//	result, err := client.Query(ctx, aiclient.Query{
//		SQL: "SELECT documentno, grandtotal FROM c_order WHERE dateordered >= $1", Params: []any{"2026-01-01"},
//	})
//
// It links nothing but the standard library.
//
// # Settings
//
// [FromEnv] reads AI_API_URL, AI_API_TOKEN and AI_ROLE_ID.
//
// # Errors
//
// In an error response that is a refusal errors.As finds an [*api.Error], the same as
// the engine's: code, message, hint, position, and the table, column or function
// meant. errors.Is finds [ErrRefused], [ErrUnauthorized], [ErrDenied] and the
// others. No response at all is [ErrUnreachable]. No error holds a token.
//
// # Retries
//
// A request that never left, because no connection was made, is sent again. So
// is one the service turned away with 429 or 503 before it worked on it, after
// the time it requests. A query whose response was lost is not: it may have run,
// and each run is audited.
package aiclient
