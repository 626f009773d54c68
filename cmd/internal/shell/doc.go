// Package shell is what all commands share: a run of a program with its streams,
// settings and log, the connection to the ERP, output, prompts, signals and exit
// codes. [Run] runs a program as a function. It knows no command but version,
// completion and help; the families of commands are the packages beside it.
package shell
