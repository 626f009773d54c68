package contract

import _ "embed" // the contracts are files

//go:generate go run ./internal/overlay/cmd v12/openapi.yaml v13/openapi.yaml

//go:embed v12/openapi.yaml
var v12 string

//go:embed v13/openapi.yaml
var v13 string

// V12 returns the contract of release 12 as OpenAPI 3.0 YAML. The bytes are a copy.
func V12() []byte { return []byte(v12) }

// V13 returns the contract of release 13 as OpenAPI 3.0 YAML. The bytes are a copy.
func V13() []byte { return []byte(v13) }

// Current returns the contract in force, today that of release 12. It is the one the
// folder `current` links to and the client in erp/rest is generated from.
func Current() []byte { return V12() }
