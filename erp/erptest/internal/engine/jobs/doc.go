// Package jobs has the processors of the embedded ERP's server manager: schedulers,
// and the server's own.
package jobs
