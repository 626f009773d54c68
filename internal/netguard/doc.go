// Package netguard decides which addresses the clients of this module connect
// to, so that nobody can use them to reach what only this machine can reach.
//
// # The rule
//
// A host is either configured by the operator, who may point at a server in
// his own network, or it came from somebody else: a request, or the response of
// another server.
//
//   - A host the operator configured may be public, private or this machine.
//   - Any other host must be public: every address of private networks, of
//     this machine, of carriers' shared space and of transition schemes that
//     embed such an address is refused.
//   - Addresses of link-local networks, which is where clouds keep the
//     credentials of a machine, and addresses that are not a single host are
//     refused for both, except when the operator configured that very address.
//
// What is checked is the address of the connection, when it is made. A name
// that resolves to something else the second time does not get around it.
// Redirects are never followed: a server that sends its callers elsewhere is
// an error that names the place, and no credential goes there.
//
// A proxy from the environment (HTTPS_PROXY and so on) counts as configured by
// the operator. Only hosts that he configured as well are reached through it,
// since behind a proxy the address cannot be checked.
package netguard
