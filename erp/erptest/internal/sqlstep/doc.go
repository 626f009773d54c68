// Package sqlstep reads the SQL of package archives: a small part of it, made of
// constants, in which statements of one table can be written. What it does not know
// it refuses, so that a step never reaches a database as it is written.
package sqlstep
