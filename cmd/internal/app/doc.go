// Package app is the erphub program as a function: [Run] takes arguments,
// environment and streams and answers an exit code. Commands here parse flags,
// make one call into the packages of the module, and print.
package app
