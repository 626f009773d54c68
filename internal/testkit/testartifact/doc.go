// Package testartifact makes small artifacts for tests of deliveries.
package testartifact
