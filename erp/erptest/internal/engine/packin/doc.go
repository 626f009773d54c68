// Package packin imports package archives (2Pack) into the embedded ERP.
package packin
