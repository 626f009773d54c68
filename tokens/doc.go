// Package tokens gets the bearer tokens for calls to the ERP, keeps them
// fresh, and checks the tokens of others.
//
// A service that logs in with its environment (ERP_URL, ERP_USERNAME,
// ERP_PASSWORD, ERP_CLIENT_ID, ERP_ROLE_ID, ERP_ORG_ID, or ERP_TOKEN alone)
// needs two calls:
//
//	settings, err := tokens.FromEnvironment(os.Getenv)
//	source, err := settings.Source(nil)
//
// and gives source to its ERP client (package erp/connect does it all in one
// call), or to a plain [http.Client] by
// [NewTransport]. A [Source] that logs in and refreshes is a [Manager]; one
// token that is used as it is, a [StaticSource].
//
// # How a token is kept fresh
//
// [Manager.Token] returns the current token at once while at least five
// minutes of its life are left. Otherwise one refresh is made for all callers
// together, on a context of its own; each caller waits as long as its own
// context lets it. A failure is reported to all who waited and, without
// another attempt, to all who call within the next two seconds.
//
// When the server responds 401, [Manager.Invalidate] makes the next Token
// refresh, unless the token is no longer the current one anyway.
//
// The end of a token comes from its exp claim, which is by the server's
// clock. How far that differs from ours is learned from the Date header of
// each login and refresh. A token whose end cannot be read is refreshed on
// first use if there is a refresh token, and used as it is if there is none.
//
// # Refresh tokens are spent once
//
// Each refresh brings a new refresh token. The ERP takes one that comes a
// second time for theft and revokes everything derived from it. Therefore
//
//   - refreshes are made under the lock of the [Store], which processes that
//     share tokens share; who gets the lock looks first whether another one
//     has refreshed;
//   - a mark that a refresh begins is stored before it is sent, and the new
//     pair is stored before anybody gets it;
//   - a refresh that timed out or was cut off, by a killed process for
//     example, is not sent again while there is something to lose. The mark is
//     found instead: with credentials the manager logs in again; without, the
//     access token is used while it lasts. After that nothing is left to be
//     revoked, and the refresh token is sent one last time. If that fails, the
//     error ([ErrInterrupted] and [ErrAuthentication]) says that a person must
//     log in;
//   - when the server certainly did not see the request, or said no before
//     acting on it, the mark is removed and nothing is lost.
//
// # Errors
//
// [ErrAuthentication] means that a person has to do something, and the text
// says what; [ErrUnreachable] that trying later may help. [Error.Status] tells
// an ERP that responded with an error from one that did not respond. No error, log
// record or printed value contains a token or password: they are held as
// [Secret].
//
// A refresh goes on when the caller that started it is gone. A program calls
// [Manager.Close] before it ends, so that the new pair is stored.
//
// # Checking the tokens of others
//
// A [Verifier] is for services that are called with the ERP's tokens. It only
// accepts HS512, the ERP's algorithm.
package tokens
