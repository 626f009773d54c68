// Package browserlogin is the authorization server of the tool server: clients that
// know its address alone send their users to its login page, which logs in to the ERP,
// and get tokens of its own (OAuth 2.1 with PKCE, as the Model Context Protocol
// describes it).
//
// # What it keeps
//
// A grant is one record: which client acts for whom, the SHA-256 of its code or of its
// tokens, and when they end. The tokens of the ERP are kept beside it, encrypted with
// a key that only the code or the tokens of the grant open, so that a copy of the store
// opens nothing. Every change of a grant compares what it found with what is there, so
// that a code or a refresh token is good once, whichever replica sees it. A refresh
// token or code that comes again ends the grant.
//
// Registration keeps nothing: the identifier of a client is what it registered. Before
// somebody has logged in to the ERP nothing is kept at all.
package browserlogin
