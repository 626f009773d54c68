// Package packin imports package archives (2Pack) into the embedded ERP. What is
// wrong in an archive is what the ERP finds wrong, with these exceptions:
//
//   - SQL steps run as far as package sqlstep reads them, reach the tenant's rows
//     only, and leave protected columns alone. Programs are never run.
//   - References by official id to records that only the embedded ERP lacks do not
//     stop an import.
//   - Some records of the ERP's dictionary have other ids and UUIDs here; they are
//     found by their names.
package packin
