// Package registrytest is the suite that every source of the dictionary has to
// pass.
package registrytest
