// Package access decides who may call an API of this module and how often: it
// checks the bearer token of a request and limits the requests of each user.
package access
