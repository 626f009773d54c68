// Package model has types for records of the ERP's tables. All but this file is written
// by erphub generate go.
package model
