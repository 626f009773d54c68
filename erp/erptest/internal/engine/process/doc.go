// Package process runs processes and reports of the embedded ERP.
package process
